package main

import (
	"fmt"
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"
)

// prepareCrash sets how a crash (a panic, a fatal error of Go's runtime, SIGSEGV, SIGBUS) ends this process:
//
//   - It ends by SIGABRT, after the stacks of all goroutines. By itself Go ends with status 2, that of a wrong
//     configuration, after which systemd does not start the daemon again.
//   - It leaves no core: frames of hosts are in the memory of the daemon.
//   - It does not wait for the reader of its standard error, as Go's runtime does when it writes the stacks.
func prepareCrash(stderr *os.File) {
	debug.SetTraceback("crash")
	var core unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_CORE, &core) == nil {
		core.Cur = 0
		_ = unix.Setrlimit(unix.RLIMIT_CORE, &core) // no error: a limit may be lowered
	}
	_ = ownDescription(stderr) // after an error, a crash waits for the reader
}

// ownDescription makes the description of f (open(2)) this process's own and non-blocking. A description that a shell
// or another process shares stays as it is: a pipe or a terminal is opened again, under the same number. A socket
// cannot be opened again: that of systemd-journald belongs to the unit alone and becomes non-blocking, any other stays
// blocking. Files stay blocking, too: they have no reader to wait for.
func ownDescription(f *os.File) error {
	fd := int(f.Fd())
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		return err
	}
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFSOCK:
		if isJournald(f) {
			return unix.SetNonblock(fd, true)
		}
		return nil
	case unix.S_IFIFO, unix.S_IFCHR:
	default:
		return nil
	}
	const flags = unix.O_WRONLY | unix.O_NONBLOCK | unix.O_NOCTTY | unix.O_CLOEXEC
	own, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", fd), flags, 0)
	if err != nil {
		return err
	}
	defer unix.Close(own)
	return unix.Dup3(own, fd, 0) // a successor inherits it
}
