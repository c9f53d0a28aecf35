package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// successor is a process on its way to take over from the daemon.
type successor struct {
	*os.Process
	name  string // of its program
	relay *relay

	// end kills the process, and waits until it has ended.
	end func()
	// signals ends the collection of signals, and returns the signals that have come since the start.
	signals func() []os.Signal
}

// collect starts to collect signals that arrive during a handover, until the returned function stop is called, which
// returns the signals. Any signal but SIGHUP asks the daemon to end, and so interrupts the relay.
func (r *relay) collect(signals <-chan os.Signal) (stop func() []os.Signal) {
	done, all := make(chan struct{}), make(chan []os.Signal)
	go func() {
		var came []os.Signal
		for {
			select {
			case s := <-signals:
				came = append(came, s)
				if s != syscall.SIGHUP {
					r.interrupt()
				}
			case <-done:
				all <- came
				return
			}
		}
	}()
	return func() []os.Signal {
		close(done)
		return <-all
	}
}

// digest returns the SHA-256 of a program file in hexadecimal.
func digest(f *os.File) (string, error) {
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, math.MaxInt64)); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// openBinary opens a program to be started as the successor, and checks what it has opened: a file of root or of this
// user that nobody else may write to or replace.
func openBinary(name string) (*os.File, error) {
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, fmt.Errorf("%w: under systemd ProtectHome and PrivateTmp hide files from the daemon", err)
	}
	f, err := os.OpenFile(real, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	if err := checkBinary(f); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// checkBinary returns an error unless an open file is an executable program, and nobody but root and the daemon's user
// may change the file or the folders above it.
func checkBinary(f *os.File) error {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return err
	}
	switch {
	case st.Mode&unix.S_IFMT != unix.S_IFREG:
		return fmt.Errorf("%s is no file", f.Name())
	case st.Mode&0o111 == 0:
		return fmt.Errorf("%s is not executable: chmod +x", f.Name())
	}
	if err := ownedSafely(f.Name(), &st); err != nil {
		return err
	}
	for dir := filepath.Dir(f.Name()); ; dir = filepath.Dir(dir) {
		if err := unix.Stat(dir, &st); err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		if err := ownedSafely(dir, &st); err != nil {
			return err
		}
		if dir == "/" {
			return nil
		}
	}
}

// ownedSafely returns an error for a file or folder that a user other than root and the daemon's user may change.
func ownedSafely(name string, st *unix.Stat_t) error {
	switch {
	case st.Uid != 0 && int(st.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to user %d: the program and the folders above it must belong to root or to the "+
			"user of the daemon", name, st.Uid)
	case st.Mode&0o022 != 0 && (st.Mode&unix.S_IFMT != unix.S_IFDIR || st.Mode&unix.S_ISVTX == 0):
		return fmt.Errorf("%s may be written to by others (mode %#o): chmod go-w", name, st.Mode&0o7777)
	}
	return nil
}

// takeoverFlag is the first argument of a successor.
const takeoverFlag = "--takeover"

// Descriptors of a successor.
const (
	relayFD  = 3
	binaryFD = 4
)

// startSuccessor starts the program binary with a configuration file as the successor of this daemon, with the same
// privileges, and returns the process with this daemon's end of the relay. path is the path by which the program was
// found, which is the successor's own path from then on.
func startSuccessor(binary *os.File, path, config string) (*successor, error) {
	r, theirs, err := newRelay()
	if err != nil {
		return nil, err
	}
	child, err := startWith(binary, theirs, path, config)
	if err = errors.Join(err, theirs.Close()); err != nil {
		r.close()
		return nil, fmt.Errorf("start %s: %w", binary.Name(), err)
	}
	ended, err := unix.PidfdOpen(child.Pid, 0)
	if err != nil {
		_ = child.Kill()
		r.close()
		return nil, fmt.Errorf("watch %s: %w", binary.Name(), err)
	}
	return &successor{Process: child, name: binary.Name(), relay: r, end: sync.OnceFunc(func() {
		_ = child.Kill() // an error means that it has ended
		awaitEnd(ended)
		_ = unix.Close(ended)
		_, _ = child.Wait() // an error means that it is a child of this process's parent, which waits for it
	})}, nil
}

// awaitEnd waits until the process that a pidfd (pidfd_open(2)) refers to has ended.
func awaitEnd(pidfd int) {
	for {
		_, err := unix.Poll([]unix.PollFd{{Fd: int32(pidfd), Events: unix.POLLIN}}, -1)
		if !errors.Is(err, unix.EINTR) {
			return
		}
	}
}

// startWith starts the program binary, found by path, as the successor of this daemon, with its end of the relay and a
// configuration file.
func startWith(binary, relay *os.File, path, config string) (*os.Process, error) {
	cmd := &exec.Cmd{
		Path:       fmt.Sprintf("/proc/self/fd/%d", binaryFD), // the checked file, even if its name now names another
		Args:       []string{path, takeoverFlag, "--config", config},
		Env:        os.Environ(),
		Stdout:     os.Stdout,
		Stderr:     os.Stderr,
		ExtraFiles: []*os.File{relay, binary},
	}
	cmd.SysProcAttr = &syscall.SysProcAttr{}
	if !stays() {
		// A child of this process's parent: systemd waits at a stop only for a main process that is its own child.
		cmd.SysProcAttr.Cloneflags = syscall.CLONE_PARENT
	}
	if have, err := permittedCapabilities(); err == nil && os.Geteuid() != 0 {
		cmd.SysProcAttr.AmbientCaps = have.list()
	}
	passLimit()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return cmd.Process, nil
}

// list returns the numbers of the capabilities in the set, as in capabilities(7).
func (c capabilities) list() (all []uintptr) {
	for n := range uintptr(64) {
		if c>>n&1 != 0 {
			all = append(all, n)
		}
	}
	return all
}
