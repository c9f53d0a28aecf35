package dataplane

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/vishvananda/netlink"

	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/pcap"
	"uelink/dataplane/place"
)

// foresee returns an error if this host cannot follow new settings. It only looks up and changes nothing: a reload
// refused here costs no frame.
func (d *Dataplane) foresee(s Settings) error {
	if err := everyPortConnected(s); err != nil {
		return err
	}
	if err := s.checkLimits(&d.settings, InterfaceMTU); err != nil {
		return err
	}
	uses, err := netif.AllUses()
	if err != nil {
		return privilegeError("%w", err)
	}
	for i := range s.Ports {
		if err := d.foreseePort(s, s.Ports[i], &uses); err != nil {
			return err
		}
	}
	return d.foreseeMemory(s)
}

// foreseePort returns an error if the interface of port p, its capture or its bookmark cannot follow the new settings
// s. uses is the host's use of all interfaces. For an absent interface that the data plane waits for it returns nil.
func (d *Dataplane) foreseePort(s Settings, p model.PortSettings, uses *netif.Uses) error {
	if err := d.foreseePlace(&p); err != nil {
		return err
	}
	holder := d.owner(p.Interface)
	if holder == nil || holder.settings.Capture != p.Capture {
		if err := foreseeCapture(&p); err != nil {
			return err
		}
	}
	if holder == nil {
		wait, err := d.foreseeInterface(&p)
		if wait || err != nil {
			return err
		}
	}
	return foreseeHost(p, s.needOf(&p), holder, uses)
}

// owner returns the port that has the named interface now; nil if no port has it. A port with that name in the
// configuration comes before a port whose attached interface has the name in the kernel.
func (d *Dataplane) owner(ifname string) (found *attachment) {
	index := 0
	if nl, err := netlink.LinkByName(ifname); err == nil {
		index = nl.Attrs().Index
	}
	for _, g := range d.groups {
		for _, a := range g.members {
			switch {
			case a.host == nil:
			case a.settings.Interface == ifname:
				return a
			case a.host.ifindex == index:
				found = a
			}
		}
	}
	return found
}

// foreseeCapture returns an error if the file of a port's capture cannot be created.
func foreseeCapture(p *model.PortSettings) error {
	if p.Capture == "" {
		return nil
	}
	if err := pcap.Check(p.Capture); err != nil {
		return configError("port %s: %w", p.Name, err)
	}
	return nil
}

// foreseeInterface returns an error if an interface that the data plane does not have cannot be attached. wait is
// true for an absent interface that the data plane waits for, or creates.
func (d *Dataplane) foreseeInterface(p *model.PortSettings) (wait bool, err error) {
	if p.Host != nil {
		if err := vethOf(p, d.veths.owner).Check(); err != nil {
			return false, configError("port %s: %w", p.Name, err)
		}
	}
	err = d.records.Check(p.Interface)
	switch {
	case err == nil:
		return false, nil
	case errors.Is(err, netif.ErrNone) && (p.Host != nil || d.awaited[p.Interface]):
		return true, nil
	}
	return false, notOwned(p, err)
}

// notOwned converts the error of taking over an interface to an Error with the exit code of its cause.
func notOwned(s *model.PortSettings, err error) error {
	switch {
	case errors.Is(err, netif.ErrNone):
		return configError("port %s: %w", s.Name, &absentError{s.Interface})
	case errors.Is(err, netif.ErrNoEthernet):
		return configError("port %s: %w", s.Name, err)
	}
	return privilegeError("port %s: take over %w", s.Name, err)
}

// foreseeHost returns an error if an existing interface cannot follow the settings p. need is the MTU that the
// port must have, 0 for any, holder the port that has the interface now. Abilities in use by holder are not checked
// again.
func foreseeHost(p model.PortSettings, need int, holder *attachment, uses *netif.Uses) error {
	find := func() (netlink.Link, error) { return netlink.LinkByName(p.Interface) }
	if holder != nil {
		find = holder.lookUp
	}
	nl, err := find()
	if err != nil {
		return nil // the interface goes away at this moment, and the watch handles that
	}
	p.Interface = nl.Attrs().Name
	h := &host{settings: p, ifindex: nl.Attrs().Index, mtu: nl.Attrs().MTU, use: uses.Find(nl.Attrs().Index)}
	var old model.PortSettings
	if holder != nil {
		old = holder.settings
	}
	if holder == nil || old.Bind != p.Bind || old.AllowZeroCopy != p.AllowZeroCopy {
		if err := h.refuseZeroCopy(); err != nil {
			return err
		}
	}
	h.settings = p.AdaptTo(h.use)
	if holder == nil || old.XDP != p.XDP || old.Bind != p.Bind {
		if err := h.foreseeDriver(); err != nil {
			return err
		}
	}
	if holder == nil || old.ChunkSize != p.ChunkSize {
		if err := h.chooseChunk(need); err != nil {
			return err
		}
	}
	if need > h.mtu && p.MTU == model.MTUCheck && (holder == nil || old.MTU != p.MTU) {
		return h.tooSmall(need)
	}
	sockets := netif.Sockets{Queues: p.Queues, TxQueue: p.TxQueue}
	if _, err := sockets.NumbersOn(p.Interface); errors.Is(err, netif.ErrQueues) {
		return h.denied(err)
	}
	return nil
}

// needOf returns the MTU, in octets, that a port needs by its settings and by the MTUs of the existing edges
// joined to it; 0 if any MTU will do.
func (s *Settings) needOf(p *model.PortSettings) (mtu int) {
	if p.Role != model.RoleLink {
		return 0
	}
	for _, name := range s.JoinedTo(p.Name) {
		if e := s.port(name); e.Role == model.RoleEdge && e.Host == nil {
			if edge := InterfaceMTU(e.Interface); edge > 0 {
				mtu = max(mtu, edge+p.Overhead())
			}
		}
	}
	return mtu
}

// memoryFile is the kernel's file with the state of its memory.
var memoryFile = "/proc/meminfo"

// availableMemory returns how many octets the host can give without swapping; ok is false if /proc/meminfo does
// not say.
func availableMemory() (octets int, ok bool) {
	text, err := os.ReadFile(memoryFile)
	if err != nil {
		return 0, false
	}
	_, line, _ := strings.Cut(string(text), "MemAvailable:")
	n, err := fmt.Sscanf(line, "%d kB", &octets)
	return octets << 10, n == 1 && err == nil
}

// foreseeMemory returns an error if the sockets of the settings need more memory than the host has free, counting
// the memory of the present sockets as free.
func (d *Dataplane) foreseeMemory(s Settings) error {
	have, ok := availableMemory()
	more := s.memory() - d.settings.memory()
	if !ok || more <= have {
		return nil
	}
	return configError("the sockets of the ports need %d MB of memory more, and the host has %d MB: lower ring_size, "+
		"rx_ring_size or limits of credits", more>>20, have>>20)
}

// memory returns the octets of memory that the sockets of all ports need, counted with one RX queue each.
func (s *Settings) memory() (octets int) {
	for i := range s.Ports {
		p := &s.Ports[i]
		mtu := max(s.needOf(p), InterfaceMTU(p.Interface))
		slots, chunks := roomFor(p, s.Profiles[p.LLR.Profile])
		g := p.Geometry(slots, chunks)
		if g.ChunkSize = p.ChunkSize; g.ChunkSize == 0 {
			g.ChunkSize = netif.ChunkFor(mtu)
		}
		g = p.InPieces(g, netif.PiecesFor(mtu, g.ChunkSize))
		octets += g.Size()
	}
	return octets
}

// foreseePlace returns an error if the bookmark of a new link has no room.
func (d *Dataplane) foreseePlace(s *model.PortSettings) error {
	if d.shelf == nil || s.Role != model.RoleLink || s.Protocol != model.LLR {
		return nil
	}
	if _, a := d.find(s.Name); a != nil && a.settings.Interface == s.Interface {
		return nil // the link has its bookmark already, or works without one
	}
	p, err := place.OpenFor(d.shelf, s.Name, s.Interface)
	switch {
	case diskFull(err):
		return privilegeError("port %s: %w: make room there, then reload", s.Name, err)
	case err != nil:
		return nil // the link goes on without a bookmark, as after a start
	}
	return p.Close()
}
