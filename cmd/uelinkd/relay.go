package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// relay is the socket between a daemon and its successor. A message is its length in four octets, JSON, and then the
// descriptors.
type relay struct{ conn *net.UnixConn }

// message is a word of one process to the other, with what belongs to it.
type message struct {
	Word  string `json:"word"`
	Error string `json:"error,omitempty"` // of a successor that cannot take over

	Version string `json:"version,omitempty"` // ready: of the successor
	Text    string `json:"text,omitempty"`    // state: the configuration in force
	Ports   []byte `json:"ports,omitempty"`   // state
	State   []byte `json:"state,omitempty"`   // state: the frame path
	LLDP    []byte `json:"lldp,omitempty"`    // state
	API     int    `json:"api,omitempty"`     // state: descriptors of the control socket, the first ones
	Metrics int    `json:"metrics,omitempty"` // state: descriptors of the metrics, the next ones
	FDs     int    `json:"fds,omitempty"`     // state: all descriptors

	fds []int
}

// The words, in their order: of the successor, of the daemon, and so on.
const (
	wordReady   = "ready"   // the successor has read its configuration
	wordState   = "state"   // the daemon has stopped, and hands its state over
	wordAdopted = "adopted" // the successor has everything, and has not begun
	wordGo      = "go"      // the daemon will not go on
	wordRunning = "running" // the successor moves frames
)

// Limits of a message.
const (
	messageMax  = 256 << 20
	rightsMax   = 128 // descriptors with one octet; the kernel allows 253
	descriptors = 1 << 16
)

// newRelay returns the two ends of a relay; the second is for the successor.
func newRelay() (*relay, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	theirs := os.NewFile(uintptr(fds[1]), "successor")
	r, err := relayOf(os.NewFile(uintptr(fds[0]), "relay"))
	if err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	return r, theirs, nil
}

// relayOf returns the relay of a socket, whose file it closes.
func relayOf(f *os.File) (*relay, error) {
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	u, ok := c.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(errors.New("it is no unix socket"), c.Close())
	}
	return &relay{u}, nil
}

func (r *relay) close() { _ = r.conn.Close() }

// send sends a message with its descriptors.
func (r *relay) send(m message) error {
	m.FDs = len(m.fds)
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if _, err := r.conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(text))), text...)); err != nil {
		return err
	}
	for rest := m.fds; len(rest) > 0; {
		n := min(len(rest), rightsMax)
		if _, _, err := r.conn.WriteMsgUnix([]byte{0}, unix.UnixRights(rest[:n]...), nil); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// expect receives a message with a word, within a time.
func (r *relay) expect(word string, within time.Duration) (m message, err error) {
	if err := r.conn.SetReadDeadline(time.Now().Add(within)); err != nil {
		return m, err
	}
	var length [4]byte
	if _, err := io.ReadFull(r.conn, length[:]); err != nil {
		return m, fmt.Errorf("waiting for %q: %w", word, err)
	}
	n := binary.BigEndian.Uint32(length[:])
	if n > messageMax {
		return m, fmt.Errorf("a message of %d octets", n)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r.conn, text); err != nil {
		return m, fmt.Errorf("waiting for %q: %w", word, err)
	}
	switch err := json.Unmarshal(text, &m); {
	case err != nil:
		return m, err
	case m.Error != "":
		return m, errors.New(m.Error)
	case m.Word != word:
		return m, fmt.Errorf("the other process says %q, not %q", m.Word, word)
	case m.FDs < 0 || m.FDs > descriptors:
		return m, fmt.Errorf("%d descriptors", m.FDs)
	}
	return m, r.receiveFDs(&m)
}

// receiveFDs receives the descriptors of a message. They close on exec.
func (r *relay) receiveFDs(m *message) error {
	for len(m.fds) < m.FDs {
		oob := make([]byte, unix.CmsgSpace(4*rightsMax))
		var one [1]byte
		_, n, flags, _, err := r.conn.ReadMsgUnix(one[:], oob)
		if err != nil {
			return err
		}
		if flags&unix.MSG_CTRUNC != 0 {
			return errors.New("descriptors were lost: is the limit of open files too low (LimitNOFILE)?")
		}
		list, err := unix.ParseSocketControlMessage(oob[:n])
		if err != nil || len(list) != 1 {
			return fmt.Errorf("%d descriptors came of %d: %w", len(m.fds), m.FDs, errors.Join(err, io.ErrUnexpectedEOF))
		}
		fds, err := unix.ParseUnixRights(&list[0])
		if err != nil {
			return err
		}
		m.fds = append(m.fds, fds...)
	}
	return nil
}
