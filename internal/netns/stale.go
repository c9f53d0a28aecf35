package netns

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// CleanStale removes the namespaces left by crashed runs, whose names contain the ID of a dead process. Namespaces
// of living processes and of other programs stay.
func CleanStale() error {
	entries, err := os.ReadDir(Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var problems []error
	for _, e := range entries {
		if pid, ours := maker(e.Name()); ours && !alive(pid) {
			problems = append(problems, removeStale(e.Name()))
		}
	}
	return errors.Join(problems...)
}

// maker returns the process ID in the name of a namespace made by New. ours is false if New does not make such
// names.
func maker(name string) (pid int, ours bool) {
	rest, ours := strings.CutPrefix(name, prefix)
	number, _, named := strings.Cut(rest, "-")
	pid, err := strconv.Atoi(number)
	return pid, ours && named && err == nil && pid > 0
}

// alive reports whether a process with the given ID exists.
func alive(pid int) bool { return !errors.Is(unix.Kill(pid, 0), unix.ESRCH) }

// removeStale removes a namespace's name from /run/netns, whether or not a namespace is still mounted there. A
// name already removed by somebody else is no error.
func removeStale(name string) error {
	err := remove(name)
	if errors.Is(err, unix.EINVAL) { // the maker died between making the file and mounting
		err = os.Remove(Dir + "/" + name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
