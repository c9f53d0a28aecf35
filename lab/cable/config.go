package cable

import (
	"errors"
	"fmt"

	"uelink/dataplane/fault"
	"uelink/dataplane/fault/rule"
)

// Modes of a cable: where the frames cross.
const (
	ModeAuto   = "auto"   // in the kernel if its programs have all the faults, else in user space
	ModeKernel = "kernel" // redirect by XDP or TCX: loss and corruption only
	ModeUser   = "user"   // AF_XDP sockets
)

// Config is a cable: two interfaces and the faults between them, or one interface and the faults of frames arriving
// there. Each direction has the same probabilities of faults, drawn independently.
type Config struct {
	A, B    string // interfaces; B is empty for a cable on one interface
	Peer    string // NETNS:IF, the far end of A, whose arriving frames get faults too; only without B
	Fault   fault.Config
	Mode    string      // "" is ModeAuto
	Rules   []rule.Rule // rules for frames and messages with a fault of their own
	Ruled   bool        // rules may be added after the cable was opened
	Analyze bool        // the wire measures the link
	KeepGSO bool        // hosts behind veths go on sending super-frames; one loss is then a whole super-frame

	DataType, ControlType uint16 // EtherTypes of the link, for the rules; 0: the defaults

	Capture      string // file for the frames, which must not exist; "": none
	CaptureLimit int64  // the file's largest size in octets; 0: DefaultCaptureLimit

	noTCX bool // the cable does not use TCX, as on kernels before Linux 6.6
}

// joins reports whether the cable joins two interfaces.
func (c Config) joins() bool { return c.B != "" }

// name returns the interfaces as in "a to b".
func (c Config) name() string {
	switch {
	case c.joins():
		return c.A + " to " + c.B
	case c.Peer != "":
		return c.A + " and " + c.Peer
	}
	return c.A
}

// leastCapture is the smallest limit of a capture: a long frame and the head of the file.
const leastCapture = 1 << 16

// interfaceAt is an interface in a namespace: path is the namespace's file, "" for the one of the calling thread; name
// is what the user called the interface.
type interfaceAt struct{ name, path, ifname string }

// places returns the interfaces of a valid configuration.
func (c Config) places() []interfaceAt {
	all := []interfaceAt{{c.A, "", c.A}}
	if c.joins() {
		return append(all, interfaceAt{c.B, "", c.B})
	}
	if path, ifname, err := parsePeer(c.Peer); err == nil {
		all = append(all, interfaceAt{c.Peer, path, ifname})
	}
	return all
}

// Validate returns the first error in the configuration.
func (c Config) Validate() error {
	if err := c.validateEnds(); err != nil {
		return err
	}
	if err := c.Fault.Validate(); err != nil {
		return err
	}
	switch c.Mode {
	case "", ModeAuto, ModeUser:
	case ModeKernel:
		if !c.kernelCan() {
			return errors.New("mode kernel can only lose and corrupt: duplicate, reorder, delay, jitter, rate, rules, " +
				"analyze and capture need mode user")
		}
	default:
		return fmt.Errorf("mode %q is none of %s, %s, %s", c.Mode, ModeAuto, ModeKernel, ModeUser)
	}
	return c.validateMode()
}

// validateEnds returns the first error in the names of the interfaces.
func (c Config) validateEnds() error {
	switch {
	case c.A == "":
		return errors.New("name one or two interfaces: two to join, or one whose arriving frames are lost or corrupted")
	case c.A == c.B:
		return fmt.Errorf("both ends are %s: a cable joins two different interfaces", c.A)
	case c.Peer == "":
		return nil
	case c.joins():
		return errors.New("peer is for a cable on one interface: leave out the second interface")
	}
	_, _, err := parsePeer(c.Peer)
	return err
}

// validateMode returns the first error in settings that exclude each other: a queue without a delay, and a cable in
// user space on one interface or with whole super-frames. A capture limit that is too small is an error, too.
func (c Config) validateMode() error {
	user := c.Mode == ModeUser || !c.kernelCan()
	switch {
	case c.CaptureLimit < 0 || c.CaptureLimit > 0 && c.CaptureLimit < leastCapture:
		return fmt.Errorf("capture-limit %d: want at least %d octets", c.CaptureLimit, leastCapture)
	case c.Fault.Queue > 0 && !c.Fault.Stays():
		return errors.New("queue needs a delay, a jitter or a rate (in the words of netem, queue is limit)")
	case user && !c.joins():
		return fmt.Errorf("one interface can only lose and corrupt: for all else put the cable between two interfaces, "+
			"as in: uelink cable %s IF2 --delay 10ms", c.A)
	case user && c.KeepGSO:
		return errors.New("gso keep needs mode kernel: AF_XDP sockets carry no super-frames")
	}
	return nil
}

// kernelCan reports whether the cable can run in the kernel: its programs can only lose and damage frames.
func (c Config) kernelCan() bool {
	f := c.Fault
	return f.Duplicate == 0 && f.Reorder == 0 && !f.Stays() && f.Netem == nil && !c.ruled() && !c.tapped()
}

// tapped reports whether the wire looks at all frames.
func (c Config) tapped() bool { return c.Analyze || c.Capture != "" }

// ruled reports whether the cable has rules, or may have.
func (c Config) ruled() bool { return c.Ruled || len(c.Rules) > 0 }

// mode returns where the frames cross: ModeKernel if the programs have all configured faults and ModeUser is not asked
// for, else ModeUser. plain is the name of a veth whose other end runs no XDP program, "" for none. The stack behind
// such a veth leaves checksums unfinished, and the receiving stack does not check unfinished checksums: so frames to be
// damaged need mode user, which finishes the checksums first.
func (c Config) mode(plain string) string {
	kernelOnly := c.Mode == ModeKernel || !c.joins() || c.KeepGSO // asked for, or not possible in user space
	if c.Mode == ModeUser || !c.kernelCan() || c.Fault.Corrupt > 0 && plain != "" && !kernelOnly {
		return ModeUser
	}
	return ModeKernel
}
