package dcbnl

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/ieee"
)

// ErrUnsupported means that an interface's driver cannot be programmed by DCBNL.
var ErrUnsupported = errors.New("the driver has no DCB in the form of this dialect of DCBX")

// ErrDiffers means that a driver took settings without an error, but has others in force.
var ErrDiffers = errors.New("the NIC has other settings than DCBX")

// Settings are the DCB settings of an interface, in one of two forms.
type Settings struct {
	IEEE *IEEE // nil: PG and PFC hold, in the CEE form
	PG   dcbx.PG
	PFC  dcbx.PFC
}

// Equal reports whether the settings are equal.
func (s Settings) Equal(other Settings) bool {
	if s.IEEE == nil || other.IEEE == nil {
		return s == other
	}
	a, b := s.IEEE, other.IEEE
	return a.ETS == b.ETS && a.Recommendation == b.Recommendation && a.PFC == b.PFC && slices.Equal(a.App, b.App)
}

// String returns the settings in short.
func (s Settings) String() string {
	if s.IEEE != nil {
		return "ETS " + s.IEEE.ETS.String() + ", PFC " + flowText(s.IEEE.PFC)
	}
	return "PG " + s.PG.String() + ", PFC " + s.PFC.String()
}

// flowText returns the priorities with PFC as "3,4", or "none".
func flowText(c ieee.PFC) string { return dcbx.PFC{Enable: c.Enable}.String() }

// asker sends a DCBNL message to the kernel and returns the answer.
type asker func(message []byte) ([]byte, error)

// Kernel programs the NICs of the calling thread's network namespace.
type Kernel struct{}

// Apply programs DCB settings into the NIC of an interface whose former settings Read has returned; the thread needs
// CAP_NET_ADMIN. The link may go down for a moment. After an error some of the settings may be in effect and others
// not. The error names the interface and the remedy. It wraps [ErrUnsupported] if no attempt can ever succeed, and
// [ErrDiffers] if the driver took the settings and has others.
// Clauses: DCBX/pg.2.
func (Kernel) Apply(ifname string, s Settings, f *Former) error {
	if ifname == "" || len(ifname) >= unix.IFNAMSIZ {
		return fmt.Errorf("%q is no name of an interface: 1 to %d octets", ifname, unix.IFNAMSIZ-1)
	}
	if err := apply(exchange, ifname, s, f); err != nil {
		return fmt.Errorf("interface %s: %w", ifname, err)
	}
	return nil
}

// step is one command with its attribute.
type step struct {
	command  command
	attr     *nl.RtAttr
	optional bool // the driver may lack the command
}

// steps returns the DCBNL commands, in order, that program the settings in the CEE form. Many drivers have no groups
// for receiving.
func steps(s Settings) []step {
	g := groupsAttr(arrange(s.PG))
	return []step{
		{setState, octet(attrState, 1), false},
		{setGroupsSend, g, false},
		{setGroupsRecv, g, true},
		{setFlowPriority, flowAttr(s.PFC), false},
		{setFlowState, octet(attrFlowState, min(s.PFC.Enable, 1)), true},
		{setAll, octet(attrSetAll, 1), false},
	}
}

// apply sends the messages of the DCBNL commands for the settings, in order, by ask. It stops at the first refusal.
func apply(ask asker, ifname string, s Settings, f *Former) error {
	if s.IEEE != nil {
		return applyIEEE(ask, ifname, s.IEEE, f)
	}
	// Drivers with a single DCBX version lack the mode.
	if err := takeMode(ask, ifname, modeHostCEE); err != nil && !errors.Is(err, unix.EOPNOTSUPP) {
		return err
	}
	for _, step := range steps(s) {
		err := run(ask, ifname, step.command, step.attr)
		if err != nil && !(step.optional && errors.Is(err, unix.EOPNOTSUPP)) {
			return err
		}
	}
	return nil
}

// takeMode makes the host run DCBX in a version. A driver already in the mode is not asked: ice answers a request for
// its present mode with 1, the same answer as while its firmware runs DCBX.
func takeMode(ask asker, ifname string, want uint8) error {
	mode, err := readMode(ask, ifname)
	if err != nil {
		return err
	}
	if len(mode) > 0 {
		switch {
		case mode[0]&modeManaged != 0:
			return fmt.Errorf("%s: %w", getMode, errFirmware)
		case mode[0]&(modeHost|modeCEE|modeIEEE) == want:
			return nil
		}
	}
	return run(ask, ifname, setMode, octet(attrMode, want))
}

// errFirmware means that a NIC's firmware runs DCBX and does not leave it to the host.
var errFirmware = errors.New("the NIC's firmware runs DCBX itself; switch its LLDP agent off, or set dcbnl to off " +
	"for this port")

// run sends one command with its attribute. An error of the kernel and a refusal of the driver are errors.
func run(ask asker, ifname string, c command, attr *nl.RtAttr) error {
	answer, err := ask(message(c, ifname, attr))
	if err == nil {
		err = refused(c, answer)
	} else {
		err = advised(err)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", c, err)
	}
	return nil
}

// exchange sends a DCBNL message to the kernel and returns the answer.
func exchange(message []byte) ([]byte, error) {
	kind := unix.RTM_SETDCB
	if command(message[1]).reads() {
		kind = unix.RTM_GETDCB
	}
	request := nl.NewNetlinkRequest(kind, 0)
	request.AddRawData(message)
	answers, err := request.Execute(unix.NETLINK_ROUTE, uint16(kind))
	if err != nil || len(answers) == 0 {
		return nil, err
	}
	return answers[0], nil
}

// advised adds the remedy to an error of the kernel: a driver without DCB, or a missing capability.
func advised(err error) error {
	switch {
	case errors.Is(err, unix.EOPNOTSUPP):
		return fmt.Errorf("%w (%w): set dcbnl to off for this port, or use a NIC whose driver has DCB", ErrUnsupported, err)
	case errors.Is(err, unix.EPERM):
		return fmt.Errorf("%w: programming a NIC needs CAP_NET_ADMIN", err)
	}
	return err
}

// refused returns an error if the driver's answer refuses a command. The answer is the octet of the
// only attribute after struct dcbmsg. For setAll, 0, 1 and 2 mean success: with a reset, without a
// change, or without a reset. For other commands every value but 0 means refusal.
func refused(c command, answer []byte) error {
	const header = 4 + unix.SizeofRtAttr
	if len(answer) <= header || binary.NativeEndian.Uint16(answer[4:]) <= unix.SizeofRtAttr {
		return nil // no answer octet
	}
	switch code := answer[header]; {
	case c == setMode && code != 0:
		return fmt.Errorf("the driver refuses the command (answer %d): %w", code, errFirmware)
	case c == setAll && code > 2, c != setAll && code != 0:
		return fmt.Errorf("the driver refuses the command (answer %d): the kernel's log may say why", code)
	}
	return nil
}
