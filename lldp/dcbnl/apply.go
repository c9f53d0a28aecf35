package dcbnl

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"uelink/lldp/dcbx"
)

// ErrUnsupported means that an interface's driver cannot be programmed by DCBNL.
var ErrUnsupported = errors.New("the driver has no DCB in its CEE form")

// Settings are the DCB settings of an interface.
type Settings struct {
	PG  dcbx.PG
	PFC dcbx.PFC
}

// Apply programs DCB settings (PG, PFC) into the NIC of an interface of the calling thread's network namespace;
// the thread needs CAP_NET_ADMIN. The link may go down for a moment. After an error some of the settings may be in
// effect and others not. The error names the interface and the remedy. It wraps [ErrUnsupported] if no attempt can
// ever succeed.
func Apply(ifname string, s Settings) error {
	if ifname == "" || len(ifname) >= unix.IFNAMSIZ {
		return fmt.Errorf("%q is no name of an interface: 1 to %d octets", ifname, unix.IFNAMSIZ-1)
	}
	if err := apply(exchange, ifname, s); err != nil {
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

// steps returns the DCBNL commands, in order, that program the settings. Drivers with a single DCBX version lack
// the mode; many lack groups of receiving.
func steps(s Settings) []step {
	g := groupsAttr(arrange(s.PG))
	return []step{
		{setMode, octet(attrMode, modeHostCEE), true},
		{setState, octet(attrState, 1), false},
		{setGroupsSend, g, false},
		{setGroupsRecv, g, true},
		{setFlowPriority, flowAttr(s.PFC), false},
		{setFlowState, octet(attrFlowState, min(s.PFC.Enable, 1)), true},
		{setAll, octet(attrSetAll, 1), false},
	}
}

// apply sends the messages of the DCBNL commands for the settings, in order, by ask, which returns the driver's
// answer. It stops at the first refusal.
func apply(ask func(message []byte) ([]byte, error), ifname string, s Settings) error {
	for _, step := range steps(s) {
		answer, err := ask(message(step.command, ifname, step.attr))
		if step.optional && errors.Is(err, unix.EOPNOTSUPP) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", step.command, advised(err))
		}
		if err := refused(step.command, answer); err != nil {
			return fmt.Errorf("%s: %w", step.command, err)
		}
	}
	return nil
}

// exchange sends a DCBNL message to the kernel and returns the answer.
func exchange(message []byte) ([]byte, error) {
	request := nl.NewNetlinkRequest(unix.RTM_SETDCB, 0)
	request.AddRawData(message)
	answers, err := request.Execute(unix.NETLINK_ROUTE, unix.RTM_SETDCB)
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
		return fmt.Errorf("the driver refuses (%d): the NIC's firmware runs DCBX itself; switch its LLDP agent off, or set "+
			"dcbnl to off for this port", code)
	case c == setAll && code > 2, c != setAll && code != 0:
		return fmt.Errorf("the driver refuses (%d): the kernel's log may say why", code)
	}
	return nil
}
