package dcbnl

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"uelink/lldp/dcbx"
)

// ErrUnsupported says that the driver of an interface cannot be programmed by
// DCBNL.
var ErrUnsupported = errors.New("the driver has no DCB in its CEE form")

// Settings are what an interface is to operate by.
type Settings struct {
	PG  dcbx.PG
	PFC dcbx.PFC
}

// Apply programs an interface of the calling thread's network namespace, which
// needs CAP_NET_ADMIN. The link may go down for a moment. After an error some of
// the settings may be in effect and others not. The error names the interface and
// says what to do; it is an [ErrUnsupported] where no attempt will ever succeed.
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
	optional bool // a driver without it is fine
}

// steps are the commands of doc.go, in their order. Drivers that know one DCBX only
// have no mode, many have no groups of receiving.
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

// apply gives each command's message to ask, which returns the answer.
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

// exchange asks the kernel.
func exchange(message []byte) ([]byte, error) {
	request := nl.NewNetlinkRequest(unix.RTM_SETDCB, 0)
	request.AddRawData(message)
	answers, err := request.Execute(unix.NETLINK_ROUTE, unix.RTM_SETDCB)
	if err != nil || len(answers) == 0 {
		return nil, err
	}
	return answers[0], nil
}

// advised adds to an error of the kernel what to do about it.
func advised(err error) error {
	switch {
	case errors.Is(err, unix.EOPNOTSUPP):
		return fmt.Errorf("%w (%w): set dcbnl to off for this port, or use a NIC whose driver has DCB", ErrUnsupported, err)
	case errors.Is(err, unix.EPERM):
		return fmt.Errorf("%w: programming a NIC needs CAP_NET_ADMIN", err)
	}
	return err
}

// refused reads the driver's own answer: the octet of the one attribute behind
// struct dcbmsg. What all settings come to is 0, 1 or 2, with a reset, without a
// change, or without a reset; for the others everything but 0 is a no.
func refused(c command, answer []byte) error {
	const header = 4 + unix.SizeofRtAttr
	if len(answer) <= header || binary.NativeEndian.Uint16(answer[4:]) <= unix.SizeofRtAttr {
		return nil // it says nothing
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
