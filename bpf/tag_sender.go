package bpf

import (
	"errors"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// MostTagged is the longest frame that a TagSender sends, in octets: a page of the kernel, less what the kernel keeps
// before and behind the frame.
const MostTagged = 3600

// TagSender sends frames with a VLAN tag by an interface, with the outer tag beside the frame (tag.c). A veth then
// takes frames that are longer by 4 octets. Each frame costs a system call. Send belongs to one goroutine at a time,
// whose thread is in the network namespace of the interface.
type TagSender struct {
	objects tagObjects
	attr    runAttributes
}

// NewTagSender returns a TagSender for an interface. Frames leave only if the interface inserts VLAN tags itself
// (tx-vlan-hw-insert, tx-vlan-stag-hw-insert). Errors: *PrivilegeError, errors.ErrUnsupported.
func NewTagSender(ifindex int) (*TagSender, error) {
	const doing = "load the XDP program that sends frames with a VLAN tag"
	spec, err := loadTag()
	if err != nil {
		return nil, err
	}
	if err := spec.Variables[tagVarIfindex].Set(uint32(ifindex)); err != nil {
		return nil, fmt.Errorf("%s: %w", doing, err)
	}
	t := &TagSender{}
	if err := spec.LoadAndAssign(&t.objects, nil); err != nil {
		return nil, explain(doing, err)
	}
	t.attr.program = uint32(t.objects.UelinkTag.FD())
	return t, nil
}

// ErrNotSent is returned by Send when the interface has dropped and counted the frame: it is too long.
var ErrNotSent = errors.New("the interface has dropped a frame that was to be sent: it is too long")

// Send sends a frame with at least one VLAN tag, of at most MostTagged octets. After Send the frame is not read any
// more. A veth whose other end does not take the frame counts the frame (tx_dropped): that is ErrNotSent, but on old
// kernels no error.
func (t *TagSender) Send(frame []byte) error {
	a := &t.attr
	a.dataIn, a.dataSizeIn = uint64(uintptr(unsafe.Pointer(unsafe.SliceData(frame)))), uint32(len(frame))
	for range mostCalls {
		a.dataSizeOut = 0 // the kernel has written the last frame's length here, and would take it for the size of dataOut
		switch errno := a.call(); {
		case errno == unix.EINTR, errno == unix.EAGAIN:
		case errno != 0:
			return errno
		case int32(a.retval) > 0:
			return ErrNotSent
		case int32(a.retval) < 0:
			return unix.Errno(-int32(a.retval))
		default:
			return nil
		}
	}
	return unix.EINTR
}

// Close frees the program. A second call does nothing.
func (t *TagSender) Close() error {
	err := t.objects.Close()
	t.objects = tagObjects{}
	return err
}
