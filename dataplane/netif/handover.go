package netif

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
	"go.uber.org/zap"

	"uelink/bpf"
	"uelink/dataplane/attach"
	"uelink/dataplane/xsk"
)

// Handed describes an owned and attached interface for the process that adopts it.
type Handed struct {
	Interface string
	Index     int
	MAC       []byte
	Mode      attach.Mode
	Transmits bool       // the program can send live frames
	Config    bpf.Config // of the program
	Sockets   []xsk.Handed
	Opener    attach.Opener
	Bind      attach.Bind
	Why       string // reason for the choice of opener and bind mode

	File        bool // the descriptor of a locked record file is among those handed over
	Promiscuous bool // also that of the socket for promiscuous mode
	Groups      bool // also that of the socket for multicast groups
}

// FDs returns how many file descriptors belong to the handed-over interface: those of its program, sockets, record
// file and address memberships.
func (h *Handed) FDs() int {
	n := bpf.ProgramFDs
	for i := range h.Sockets {
		n += h.Sockets[i].FDs()
	}
	for _, more := range []bool{h.File, h.Promiscuous, h.Groups} {
		if more {
			n++
		}
	}
	return n
}

// CanHandOver returns nil if the interface can be handed over to another process, else an error with the reason.
func (i *Interface) CanHandOver() error {
	if _, ok := i.attachment.program.(*bpf.Program); !ok {
		return fmt.Errorf("%s has no XDP program of this daemon", i.name())
	}
	for _, s := range i.attachment.sockets {
		if err := s.CanHandOver(); err != nil {
			return fmt.Errorf("%s: %w", i.name(), err)
		}
	}
	return nil
}

// HandOver returns a description of the interface for another process, and the file descriptors of its program,
// sockets, locked record file, and memberships (promiscuous mode, groups). This process still owns and closes them.
func (i *Interface) HandOver() (h Handed, fds []int, err error) {
	p, choice := i.attachment.program.(*bpf.Program), &i.attachment.choice
	h = Handed{
		Interface: i.name(), Index: i.index, MAC: i.link.Attrs().HardwareAddr, Mode: p.Mode(),
		Transmits: p.Transmits(), Config: p.Config(), Opener: choice.Opener, Bind: choice.Bind, Why: choice.Why,
		File: i.file != nil, Promiscuous: i.promiscuous != nil, Groups: i.groups != nil,
	}
	if fds, err = p.Descriptors(); err != nil {
		return h, nil, err
	}
	for _, s := range i.attachment.sockets {
		saved, theirs := s.HandOver()
		h.Sockets = append(h.Sockets, saved)
		fds = append(fds, theirs...)
	}
	if i.file != nil {
		fds = append(fds, int(i.file.Fd()))
	}
	for _, m := range []*membership{i.promiscuous, i.groups} {
		if m != nil {
			fds = append(fds, m.fd)
		}
	}
	return h, fds, nil
}

// Adopt returns an interface that another process hands over, attached as before, by its description h and file
// descriptors fds. The interface closes the descriptors. After an error the interface must not be released, because
// the other process still has it.
func (r *Records) Adopt(h Handed, fds []int, log *zap.Logger) (*Interface, error) {
	if len(fds) != h.FDs() {
		return nil, fmt.Errorf("%s: adopt the interface: %d descriptors, %d are wanted", h.Interface, len(fds), h.FDs())
	}
	nl, err := netlink.LinkByIndex(h.Index)
	if err != nil {
		return nil, fmt.Errorf("%s: adopt the interface: %w", h.Interface, err)
	}
	i := newInterface(r.changesOf(nl, log), nl)
	i.attachment.choice = Choice{Opener: h.Opener, Bind: h.Bind, Why: h.Why}
	program, err := bpf.AdoptProgram(h.Interface, h.Index, h.Config, h.Mode, h.Transmits, fds[:bpf.ProgramFDs])
	if err != nil {
		return nil, err
	}
	i.attachment.program, fds = program, fds[bpf.ProgramFDs:]
	for _, saved := range h.Sockets {
		s, err := xsk.Adopt(h.Interface, h.Index, saved, fds[:saved.FDs()])
		if err != nil {
			return nil, err
		}
		if t := s.Transmitter(); t != nil {
			if err := errors.Join(program.AdoptTransmit(t, saved.Blank), r.sharing.Adopt(t)); err != nil {
				return nil, err
			}
		}
		i.attachment.sockets, fds = append(i.attachment.sockets, s), fds[saved.FDs():]
	}
	return i, i.adoptRest(h, fds)
}

// adoptRest takes over, from another process, the record file and the sockets that hold promiscuous mode and
// multicast groups of the interface.
func (i *Interface) adoptRest(h Handed, fds []int) error {
	if h.File {
		if err := i.adopt(fds[0]); err != nil {
			return fmt.Errorf("%s: take over the record of the interface's changes: %w", h.Interface, err)
		}
		fds = fds[1:]
	} else if i.records.dir != "" {
		i.path = i.recordPath()
	}
	if h.Promiscuous {
		i.promiscuous, fds = &membership{fds[0]}, fds[1:]
	}
	if h.Groups {
		i.groups = &membership{fds[0]}
	}
	return nil
}
