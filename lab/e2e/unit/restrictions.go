package unit

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// The filters below are those that systemd 252 makes from single directives (src/shared/seccomp-util.c).

// deny adds a seccomp filter to the unit that makes these system calls, or systemd's sets of calls ("@name"), fail
// with EPERM, whatever their arguments.
func (u *Unit) deny(calls ...string) error {
	return u.restrict([]rule{{calls: calls, errno: unix.EPERM}})
}

// restrict adds a seccomp filter to the unit that refuses system calls by these rules.
func (u *Unit) restrict(rules []rule) error {
	f, err := denyList(u.syscalls.arch, u.syscalls, rules)
	u.order.Filters = append(u.order.Filters, f)
	return err
}

// filterSyscalls adds the seccomp filter of SystemCallFilter to the unit: calls that are not listed fail with the
// error of SystemCallErrorNumber. The set @default is always allowed.
func (u *Unit) filterSyscalls() error {
	if i := slices.IndexFunc(u.allowed, func(s string) bool { return strings.HasPrefix(s, "~") }); i >= 0 {
		return fmt.Errorf("SystemCallFilter: %s: only a list of what is allowed is understood", u.allowed[i])
	}
	allowed, err := u.syscalls.resolve(append(u.allowed, "@default")...)
	if err != nil {
		return fmt.Errorf("SystemCallFilter: %w", err)
	}
	// Must be last: it may refuse the calls that install filters.
	u.order.Filters = append(u.order.Filters, allowList(u.syscalls.arch, allowed, u.errno))
	return nil
}

// onlyFamilies adds the seccomp filter of RestrictAddressFamilies to the unit: sockets of families other than
// those in names cannot be created.
func (u *Unit) onlyFamilies(names string) error {
	known := map[string]uint32{
		"AF_UNIX": unix.AF_UNIX, "AF_NETLINK": unix.AF_NETLINK, "AF_XDP": unix.AF_XDP,
		"AF_INET": unix.AF_INET, "AF_INET6": unix.AF_INET6, "AF_PACKET": unix.AF_PACKET,
	}
	var others []condition
	for name := range strings.FieldsSeq(names) {
		family, ok := known[name]
		if !ok {
			return fmt.Errorf("%s is not in the test's list of families", name)
		}
		others = append(others, isNot(0, family))
	}
	return u.restrict([]rule{{[]string{"socket"}, others, unix.EAFNOSUPPORT}})
}

// namespaces returns the seccomp rules of RestrictNamespaces=yes: no process can enter or make a namespace. A
// filter cannot see the flags of clone3, which are in memory, so clone3 fails as if it did not exist.
func namespaces() []rule {
	rules := []rule{
		{calls: []string{"setns"}, errno: unix.EPERM},
		{calls: []string{"clone3"}, errno: unix.ENOSYS},
	}
	for _, flag := range []uint32{unix.CLONE_NEWCGROUP, unix.CLONE_NEWIPC, unix.CLONE_NEWNET, unix.CLONE_NEWNS,
		unix.CLONE_NEWPID, unix.CLONE_NEWUSER, unix.CLONE_NEWUTS, unix.CLONE_NEWTIME} {
		rules = append(rules, rule{[]string{"unshare", "clone"}, []condition{has(0, flag)}, unix.EPERM})
	}
	return rules
}

// writableCode returns the seccomp rules of MemoryDenyWriteExecute=yes: no memory is both writable and executable.
func writableCode() []rule {
	const shmExec = 0o100000 // SHM_EXEC
	return []rule{
		{[]string{"mmap"}, []condition{has(2, unix.PROT_EXEC|unix.PROT_WRITE)}, unix.EPERM},
		{[]string{"mprotect", "pkey_mprotect"}, []condition{has(2, unix.PROT_EXEC)}, unix.EPERM},
		{[]string{"shmat"}, []condition{has(2, shmExec)}, unix.EPERM},
	}
}

// realtime returns the seccomp rule of RestrictRealtime=yes: no process can get a realtime scheduling policy.
func realtime() []rule {
	return []rule{{[]string{"sched_setscheduler"},
		[]condition{isNot(1, unix.SCHED_NORMAL), isNot(1, unix.SCHED_BATCH), isNot(1, unix.SCHED_IDLE)}, unix.EPERM}}
}

// otherPersonality returns the seccomp rule of LockPersonality=yes: no process can change its personality.
func otherPersonality() []rule {
	const linux = 0 // PER_LINUX
	return []rule{{[]string{"personality"}, []condition{isNot(0, linux)}, unix.EPERM}}
}

// setIDBits returns the seccomp rules of RestrictSUIDSGID=yes: no file can get a set-user-ID or set-group-ID bit.
// A filter cannot see the mode given to openat2, which is in memory, so openat2 fails as if it did not exist.
func setIDBits() []rule {
	rules := []rule{{calls: []string{"openat2"}, errno: unix.ENOSYS}}
	for _, bit := range []uint32{unix.S_ISUID, unix.S_ISGID} {
		for argument, calls := range [][]string{
			1: {"chmod", "fchmod", "mkdir", "mknod", "creat"},
			2: {"fchmodat", "fchmodat2", "mkdirat", "mknodat"},
		} {
			rules = append(rules, rule{calls, []condition{has(argument, bit)}, unix.EPERM})
		}
		for _, makes := range []uint32{unix.O_CREAT, unix.O_TMPFILE} {
			rules = append(rules,
				rule{[]string{"open"}, []condition{has(1, makes), has(2, bit)}, unix.EPERM},
				rule{[]string{"openat"}, []condition{has(2, makes), has(3, bit)}, unix.EPERM})
		}
	}
	return rules
}
