package path

import (
	"strings"
	"time"

	"uelink/dataplane/frame"
	"uelink/wire"
)

// between is a device on the way to another one: a switch, say, that keeps some frames or
// changes them.
type between struct {
	frame.Device
	keeps    func(f []byte) bool    // the frame is not carried on
	changes  func(f []byte) (n int) // in place; how long it is then
	buffered int
}

// Receive hands out what is carried on.
func (b *between) Receive(into []frame.Desc) int {
	n := b.Device.Receive(into)
	if b.keeps == nil && b.changes == nil {
		return n
	}
	area, left := b.Area(), 0
	for i := range n {
		d := into[i]
		f := area[d.Addr : d.Addr+uint64(d.Len)]
		if b.keeps != nil && b.keeps(f) {
			b.buffered++
			b.Recycle([]frame.Desc{d})
			continue
		}
		if b.changes != nil {
			d.Len = uint32(b.changes(f))
		}
		into[left] = d
		left++
	}
	return left
}

// longerThan keeps frames of more than n octets.
func longerThan(n int) func([]byte) bool { return func(f []byte) bool { return len(f) > n } }

// withoutStation takes STATION out of control frames, as if an older uelink had sent them.
func withoutStation(f []byte) int {
	if wire.EtherType(f) != wire.EtherTypeControl {
		return len(f)
	}
	var list [wire.MaxCtlOS]wire.CtlOS
	n, _, fault := wire.ParseControl(f, &list)
	if fault != wire.NoFault {
		return len(f)
	}
	left := list[:0]
	for _, c := range list[:n] {
		if c.Type != wire.StationCtlOS {
			left = append(left, c)
		}
	}
	if len(left) == 0 {
		left = append(left, wire.CtlOS{Type: wire.CFUpdate})
	}
	return wire.PutControl(f, wire.MAC(f[wire.AddrLen:]), wire.EtherTypeControl, left)
}

// both does something with both ends.
func (p *pair) both(do func(e *end)) {
	do(p.a)
	do(p.b)
}

// pass lets time pass.
func (p *pair) pass(d time.Duration) {
	for end := p.now.Add(d); p.now < end; {
		p.round()
	}
}

// reports tells whether an event of that kind has come whose text has that in it.
func (e *end) reports(kind, text string) bool {
	for {
		select {
		case event := <-e.events:
			if event.Kind == kind && strings.Contains(event.Text, text) {
				return true
			}
		default:
			return false
		}
	}
}
