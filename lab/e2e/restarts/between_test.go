package restarts

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/control/api"
	"uelink/lab/e2e/bed"
)

// The program of these tests stands between a daemon and its successor: the daemon starts it as the successor, and it
// starts uelinkd, and relays the messages of the two. At a moment that the test has chosen it does harm.

// betweenVariable is the environment variable with the folder of files for between: the moment, the harm, and the path
// of uelinkd.
const betweenVariable = "UELINK_TEST_BETWEEN"

// The moments: before or after a message is passed on.
const (
	beforeReady   = "before ready"
	beforeOffer   = "before offer"
	beforeMapped  = "before mapped"
	beforeState   = "before state"
	beforeAdopted = "before adopted"
	beforeGo      = "before go"
	afterGo       = "after go"
)

// The harm.
const (
	killSuccessor   = "kill the successor"
	hangSuccessor   = "hang the successor"
	killDaemon      = "kill the daemon"
	terminateDaemon = "terminate the daemon"
	nothing         = "nothing"
)

// mischief is a folder of files for between.
type mischief struct{ dir string }

// newMischief makes daemons started from now on do harm at a handover to os.Executable.
func newMischief(t *testing.T) mischief {
	t.Helper()
	m := mischief{t.TempDir()}
	t.Setenv(betweenVariable, m.dir)
	bed.Must(t, os.WriteFile(filepath.Join(m.dir, "program"), []byte(bed.Program("uelinkd")), 0o600))
	return m
}

// upgrade has a daemon hand over, and does harm at a moment.
func (m mischief) upgrade(t *testing.T, d *bed.Daemon, moment, harm string) error {
	t.Helper()
	self, err := os.Executable()
	bed.Must(t, err)
	bed.Must(t, os.WriteFile(filepath.Join(m.dir, "moment"), []byte(moment), 0o600))
	bed.Must(t, os.WriteFile(filepath.Join(m.dir, "harm"), []byte(harm), 0o600))
	return d.Client.Upgrade(t.Context(), api.Upgrade{Binary: self})
}

// middle is the process between a daemon and its successor.
type middle struct {
	daemon, successor *net.UnixConn
	process           *os.Process // successor
	pid               int         // of the daemon, which is not the parent
	moment, harm      string
}

// between runs this process as the successor of a daemon. It does not return.
func between() {
	runtime.LockOSThread() // the successor dies with this thread
	m := &middle{}
	err := m.begin(os.Getenv(betweenVariable))
	if err == nil {
		err = m.relay()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "between a daemon and its successor:", err)
	}
	_, _ = m.process.Wait()
	os.Exit(1)
}

// begin starts uelinkd.
func (m *middle) begin(dir string) error {
	var text [3]string
	for i, name := range []string{"moment", "harm", "program"} {
		octets, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		text[i] = string(octets)
	}
	m.moment, m.harm = text[0], text[1]
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	theirs, binary := os.NewFile(uintptr(fds[1]), "relay"), os.NewFile(4, "binary")
	ours, err := unix.Dup(fds[0]) // the successor has it too: it sees no end of its daemon if this process is killed
	if err != nil {
		return err
	}
	cmd := exec.Command(text[2], os.Args[1:]...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{theirs, binary, os.NewFile(uintptr(ours), "relay")}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := errors.Join(cmd.Start(), theirs.Close(), binary.Close(), cmd.ExtraFiles[2].Close()); err != nil {
		return err
	}
	m.process = cmd.Process
	peer, err := unix.GetsockoptUcred(3, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return err
	}
	m.pid = int(peer.Pid)
	if m.daemon, err = connection(3); err != nil {
		return err
	}
	m.successor, err = connection(fds[0])
	return err
}

// connection returns the connection of a unix socket.
func connection(fd int) (*net.UnixConn, error) {
	f := os.NewFile(uintptr(fd), "relay")
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	return c.(*net.UnixConn), nil
}

// relay passes the messages on in their order, and then those of the daemon.
func (m *middle) relay() error {
	for _, from := range []*net.UnixConn{
		m.successor, m.daemon, m.successor, m.daemon, m.successor, m.daemon, m.successor,
	} {
		if err := m.pass(from, m.other(from)); err != nil {
			return err
		}
	}
	for {
		if err := m.pass(m.daemon, m.successor); err != nil {
			return m.successor.CloseWrite()
		}
	}
}

// other returns the other connection.
func (m *middle) other(c *net.UnixConn) *net.UnixConn {
	if c == m.daemon {
		return m.successor
	}
	return m.daemon
}

// pass passes a message with its descriptors on, and does harm before or after.
func (m *middle) pass(from, to *net.UnixConn) error {
	head := make([]byte, 4)
	if _, err := io.ReadFull(from, head); err != nil {
		return err
	}
	text := make([]byte, binary.BigEndian.Uint32(head))
	if _, err := io.ReadFull(from, text); err != nil {
		return err
	}
	var message struct {
		Word   string
		Octets int
		FDs    int
	}
	if err := json.Unmarshal(text, &message); err != nil {
		return err
	}
	state := make([]byte, message.Octets)
	if _, err := io.ReadFull(from, state); err != nil {
		return err
	}
	m.do("before " + message.Word)
	if _, err := to.Write(slices.Concat(head, text, state)); err != nil {
		return err
	}
	for n := 0; n < message.FDs; {
		one, rights := make([]byte, 1), make([]byte, unix.CmsgSpace(4*128))
		_, length, _, _, err := from.ReadMsgUnix(one, rights)
		if err != nil {
			return err
		}
		list, err := unix.ParseSocketControlMessage(rights[:length])
		if err != nil {
			return err
		}
		fds, err := unix.ParseUnixRights(&list[0])
		if err != nil {
			return err
		}
		if _, _, err := to.WriteMsgUnix(one, rights[:length], nil); err != nil {
			return err
		}
		for _, fd := range fds {
			_ = unix.Close(fd)
		}
		n += len(fds)
	}
	m.do("after " + message.Word)
	return nil
}

// do does the harm, if this is the moment.
func (m *middle) do(moment string) {
	if moment != m.moment {
		return
	}
	switch daemon := m.pid; m.harm {
	case killSuccessor:
		_ = m.process.Kill()
		_, _ = m.process.Wait()
		os.Exit(1)
	case hangSuccessor:
		_ = m.process.Signal(syscall.SIGSTOP) // so that it is killed before it sees the end of this process
		for {
			_ = unix.Pause() // signals of Go's scheduler end it
		}
	case killDaemon:
		_ = syscall.Kill(daemon, syscall.SIGKILL)
		_, _ = io.Copy(io.Discard, m.daemon) // until its end
		_ = m.successor.CloseWrite()
		_, _ = m.process.Wait() // the successor lives as long as this process
		os.Exit(0)
	case terminateDaemon:
		_ = syscall.Kill(daemon, syscall.SIGTERM)
	}
}

// said returns an error if a text lacks one of the words.
func said(text string, words ...string) error {
	for _, w := range words {
		if !strings.Contains(text, w) {
			return fmt.Errorf("%q is not in %q", w, text)
		}
	}
	return nil
}
