package bpf

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/cilium/ebpf"
)

// mostSharing is the most Transmitters with slots of one size that share.
const mostSharing = 1024

// Sharing makes Transmitters share: any Transmitter of the Sharing can send frames of all others with slots of the
// same size, by one system call. Any goroutine may call its methods.
type Sharing struct {
	mu     sync.Mutex
	groups map[int]*sharers // sharers by the octets of a slot
}

// sharers is the Transmitters of one Sharing with slots of one size. The XDP programs know them by number.
type sharers struct {
	ports   *ebpf.Map // the slots of each Transmitter
	devices *ebpf.Map // the interface of each Transmitter
	taken   [mostSharing]bool
}

// Join adds a Transmitter to the Sharing, until Close of the Transmitter. Call Join before Program.Transmit: it
// replaces the XDP program of the Transmitter. After an error the Transmitter sends its own frames alone.
func (s *Sharing) Join(t *Transmitter) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	g, err := s.groupOf(t.slotSize)
	if err != nil {
		return explain("create the BPF maps with which one port can send the live frames of other ports", err)
	}
	number := slices.Index(g.taken[:], false)
	if number < 0 {
		return fmt.Errorf("%d ports share the sending of live frames already, which is the limit: %w", mostSharing,
			errors.ErrUnsupported)
	}
	if err := t.loadAs(g, number); err != nil {
		return explain("load the XDP program that sends live frames of several ports", err)
	}
	g.taken[number] = true
	t.sharing, t.shares = s, g
	return nil
}

// groupOf returns the Transmitters of the Sharing with slots of the given number of octets; for the first it creates
// their maps. The caller holds s.mu.
func (s *Sharing) groupOf(slotSize int) (*sharers, error) {
	if g := s.groups[slotSize]; g != nil {
		return g, nil
	}
	spec, err := transmitSpec(1, slotSize, 0, mostSharing)
	if err != nil {
		return nil, err
	}
	var maps struct {
		Ports   *ebpf.Map `ebpf:"ports"`
		Devices *ebpf.Map `ebpf:"devices"`
	}
	if err := spec.LoadAndAssign(&maps, nil); err != nil {
		return nil, err
	}
	return s.add(slotSize, maps.Ports, maps.Devices), nil
}

// add returns new sharers of slots of the given number of octets. The caller holds s.mu.
func (s *Sharing) add(slotSize int, ports, devices *ebpf.Map) *sharers {
	if s.groups == nil {
		s.groups = map[int]*sharers{}
	}
	g := &sharers{ports: ports, devices: devices}
	s.groups[slotSize] = g
	return g
}

// Adopt adds a Transmitter that was part of a Sharing in another process, and has been handed over to this process,
// under its former number. If the Transmitter was in no Sharing there, or in another one than the Transmitters adopted
// before, it sends its own frames alone, and that is no error.
func (s *Sharing) Adopt(t *Transmitter) error {
	if t.objects.Ports == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	g := s.groups[t.slotSize]
	if g == nil {
		ports, err := t.objects.Ports.Clone()
		if err != nil {
			return fmt.Errorf("take over the BPF maps with which one port can send the live frames of other ports: %w", err)
		}
		devices, err := t.objects.Devices.Clone()
		if err != nil {
			return fmt.Errorf("take over the BPF maps with which one port can send the live frames of other ports: %w",
				errors.Join(err, ports.Close()))
		}
		g = s.add(t.slotSize, ports, devices)
	} else if same, err := sameMap(g.ports, t.objects.Ports); err != nil || !same {
		return err
	}
	if t.number >= mostSharing || g.taken[t.number] {
		return fmt.Errorf("take over the BPF maps with which one port can send the live frames of other ports: "+
			"two ports have number %d", t.number)
	}
	g.taken[t.number] = true
	t.sharing, t.shares = s, g
	return nil
}

// sameMap reports whether two descriptors are of the same map of the kernel.
func sameMap(a, b *ebpf.Map) (bool, error) {
	x, err := a.Info()
	if err != nil {
		return false, err
	}
	y, err := b.Info()
	if err != nil {
		return false, err
	}
	first, _ := x.ID()
	second, ok := y.ID()
	return ok && first == second, nil
}

// loadAs adds the Transmitter to g under the given number: it loads the Transmitter's XDP program again, now with the
// maps of g, and enters the Transmitter's slots into these maps. After an error the earlier program stays.
func (t *Transmitter) loadAs(g *sharers, number int) error {
	spec, err := transmitSpec(t.slots, t.slotSize, number, mostSharing)
	if err != nil {
		return err
	}
	var next transmitObjects
	err = spec.LoadAndAssign(&next, &ebpf.CollectionOptions{MapReplacements: map[string]*ebpf.Map{
		transmitMapRing: t.objects.Ring, transmitMapSlots: t.objects.Slots,
		transmitMapPorts: g.ports, transmitMapDevices: g.devices,
	}})
	if err != nil {
		return err
	}
	key := uint32(number)
	if err := errors.Join(g.devices.Put(key, uint32(t.ifindex)), g.ports.Put(key, next.Slots)); err != nil {
		return errors.Join(err, g.remove(number), next.Close())
	}
	old := t.objects
	t.objects, t.number = next, uint16(number)
	return old.Close()
}

// remove removes the slots and the interface of the Transmitter with this number from the maps. A missing entry is no
// error.
func (g *sharers) remove(number int) (err error) {
	for _, m := range []*ebpf.Map{g.ports, g.devices} {
		// The kernel has removed a deleted interface.
		if failed := m.Delete(uint32(number)); !errors.Is(failed, ebpf.ErrKeyNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// leave removes the Transmitter from the Sharing, if it is in one, and frees its number for another.
func (t *Transmitter) leave() error {
	if t.shares == nil {
		return nil
	}
	t.sharing.mu.Lock()
	defer t.sharing.mu.Unlock()
	g := t.shares
	g.taken[t.number] = false
	t.sharing, t.shares = nil, nil
	return g.remove(int(t.number))
}

// SendsFor reports whether Send can send frames of another Transmitter.
func (t *Transmitter) SendsFor(other *Transmitter) bool {
	return t == other || t.shares != nil && t.shares == other.shares
}

// Number returns the Transmitter's number in its Sharing. ok is false if it shares nothing.
func (t *Transmitter) Number() (number uint16, ok bool) { return t.number, t.shares != nil }
