package unit

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// UID is the user and the group that a service runs as, whatever the names in its unit, which this machine need not
// know.
const UID = 61184

// Unit is the [Service] section of a unit file, as far as the process is concerned.
type Unit struct {
	Start   []string   // command line of ExecStart
	Reload  [][]string // command lines of ExecReload, where $MAINPID is the process
	Runtime string     // RuntimeDirectory, below /run
	State   string     // StateDirectory, below /var/lib

	user     string
	assigned []string // of the environment, each NAME=VALUE
	order    order
	allowed  []string // SystemCallFilter
	errno    unix.Errno
	syscalls *syscalls
}

// Load reads the unit file of a service at path, and returns an error for directives that are not understood. It
// needs go and the program systemd-analyze, which lists the sets of system calls (Debian package systemd).
func Load(path string) (*Unit, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	calls, err := loadSyscalls()
	if err != nil {
		return nil, err
	}
	u, err := parse(string(text), calls)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return u, nil
}

// parse returns the unit that the text of a unit file describes, by applying its directives in their order.
func parse(text string, calls *syscalls) (*Unit, error) {
	u := &Unit{errno: unix.EPERM, syscalls: calls}
	list, err := section(text, "Service")
	if err != nil {
		return nil, err
	}
	known := u.directives()
	for _, d := range list {
		apply, ok := known[d.name]
		switch {
		case ok:
			if err := apply(d.value); err != nil {
				return nil, fmt.Errorf("%s=%s: %w", d.name, d.value, err)
			}
		case withoutEffect(d.name) == "":
			return nil, fmt.Errorf("%s=%s: the directive is neither applied nor listed as one without effect", d.name, d.value)
		}
	}
	return u, u.complete()
}

// complete builds the seccomp filter that depends on several directives, and returns an error if the unit as a
// whole cannot be run here.
func (u *Unit) complete() error {
	if len(u.Start) == 0 {
		return fmt.Errorf("there is no ExecStart")
	}
	if len(u.allowed) > 0 {
		if err := u.filterSyscalls(); err != nil {
			return err
		}
	}
	if len(u.order.Filters) > 0 && !u.order.NoNewPrivileges {
		return fmt.Errorf("filters without NoNewPrivileges=yes are not applied here")
	}
	return nil
}

// command splits a command line of a unit file into words. It refuses quotes and the prefixes that change
// privileges.
func command(line string) ([]string, error) {
	if strings.ContainsAny(line, `"'\%`) || !strings.HasPrefix(line, "/") {
		return nil, fmt.Errorf("only plain words are understood, the first of them an absolute path")
	}
	return strings.Fields(line), nil
}
