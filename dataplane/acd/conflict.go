package acd

import (
	"time"

	"uelink/wire"
)

// Conflict is an IPv4 address that hosts at two ports use.
type Conflict struct {
	IP    uint32
	VLAN  uint16 // 0: none
	Hosts [2]Host
}

// Host is a user of an address: the one that has claimed last, or one at another port.
type Host struct {
	MAC  wire.MAC
	Port int
}

// eventEvery is the time between two events of a table at least: forged frames can cause conflicts.
const eventEvery = time.Second

// Conflicts appends the present conflicts to list, the oldest first.
func (t *Table) Conflicts(list []Conflict, now wire.Time) []Conflict {
	for _, at := range t.conflicts[:t.count] {
		if e := &t.slots[at]; e.lasts(now) {
			list = append(list, e.describe())
		}
	}
	return list
}

// Changed reports whether conflicts have begun or ended since the last call.
func (t *Table) Changed() (changed bool) {
	changed, t.changed = t.changed, false
	return changed
}

// Poll ends the conflicts that are over, and returns the next event, if there is one (ok): a conflict that has begun,
// or a reported one that is over. There is at most one event a second. A conflict that is over before it was reported
// makes no event.
func (t *Table) Poll(now wire.Time) (c Conflict, over, ok bool) {
	for i := 0; i < t.count; i++ {
		e := &t.slots[t.conflicts[i]]
		lasts := e.lasts(now)
		if (lasts && e.reported) || (e.reported || lasts) && now < t.eventAt {
			continue
		}
		if c = e.describe(); lasts {
			e.reported = true
		} else {
			ok = e.reported
			t.end(i)
			if i--; !ok {
				continue
			}
		}
		t.eventAt = now.Add(eventEvery)
		return c, !lasts, true
	}
	return Conflict{}, false, false
}

// end removes conflict i, and counts the points of the address from zero again.
func (t *Table) end(i int) {
	e := &t.slots[t.conflicts[i]]
	e.conflict, e.reported, e.points, t.changed = false, false, 0, true
	t.count--
	copy(t.conflicts[i:t.count], t.conflicts[i+1:])
}

// other returns the latest claimant at another port than the port of the last claim; the zero side if there is none.
func (e *entry) other() side {
	for _, s := range e.sides[1:] {
		if s.at != 0 && s.port != e.sides[0].port {
			return s
		}
	}
	return side{}
}

// lasts reports whether hosts at two ports have claimed the address lately.
func (e *entry) lasts(now wire.Time) bool {
	other := e.other()
	return other.at != 0 && now.Sub(other.at) <= Quiet
}

// describe returns the conflict of an entry: the host that has claimed the address last, and the latest at another
// port.
func (e *entry) describe() (c Conflict) {
	c.IP, c.VLAN = uint32(e.key), uint16(e.key>>vlanShift)
	other := e.other()
	if other.at == 0 { // the port of the other claimant has left
		other = e.sides[0]
	}
	c.Hosts = [2]Host{{e.sides[0].mac, int(e.sides[0].port)}, {other.mac, int(other.port)}}
	return c
}

// Address returns the address, with its VLAN if there is one.
func (c *Conflict) Address() string { return addressText(c.IP, c.VLAN) }
