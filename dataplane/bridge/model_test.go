package bridge

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"uelink/wire"
)

// model is the bridge in the plainest way: Go maps, and each rule said once more.
type model struct {
	settings Settings
	ports    map[int]*modelPort
	table    map[Address]modelEntry
	bouts    map[uint64]*modelBout // by the place that addresses share
	place    func(Address) uint64
	full     bool
	counters Counters
	events   []Event // without a limit
}

type modelPort struct {
	PortSettings
	blocked bool
	until   wire.Time
	limits  map[Class]*modelLimit
	taken   map[Class]uint64
	drops   map[Reason]uint64
	blocks  uint64
}

type modelEntry struct {
	port   int
	static bool
	seen   wire.Time
}

type modelLimit struct {
	rate, left int64 // tokens a second; billionths
	last       wire.Time
}

type modelBout struct {
	address     Address
	began, last wire.Time
	ports       [2]int // the second is the later
	moves       int
	stray       int
	reported    bool
}

func newModel(s Settings) *model {
	return &model{
		settings: s,
		ports:    map[int]*modelPort{}, table: map[Address]modelEntry{}, bouts: map[uint64]*modelBout{},
	}
}

func (m *model) setPort(n int, s PortSettings) {
	p := m.ports[n]
	if p == nil {
		p = &modelPort{limits: map[Class]*modelLimit{}, taken: map[Class]uint64{}, drops: map[Reason]uint64{}}
		m.ports[n] = p
	}
	for _, a := range p.Static {
		if e := m.table[a]; e.static && e.port == n {
			delete(m.table, a)
		}
	}
	same := p.PVID == s.PVID && slices.Equal(p.Tagged, s.Tagged) && slices.Equal(p.Untagged, s.Untagged)
	p.PortSettings = s
	for class, rate := range map[Class]uint32{Broadcast: s.Broadcast, Unknown: s.Unknown, Multicast: s.Multicast} {
		if l := p.limits[class]; l == nil || l.rate != int64(rate) {
			p.limits[class] = &modelLimit{rate: int64(rate), left: modelBurst(int64(rate))}
		}
	}
	for a, e := range m.table {
		if !same && e.port == n && !e.static && !m.member(n, a.VLAN) {
			delete(m.table, a)
		}
	}
	m.addStatics(n)
	m.room()
}

func (m *model) addStatics(n int) {
	for _, a := range m.ports[n].Static {
		if m.settings.VLANFiltering == (a.VLAN != 0) {
			m.table[a] = modelEntry{port: n, static: true}
		}
	}
}

func (m *model) removePort(n int) {
	delete(m.ports, n)
	maps.DeleteFunc(m.table, func(_ Address, e modelEntry) bool { return e.port == n })
	maps.DeleteFunc(m.bouts, func(_ uint64, o *modelBout) bool { return slices.Contains(o.ports[:], n) })
	m.room()
}

func (m *model) configure(s Settings) {
	changed := s.VLANFiltering != m.settings.VLANFiltering
	m.settings = s
	if changed {
		clear(m.table)
		for _, n := range m.numbers() {
			m.addStatics(n)
		}
	}
	m.room()
	if s.LoopGuard == LoopGuardEvent {
		m.unblock(wire.Never)
	}
}

func (m *model) numbers() []int { return slices.Sorted(maps.Keys(m.ports)) }

func (m *model) member(n int, vlan uint16) bool {
	p := m.ports[n]
	if !m.settings.VLANFiltering {
		return vlan == 0
	}
	return vlan != 0 && (p.PVID == vlan || slices.Contains(p.Tagged, vlan) || slices.Contains(p.Untagged, vlan))
}

func (m *model) untagged(n int, vlan uint16) bool {
	p := m.ports[n]
	return slices.Contains(p.Untagged, vlan) || !slices.Contains(p.Tagged, vlan)
}

func (m *model) fresh(e modelEntry, now wire.Time) bool {
	return e.static || m.settings.Ageing == 0 || now.Sub(e.seen) < m.settings.Ageing
}

func (m *model) learned() (n int) {
	for _, e := range m.table {
		if !e.static {
			n++
		}
	}
	return n
}

// room is the rule of TableFull: told again when an eighth is free, at least one.
func (m *model) room() {
	if most := m.settings.MaxEntries; m.full && m.learned() <= most-max(1, most/8) {
		m.full = false
		m.events = append(m.events, Event{Kind: Room})
	}
}

func (m *model) look(in int, addresses, rest []byte, now wire.Time) Verdict {
	v := Verdict{Out: Flood}
	da, sa := [6]byte(addresses), [6]byte(addresses[6:])
	if m.ports[in] == nil {
		v.Drop = DropPort
		return v
	}
	switch {
	case da == everybody:
		v.Class = Broadcast
	case da[0]&1 != 0:
		v.Class = Multicast
	default:
		v.Class = Unknown
	}
	v.EtherType = binary.BigEndian.Uint16(rest)
	if v.EtherType == 0x8100 && len(rest) >= 6 {
		v.EtherType = binary.BigEndian.Uint16(rest[4:])
	}
	switch {
	case sa[0]&1 != 0 || sa == [6]byte{}:
		v.Drop = DropSource
	case m.keptOnLink(da, v.EtherType):
		v.Drop = DropReserved
	case m.settings.VLANFiltering && !m.readTag(in, rest, &v):
		v.Drop = DropVLAN
	case v.Class == Unknown:
		m.lookUp(in, da, &v, now)
	}
	return v
}

func (m *model) keptOnLink(da [6]byte, etherType uint16) bool {
	if etherType == 0x8808 {
		return true
	}
	if !bytes.Equal(da[:5], []byte{1, 0x80, 0xC2, 0, 0}) || da[5] > 0x0F {
		return false
	}
	return m.settings.Reserved == ReservedFilter || da[5] == 1 || da[5] == 14 || etherType == 0x88CC
}

func (m *model) readTag(in int, rest []byte, v *Verdict) bool {
	tagged := binary.BigEndian.Uint16(rest) == 0x8100
	if tagged && len(rest) < 6 {
		return false
	}
	v.VLAN = m.ports[in].PVID
	if v.Tagged = tagged; tagged {
		v.PCP, v.DEI = rest[2]>>5, rest[2]&0x10 != 0
		v.priority = true
		if vid := binary.BigEndian.Uint16(rest[2:]) & 0xFFF; vid != 0 {
			v.VLAN, v.priority = vid, false
		}
	}
	return m.member(in, v.VLAN)
}

func (m *model) lookUp(in int, da [6]byte, v *Verdict, now wire.Time) {
	e, ok := m.table[Address{da, v.VLAN}]
	if !ok || !m.fresh(e, now) {
		return
	}
	v.Class, v.Out = Unicast, e.port
	switch {
	case e.port == in:
		v.Drop = DropSamePort
	case !m.member(e.port, v.VLAN):
		v.Drop = DropEgressVLAN
	case m.ports[in].Isolated && m.ports[e.port].Isolated:
		v.Drop = DropIsolated
	case m.ports[e.port].blocked:
		v.Drop = DropEgressBlocked
	}
}

// egress returns where a frame leaves, as lab.leave does.
func (m *model) egress(in int, v *Verdict) (list []string) {
	for _, n := range m.numbers() {
		if v.Out != Flood && n != v.Out || n == in || m.ports[in] == nil || !m.member(n, v.VLAN) ||
			m.ports[in].Isolated && m.ports[n].Isolated {
			continue
		}
		if m.ports[n].blocked {
			m.ports[n].drops[DropEgressBlocked]++
			continue
		}
		list = append(list, fmt.Sprint(n)+m.edit(n, v))
	}
	return list
}

func (m *model) edit(n int, v *Verdict) string {
	tci := int(v.PCP)*0x2000 + int(v.VLAN)
	if v.DEI {
		tci += 0x1000
	}
	switch untagged := m.untagged(n, v.VLAN); {
	case !m.settings.VLANFiltering || v.VLAN == 0:
		return ""
	case untagged && v.Tagged:
		return "-"
	case !untagged && !v.Tagged:
		return fmt.Sprintf("+%04X", tci)
	case !untagged && v.priority:
		return fmt.Sprintf("=%04X", tci)
	}
	return ""
}
