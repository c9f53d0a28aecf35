package main

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"uelink/control/api"
)

// relay is the socket between a daemon and its successor. A message is the length of its JSON in four octets, JSON, the
// state of the frame path, and then the descriptors.
type relay struct {
	conn *net.UnixConn

	mu          sync.Mutex
	interrupted bool // expect fails
	committed   bool // interrupt does nothing
}

// message is a word from one process to the other, with its operands.
type message struct {
	Word  string `json:"word"`
	Error string `json:"error,omitempty"` // error of a successor that cannot take over

	Version string `json:"version,omitempty"` // ready, offer: of the sending process
	// ready, offer: the handoverVersion of the sending process; 0: version 1, which does not send its number
	Handover int    `json:"handover,omitempty"`
	Text     string `json:"text,omitempty"`    // offer: the configuration in force
	Ports    []byte `json:"ports,omitempty"`   // offer: interfaces and sockets of the ports, origin of the clock
	SAI      []byte `json:"sai,omitempty"`     // offer: the objects of SAI
	API      int    `json:"api,omitempty"`     // offer: number of descriptors of the control socket, the first in fds
	Metrics  int    `json:"metrics,omitempty"` // offer: number of descriptors of the metrics, the next in fds
	Web      int    `json:"web,omitempty"`     // offer: number of descriptors of the page, the next in fds
	FDs      int    `json:"fds,omitempty"`     // offer: number of descriptors in fds
	Confirm  int64  `json:"confirm,omitempty"` // offer: time for a confirmation of reloads, in nanoseconds
	Cause    string `json:"cause,omitempty"`   // offer: the program of the successor, its digest, and the asking user
	Octets   int    `json:"octets,omitempty"`  // state: the length of State
	LLDP     []byte `json:"lldp,omitempty"`    // state: the LLDP agents
	State    []byte `json:"-"`                 // state: the frame path
	Signal   int    `json:"signal,omitempty"`  // signal: its number

	fds []int
}

// The words of the messages, in the order of sending: the successor sends the first, the daemon the second, and so on
// in turns.
const (
	wordReady   = "ready"   // the successor has read its configuration
	wordOffer   = "offer"   // the daemon offers its interfaces and listeners, and frames go on
	wordMapped  = "mapped"  // the successor has everything but the state
	wordState   = "state"   // the daemon has stopped, and hands its state over
	wordAdopted = "adopted" // the successor has everything, and has not begun
	wordGo      = "go"      // the daemon will not go on
	wordRunning = "running" // the successor moves frames
	wordSignal  = "signal"  // the daemon passes on a signal that came meanwhile
)

// handoverVersion is the version of the words, their order, and their operands. A change that the other process cannot
// follow needs another number; an added field does not.
const handoverVersion = 1

// sameHandover returns an error if m, the first message of the other process, has another handoverVersion.
func sameHandover(m message) error {
	if theirs := max(m.Handover, 1); theirs != handoverVersion {
		return fmt.Errorf("version %s hands over in another way (%d) than version %s (%d): restart the daemon to "+
			"change the version", m.Version, theirs, api.Version(), handoverVersion)
	}
	return nil
}

// sendTimeout is the longest wait for a process that does not read.
const sendTimeout = time.Second

// errInterrupted is the error of a handover that a signal has ended.
var errInterrupted = errors.New("the daemon has got a signal to end")

// Limits of a message.
const (
	messageMax  = 256 << 20
	rightsMax   = 128 // largest number of descriptors sent with one octet of data; the kernel allows 253
	descriptors = 1 << 16
	// relayBuffer is the send buffer of a relay in octets. A state that does not fit is sent in parts, and each part costs
	// a switch to the other process while no frame moves.
	relayBuffer = 16 << 20
)

// newRelay returns the two ends of a new relay, a unix socket between a daemon and its successor: this daemon's end,
// and the successor's as a file.
func newRelay() (*relay, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("make the socket for a successor: %w (is the limit of open files too low: "+
			"LimitNOFILE?)", err)
	}
	// After an error, the buffer stays smaller.
	_ = unix.SetsockoptInt(fds[0], unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, relayBuffer)
	theirs := os.NewFile(uintptr(fds[1]), "successor")
	r, err := relayOf(os.NewFile(uintptr(fds[0]), "relay"))
	if err != nil {
		return nil, nil, errors.Join(err, theirs.Close())
	}
	return r, theirs, nil
}

// relayOf returns a relay over the unix socket f, and closes the file f.
func relayOf(f *os.File) (*relay, error) {
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	u, ok := c.(*net.UnixConn)
	if !ok {
		return nil, errors.Join(errors.New("the socket of the hand-over is no unix socket"), c.Close())
	}
	return &relay{conn: u}, nil
}

// interrupt makes the present call and all later calls of expect fail with errInterrupted. After commit it does
// nothing.
func (r *relay) interrupt() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.committed {
		r.interrupted = true
		_ = r.conn.SetReadDeadline(time.Now()) // an error means that the relay is closed, so that expect fails anyway
	}
}

// commit makes later calls of interrupt do nothing: the handover cannot be broken off any more. It returns
// errInterrupted if interrupt was called earlier.
func (r *relay) commit() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.committed = true
	return r.interruption()
}

// limit sets the time, from now, within which the next message must arrive. It returns errInterrupted after
// interrupt.
func (r *relay) limit(within time.Duration) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.interruption(); err != nil {
		return err
	}
	return r.conn.SetReadDeadline(time.Now().Add(within))
}

// failed returns the error of a failed wait for the message word: errInterrupted after interrupt, else err with the
// name of the awaited message.
func (r *relay) failed(word string, err error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.interruption(); err != nil {
		return err
	}
	return fmt.Errorf("waiting for %q: %w", word, err)
}

// interruption returns errInterrupted if interrupt was called, else nil. The caller holds the lock.
func (r *relay) interruption() error {
	if r.interrupted {
		return errInterrupted
	}
	return nil
}

func (r *relay) close() { _ = r.conn.Close() }

// send sends message m with its file descriptors to the process at the other end of the relay, and fails if that
// process does not read within sendTimeout.
func (r *relay) send(m message) error {
	if err := r.conn.SetWriteDeadline(time.Now().Add(sendTimeout)); err != nil {
		return err
	}
	m.FDs, m.Octets = len(m.fds), len(m.State)
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	all := net.Buffers{binary.BigEndian.AppendUint32(nil, uint32(len(text))), text, m.State}
	if _, err := all.WriteTo(r.conn); err != nil {
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

// expect waits, at most for the time within, for the next message from the process at the other end of the relay, and
// returns it. A message with another word than word, or with an error of the other process, is an error.
func (r *relay) expect(word string, within time.Duration) (m message, err error) {
	if err := r.limit(within); err != nil {
		return m, err
	}
	var length [4]byte
	if _, err := io.ReadFull(r.conn, length[:]); err != nil {
		return m, r.failed(word, err)
	}
	n := binary.BigEndian.Uint32(length[:])
	if n > messageMax {
		return m, fmt.Errorf("the other process has sent a message of %d octets, more than %d", n, messageMax)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r.conn, text); err != nil {
		return m, r.failed(word, err)
	}
	switch err := json.Unmarshal(text, &m); {
	case err != nil:
		return m, err
	case m.Error != "":
		return m, errors.New(m.Error)
	case m.Word != word:
		return m, fmt.Errorf("the other process has sent the message %q instead of %q", m.Word, word)
	case m.FDs < 0 || m.FDs > descriptors:
		return m, fmt.Errorf("the other process announces %d file descriptors, more than %d", m.FDs, descriptors)
	case m.Octets < 0 || m.Octets > messageMax:
		return m, fmt.Errorf("the other process announces a state of %d octets, more than %d", m.Octets, messageMax)
	}
	if err := r.receiveState(&m); err != nil {
		return m, r.failed(word, err)
	}
	return m, r.receiveFDs(&m)
}

// receiveState receives the state of the frame path that follows the JSON of message m, and stores it in m.
func (r *relay) receiveState(m *message) error {
	if m.Octets == 0 {
		return nil
	}
	m.State = make([]byte, m.Octets)
	_, err := io.ReadFull(r.conn, m.State)
	return err
}

// receiveFDs receives the file descriptors behind message m, and stores them in m, closed on exec.
func (r *relay) receiveFDs(m *message) error {
	for len(m.fds) < m.FDs {
		oob := make([]byte, unix.CmsgSpace(4*rightsMax))
		var octet [1]byte
		_, n, flags, _, err := r.conn.ReadMsgUnix(octet[:], oob)
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
