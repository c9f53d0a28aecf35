# Completion of uelinkd for fish.
complete -c uelinkd -f
complete -c uelinkd -l config -r -F -d 'the configuration'
complete -c uelinkd -l check -d 'print the problems of the configuration, and exit'
complete -c uelinkd -l confirm -x -a '30s 1m 5m' -d 'take everything back after this time unless confirmed'
complete -c uelinkd -l version -d 'print the version, and exit'
complete -c uelinkd -l help -d 'print the flags'
