package unit

import (
	"fmt"
	"strings"

	"golang.org/x/sys/unix"
)

// withoutEffect returns, in words, why a directive of a unit file changes nothing for a process run by a test; ""
// for every directive with an effect, or unknown.
func withoutEffect(name string) string {
	switch name {
	case "Type":
		return "the test waits for READY=1 itself"
	case "Restart", "RestartSec", "RestartPreventExitStatus", "StartLimitIntervalSec":
		return "what the manager does after the end: the test starts the process again itself"
	case "FileDescriptorStoreMax":
		return "what the manager keeps from one start to the next: the test keeps nothing"
	case "LimitCORE":
		return "whether a crash leaves a file: the daemon sets the same limit itself"
	case "TimeoutStopSec":
		return "how long the manager waits: the test has its own patience"
	}
	return ""
}

// directives returns, for each known directive of a unit file, the function that applies its value to the unit;
// the function returns an error for a value that it does not understand.
func (u *Unit) directives() map[string]func(value string) error {
	o := &u.order
	return map[string]func(string) error{
		"ExecStart":                u.execStart,
		"ExecReload":               u.execReload,
		"Environment":              func(v string) error { u.assigned = append(u.assigned, v); return assignment(v) },
		"User":                     func(v string) error { u.user, o.UID = v, UID; return plainName(v) },
		"Group":                    plainName, // that of the user
		"RuntimeDirectory":         func(v string) error { u.Runtime = v; return plainName(v) },
		"RuntimeDirectoryPreserve": word("restart", func() {}), // the folder of a test stays
		"StateDirectory":           func(v string) error { u.State = v; return plainName(v) },

		"AmbientCapabilities":   func(v string) (err error) { o.Ambient, err = capabilities(v); return err },
		"CapabilityBoundingSet": func(v string) (err error) { o.Bounding, err = capabilities(v); return err },
		"LimitMEMLOCK":          word("infinity", func() { o.MemoryUnlimited = true }),
		"NoNewPrivileges":       flag(func() error { o.NoNewPrivileges = true; return nil }),

		"ProtectSystem":         word("strict", func() { o.Root.ReadOnly = true }),
		"ProtectHome":           word("yes", func() {}), // the service's root has no homes
		"PrivateTmp":            word("yes", func() {}), // the service's root has its own /tmp and /var/tmp
		"PrivateDevices":        flag(func() error { o.Root.FewDevices = true; return u.deny("@raw-io") }),
		"ProtectClock":          flag(func() error { return u.deny("@clock") }),
		"ProtectControlGroups":  flag(func() error { o.Root.ReadOnlyCgroups = true; return nil }),
		"ProtectHostname":       flag(func() error { o.OwnHostname = true; return u.deny("sethostname", "setdomainname") }),
		"ProtectKernelLogs":     flag(func() error { o.Root.NoKernelLog = true; return u.deny("syslog") }),
		"ProtectKernelModules":  flag(func() error { o.Root.NoModules = true; return u.deny("@module") }),
		"ProtectKernelTunables": flag(func() error { o.Root.ReadOnlyTunables = true; return u.deny("_sysctl") }),

		"LockPersonality":         flag(func() error { return u.restrict(otherPersonality()) }),
		"MemoryDenyWriteExecute":  flag(func() error { return u.restrict(writableCode()) }),
		"RestrictAddressFamilies": func(v string) error { return u.onlyFamilies(v) },
		"RestrictNamespaces":      flag(func() error { return u.restrict(namespaces()) }),
		"RestrictRealtime":        flag(func() error { return u.restrict(realtime()) }),
		"RestrictSUIDSGID":        flag(func() error { return u.restrict(setIDBits()) }),
		"SystemCallArchitectures": word("native", func() { o.Filters = append(o.Filters, nativeOnly(u.syscalls.arch)) }),
		"SystemCallFilter":        func(v string) error { u.allowed = append(u.allowed, strings.Fields(v)...); return nil },
		"SystemCallErrorNumber":   word("EPERM", func() { u.errno = unix.EPERM }),
	}
}

// assignment returns an error unless v is one NAME=VALUE without quotes.
func assignment(v string) error {
	if name, _, ok := strings.Cut(v, "="); !ok || name == "" || strings.ContainsAny(v, " \t\"'%") {
		return fmt.Errorf("one plain NAME=VALUE is wanted")
	}
	return nil
}

// flag returns a function for the value of a yes-or-no directive: it calls apply for yes, does nothing for no, and
// returns an error for anything else.
func flag(apply func() error) func(string) error {
	return func(value string) error {
		switch value {
		case "yes":
			return apply()
		case "no":
			return nil
		}
		return fmt.Errorf("want yes or no")
	}
}

// word returns a function for a directive with one accepted value, only: it calls apply for this value, and
// returns an error for any other.
func word(only string, apply func()) func(string) error {
	return func(value string) error {
		if value != only {
			return fmt.Errorf("only %s is understood", only)
		}
		apply()
		return nil
	}
}

// plainName returns an error unless name is the plain name of one directory.
func plainName(name string) error {
	if name == "" || strings.ContainsAny(name, "/: ") {
		return fmt.Errorf("only the name of one directory is understood")
	}
	return nil
}

func (u *Unit) execStart(line string) (err error) {
	if len(u.Start) > 0 {
		return fmt.Errorf("there is a second one")
	}
	u.Start, err = command(line)
	return err
}

func (u *Unit) execReload(line string) error {
	words, err := command(line)
	u.Reload = append(u.Reload, words)
	return err
}

// capabilities returns the numbers of the capabilities in a list of names divided by spaces, such as
// "CAP_NET_ADMIN CAP_BPF". An unknown name is an error.
func capabilities(names string) (numbers []uintptr, err error) {
	known := map[string]uintptr{
		"CAP_NET_ADMIN": unix.CAP_NET_ADMIN, "CAP_NET_RAW": unix.CAP_NET_RAW, "CAP_BPF": unix.CAP_BPF,
		"CAP_IPC_LOCK": unix.CAP_IPC_LOCK, "CAP_PERFMON": unix.CAP_PERFMON, "CAP_SYS_ADMIN": unix.CAP_SYS_ADMIN,
	}
	for name := range strings.FieldsSeq(names) {
		number, ok := known[name]
		if !ok {
			return nil, fmt.Errorf("%s is not in the test's list of capabilities", name)
		}
		numbers = append(numbers, number)
	}
	return numbers, nil
}
