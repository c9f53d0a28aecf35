package netdev

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// NAPI is a NAPI instance: the kernel's poller of an RX queue. The instance of a veth goes when the interface goes
// down, or loses its XDP program, and its settings with it.
type NAPI struct {
	ID      int
	Defer   int           // napi_defer_hard_irqs: polls without a frame before the interrupt is unmasked
	Timeout time.Duration // gro_flush_timeout: after this time the kernel polls by itself
}

// ErrNoNAPI is the error when the kernel has no commands for NAPI instances (before Linux 6.13).
var ErrNoNAPI = errors.New("the kernel does not show or set NAPI instances: this needs Linux 6.13")

// Commands and attributes of linux/netdev.h.
const (
	cmdNAPIGet = 11
	cmdNAPISet = 14

	napiID      = 2
	napiDefer   = 5
	napiTimeout = 6
)

// GetNAPI returns the NAPI instance with an ID, in the network namespace of the calling thread. Errors: ErrNoNAPI;
// fs.ErrNotExist if the instance has gone, or its interface is down.
func GetNAPI(id int) (n NAPI, err error) {
	request, err := napiRequest(cmdNAPIGet, 0)
	if err != nil {
		return n, err
	}
	request.AddData(nl.NewRtAttr(napiID, nl.Uint32Attr(uint32(id))))
	answers, err := request.Execute(unix.NETLINK_GENERIC, 0)
	if err != nil {
		return n, napiError(fmt.Sprintf("read the NAPI instance %d (netdev napi-get)", id), err)
	}
	if len(answers) != 1 || len(answers[0]) < nl.SizeofGenlmsg {
		return n, fmt.Errorf("read the NAPI instance %d: got %d answers, want 1", id, len(answers))
	}
	return parseNAPI(answers[0][nl.SizeofGenlmsg:])
}

// SetNAPI sets Defer and Timeout of the NAPI instance with the ID of n. Errors: ErrNoNAPI; fs.ErrPermission.
func SetNAPI(n NAPI) error {
	request, err := napiRequest(cmdNAPISet, unix.NLM_F_ACK)
	if err != nil {
		return err
	}
	request.AddData(nl.NewRtAttr(napiID, nl.Uint32Attr(uint32(n.ID))))
	request.AddData(nl.NewRtAttr(napiDefer, nl.Uint32Attr(uint32(n.Defer))))
	request.AddData(nl.NewRtAttr(napiTimeout, nl.Uint32Attr(uint32(n.Timeout.Nanoseconds()))))
	if _, err := request.Execute(unix.NETLINK_GENERIC, 0); err != nil {
		return napiError(fmt.Sprintf("set the NAPI instance %d (netdev napi-set)", n.ID), err)
	}
	return nil
}

// napiRequest returns a netlink request for a command of the generic netlink family netdev.
func napiRequest(command uint8, flags int) (*nl.NetlinkRequest, error) {
	number, err := familyNumber()
	if errors.Is(err, unix.ENOENT) {
		return nil, ErrNoNAPI
	}
	if err != nil {
		return nil, err
	}
	request := nl.NewNetlinkRequest(number, flags)
	request.AddData(header{command, version})
	return request, nil
}

// napiError wraps the error of a netlink command about NAPI instances with the action that failed. EOPNOTSUPP becomes
// an error that this kernel lacks the command.
func napiError(action string, err error) error {
	if errors.Is(err, unix.EOPNOTSUPP) {
		return ErrNoNAPI
	}
	return fmt.Errorf("%s: %w", action, err)
}

// parseNAPI parses the netlink attributes of a response to netdev-genl napi-get, and returns the NAPI instance's ID
// and its settings.
func parseNAPI(attributes []byte) (n NAPI, err error) {
	all, err := nl.ParseRouteAttr(attributes)
	if err != nil {
		return n, fmt.Errorf("parse the kernel's answer to netdev napi-get: %w", err)
	}
	for _, a := range all {
		value := uint64(0)
		switch len(a.Value) {
		case 4:
			value = uint64(binary.NativeEndian.Uint32(a.Value))
		case 8:
			value = binary.NativeEndian.Uint64(a.Value)
		}
		switch a.Attr.Type {
		case napiID:
			n.ID = int(value)
		case napiDefer:
			n.Defer = int(value)
		case napiTimeout:
			n.Timeout = time.Duration(value)
		}
	}
	return n, nil
}
