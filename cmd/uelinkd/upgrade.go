package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/control"
	"uelink/dataplane/path"
	"uelink/internal/snapshot"
)

// An upgrade starts another uelinkd as a child, and hands everything over to it without losing a frame:
//
//	daemon                                     successor
//	starts it                              ──► reads its configuration
//	                                       ◄── ready
//	stops between two batches, saves       ──► state, with all descriptors
//	                                       ◄── adopted: everything is mapped, nothing has begun
//	closes the control socket              ──► go
//	                                       ◄── running
//	ends, and puts nothing back
//
// Until go, every failure is a way back: the daemon goes on where it was, within handOverTimeout.

// Times of an upgrade.
const (
	startTimeout    = 10 * time.Second // of the successor, until ready: frames go on
	handOverTimeout = time.Second      // from the stop until running
	busyTimeout     = 2 * time.Second  // for the daemon to begin: it may reload, or have just begun itself
)

// upgradeRequest is a request to hand over, and its answer.
type upgradeRequest struct {
	control.Upgrade
	answer chan error
}

// upgrader passes requests of the API to the daemon's own goroutine.
type upgrader struct{ requests chan upgradeRequest }

// Upgrade asks the daemon to hand over, and waits until it has.
func (u upgrader) Upgrade(r control.Upgrade) error {
	q := upgradeRequest{r, make(chan error, 1)}
	select {
	case u.requests <- q:
		return <-q.answer
	case <-time.After(busyTimeout):
		return errors.New("the daemon is busy with a reload, another upgrade, or its end: try again")
	}
}

// handOver hands over to a successor. It returns the successor's process once that moves frames: this process has
// nothing to do any more but end. After an error this daemon goes on as before.
func (d *daemon) handOver(u control.Upgrade) (successor *os.Process, err error) {
	began := time.Now()
	if d.confirm.pending() {
		return nil, errors.New("the start or a reload waits for confirmation: type uelink confirm, and upgrade then")
	}
	binary, err := openBinary(u.Binary)
	if err != nil {
		return nil, err
	}
	defer binary.Close()
	file := d.file
	if u.Config != "" {
		file = u.Config
	}
	r, theirs, err := newRelay()
	if err != nil {
		return nil, err
	}
	defer r.close()
	child, err := startSuccessor(binary, theirs, file)
	if err = errors.Join(err, theirs.Close()); err != nil {
		return nil, fmt.Errorf("start %s: %w", binary.Name(), err)
	}
	version, err := d.handOverTo(r)
	if err != nil {
		_ = child.Kill()
		state, waited := child.Wait()
		return nil, fmt.Errorf("the successor %s does not take over (%v): %w; this daemon goes on", binary.Name(),
			ending(state, waited), err)
	}
	d.log.Info("handed over", zap.String("to", binary.Name()), zap.String("version", version),
		zap.Int("process", child.Pid), zap.String("asked_by", u.By), zap.Duration("took", time.Since(began)))
	return child, nil
}

// upgrade answers a request to hand over. After a handover it ends this process.
func (d *daemon) upgrade(q upgradeRequest, signals <-chan os.Signal) {
	successor, err := d.handOver(q.Upgrade)
	q.answer <- err
	if err != nil {
		d.log.Error("no upgrade", zap.String("asked_by", q.By), zap.Error(err))
		d.frames.Publish("", path.EventError, "no upgrade: "+err.Error())
		return
	}
	d.stopServers() // with the answer
	d.journal.stop()
	_ = d.log.Sync()
	os.Exit(d.leave(successor, signals))
}

// ending returns how a process has ended, in words.
func ending(state *os.ProcessState, err error) string {
	if err != nil {
		return err.Error()
	}
	return state.String()
}

// handOverTo does the steps of a handover after the start of the successor. After an error this daemon goes on.
func (d *daemon) handOverTo(r *relay) (version string, err error) {
	ready, err := r.expect(wordReady, startTimeout)
	if err != nil {
		return "", err
	}
	m := message{Word: wordState, Text: d.text}
	if err := d.listeners(&m); err != nil {
		return "", err
	}
	h, err := d.frames.HandOver()
	if err != nil {
		return "", err
	}
	d.lldp.Freeze()
	defer func() {
		if err != nil {
			d.lldp.Thaw()
			d.frames.Resume()
		}
	}()
	m.Ports, m.State, m.LLDP = h.Ports, h.State, snapshot.Save("lldp", d.lldp)
	m.fds = append(m.fds, h.FDs...)
	end := time.Now().Add(handOverTimeout)
	if err := r.send(m); err != nil {
		return "", err
	}
	if _, err := r.expect(wordAdopted, time.Until(end)); err != nil {
		return "", err
	}
	if err := r.send(message{Word: wordGo}); err != nil {
		return "", err
	}
	control.Leave(d.api)
	if _, err := r.expect(wordRunning, time.Until(end)); err != nil {
		d.log.Error("the successor has begun, and gives no sign: this daemon cannot go on with frames that are no longer "+
			"its own, and ends as if it were killed", zap.Error(err))
		_ = d.log.Sync()
		os.Exit(exitFailed)
	}
	return ready.Version, nil
}

// listeners adds the descriptors of the control socket and of the metrics to a message.
func (d *daemon) listeners(m *message) error {
	api, err := control.HandOver(d.api)
	if err != nil {
		return err
	}
	m.fds, m.API = append(m.fds, api...), len(api)
	if d.scrapes == nil {
		return nil
	}
	scrapes, err := control.Descriptor(d.scrapes)
	m.fds, m.Metrics = append(m.fds, scrapes), 1
	return err
}

// openBinary opens a program to be started as the successor, "" for this process's own, and checks what it has opened:
// a file of root or of this user that nobody else may write to or replace.
func openBinary(name string) (*os.File, error) {
	if name == "" {
		var err error
		if name, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	real, err := filepath.EvalSymlinks(name)
	if err != nil {
		return nil, fmt.Errorf("%w: under systemd ProtectHome and PrivateTmp hide files from the daemon", err)
	}
	if real, err = filepath.Abs(real); err != nil {
		return nil, err
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

// checkBinary checks an open program and the folders above it.
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

// ownedSafely returns an error for a file or folder that another user than root and this daemon's may change.
func ownedSafely(name string, st *unix.Stat_t) error {
	switch {
	case st.Uid != 0 && int(st.Uid) != os.Geteuid():
		return fmt.Errorf("%s belongs to user %d: a program to be started belongs to root, as do the folders above it", name,
			st.Uid)
	case st.Mode&0o022 != 0 && (st.Mode&unix.S_IFMT != unix.S_IFDIR || st.Mode&unix.S_ISVTX == 0):
		return fmt.Errorf("%s may be written to by others (mode %#o): chmod go-w", name, st.Mode&0o7777)
	}
	return nil
}

// Descriptors of a successor.
const (
	relayFD  = 3
	binaryFD = 4
)

// startSuccessor starts a program as a successor, with the same privileges as this process.
func startSuccessor(binary, relay *os.File, config string) (*os.Process, error) {
	cmd := &exec.Cmd{
		Path:       fmt.Sprintf("/proc/self/fd/%d", binaryFD), // the file that was checked, whatever its name names now
		Args:       []string{os.Args[0], "--takeover", "--config", config},
		Env:        os.Environ(),
		Stdout:     os.Stdout,
		Stderr:     os.Stderr,
		ExtraFiles: []*os.File{relay, binary},
	}
	if have, err := held(); err == nil && os.Geteuid() != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{AmbientCaps: have.list()}
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	return cmd.Process, nil
}

// list returns the numbers of the capabilities.
func (c capabilities) list() (all []uintptr) {
	for n := range uintptr(64) {
		if c>>n&1 != 0 {
			all = append(all, n)
		}
	}
	return all
}

// leave ends this process after a handover. As the first process of a container it stays, passes signals on, and ends
// with its successor: with it the container would end.
func (d *daemon) leave(successor *os.Process, signals <-chan os.Signal) (code int) {
	d.report(fmt.Sprintf("MAINPID=%d", successor.Pid))
	if os.Getpid() != 1 {
		return 0
	}
	ended := make(chan int, 1)
	go func() {
		state, err := successor.Wait()
		if err != nil {
			ended <- exitFailed
			return
		}
		ended <- max(0, state.ExitCode())
	}()
	for {
		select {
		case code := <-ended:
			return code
		case s := <-signals:
			_ = successor.Signal(s)
		}
	}
}
