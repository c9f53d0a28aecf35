# Completion of uelinkd for bash.
_uelinkd() {
	local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}
	case $before in
	--config) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
	--confirm) mapfile -t COMPREPLY < <(compgen -W "30s 1m 5m" -- "$word") ;;
	*) mapfile -t COMPREPLY < <(compgen -W "--config --check --confirm --version --help" -- "$word") ;;
	esac
}
complete -o filenames -F _uelinkd uelinkd
