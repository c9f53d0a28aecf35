package netns

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// CleanStale removes the namespaces whose maker no longer lives: what a crashed
// run left behind. Namespaces of living processes and of others stay.
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

// maker is the process id in the name of a namespace made by New.
func maker(name string) (pid int, ours bool) {
	rest, ours := strings.CutPrefix(name, prefix)
	number, _, named := strings.Cut(rest, "-")
	pid, err := strconv.Atoi(number)
	return pid, ours && named && err == nil && pid > 0
}

// alive says whether a process with this id exists.
func alive(pid int) bool { return !errors.Is(unix.Kill(pid, 0), unix.ESRCH) }

// removeStale removes a name whether or not a namespace is still mounted on it;
// that somebody else was faster is no error.
func removeStale(name string) error {
	err := remove(name)
	if errors.Is(err, unix.EINVAL) { // died between making the file and mounting on it
		err = os.Remove(Dir + "/" + name)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
