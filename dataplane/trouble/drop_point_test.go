package trouble

import (
	"strings"
	"testing"
	"time"

	"uelink/dataplane/frame"
	"uelink/dataplane/model"
)

// port returns the facts about an interface of a role, without a drop.
func port(role model.Role) *Drops {
	s := &model.PortSettings{Name: "p", Interface: "eth1", Role: role}
	if role == model.RoleLink {
		s.LLR = model.LLRSettings{Mode: model.LLRStatic, Local: true, Remote: true}
	}
	return &Drops{Settings: s, Interface: "eth1", MTU: 1500, Pieces: 1, Bound: 512}
}

// noon is the time of day of tick 0.
var noon = time.Date(2030, 1, 2, 12, 0, 0, 0, time.UTC)

// at returns the time of day of a tick.
func at(tick int) time.Time { return noon.Add(time.Duration(tick) * Tick) }

// Each kind of drop names itself, its cause and its cure, and is over when no frame is dropped any more.
func TestEachDropPointSaysCauseAndCure(t *testing.T) {
	const link, edge = model.RoleLink, model.RoleEdge
	for _, c := range []struct {
		name   string
		role   model.Role
		kernel frame.Stats
		device model.DeviceCounters
		kind   Kind
		parts  []string
	}{
		{"ring of a link", link, frame.Stats{RxRingFull: 1}, model.DeviceCounters{}, RxRing,
			[]string{"(rx_ring_full); LLR sends them again", "raise rx_ring_size, lower max_outstanding_frames"}},
		{"ring of an edge", edge, frame.Stats{RxRingFull: 1}, model.DeviceCounters{}, RxRing,
			[]string{"(rx_ring_full):", "raise rx_ring_size, bound the window of TCP"}},
		{"no chunk", edge, frame.Stats{RxDropped: 1, RxFillRingEmpty: 1}, model.DeviceCounters{}, NoChunk,
			[]string{"no chunk is free (rx_dropped):", "raise rx_ring_size and ring_size"}},
		{"more than is forwarded", edge, frame.Stats{RxDropped: 1, RxFillRingEmpty: 1, RxQueueBounded: 1},
			model.DeviceCounters{}, NoChunk,
			[]string{"(rx_dropped): more arrive than the daemon forwards", "no more than 512", "push_back: on"}},
		{"longer than a chunk", link, frame.Stats{RxDropped: 1}, model.DeviceCounters{}, NoChunk,
			[]string{"longer than the MTU of 1500", "(rx_dropped)", "raise the MTU of eth1"}},
		{"too many pieces", edge, frame.Stats{JoinDrops: frame.JoinDrops{RxPiecesTooLong: 1}}, model.DeviceCounters{}, Pieces,
			[]string{"longer than the MTU of 1500", "(rx_pieces_too_long)", "type at the host: ethtool -K IF tso off gso off"}},
		{"no place", edge, frame.Stats{JoinDrops: frame.JoinDrops{RxPiecesNoPlace: 1}}, model.DeviceCounters{}, NoPlace,
			[]string{"(rx_pieces_no_place): raise rx_ring_size"}},
		{"missed", edge, frame.Stats{}, model.DeviceCounters{RxMissed: 1}, Missed,
			[]string{"(rx_missed):", "ethtool -G eth1 rx N"}},
		{"super-frames without room", edge, frame.Stats{SuperCounts: frame.SuperCounts{RxSuperNoRoom: 1}},
			model.DeviceCounters{}, SuperRoom, []string{"(rx_super_no_room):", "set offload: off and push_back: on"}},
		{"malformed super-frames", edge, frame.Stats{SuperCounts: frame.SuperCounts{RxSuperMalformed: 1}},
			model.DeviceCounters{}, SuperLost, []string{"rx_super_malformed", "set offload: off"}},
		{"refused super-frames", edge, frame.Stats{SuperCounts: frame.SuperCounts{TxSuperRefused: 1}},
			model.DeviceCounters{}, SuperLost, []string{"tx_super_refused)", "the same MTU"}},
		{"driver", link, frame.Stats{}, model.DeviceCounters{TxErrors: 1}, Driver,
			[]string{"(tx_errors, tx_dropped); LLR", "ip -s link show dev eth1", "ethtool -G eth1 tx N"}},
		{"driver has no room", edge, frame.Stats{}, model.DeviceCounters{TxDropped: 1}, Driver,
			[]string{"(tx_errors, tx_dropped):"}},
		{"descriptors", edge, frame.Stats{TxInvalidDescs: 1}, model.DeviceCounters{}, Descriptors,
			[]string{"tx_invalid_descs", "uelink support"}},
		{"chunks", edge, frame.Stats{RxInvalidDescs: 1}, model.DeviceCounters{}, Descriptors,
			[]string{"rx_invalid_descs", "uelink support"}},
		{"host's end", edge, frame.Stats{}, model.DeviceCounters{HostTxDropped: 1}, HostTx,
			[]string{"(host_tx_dropped): a veth holds 256", "set push_back: on for the edge"}},
		{"queueing discipline", edge, frame.Stats{}, model.DeviceCounters{HostQdiscDropped: 1}, HostQdisc,
			[]string{"(host_qdisc_dropped): it has too little room for all senders"}},
		{"longer than a veth takes", edge, frame.Stats{}, model.DeviceCounters{RxTooLong: 1}, TooLong,
			[]string{"longer than the MTU of eth1, 1500", "(rx_too_long)", "ip link set dev eth1 mtu N"}},
	} {
		var m Monitor
		f := port(c.role)
		m.SkipDrops(&f.Counters)
		f.Stats, f.DeviceCounters = c.kernel, c.device
		m.CheckDrops(f, 1, at(1))
		begun := m.Take()
		if len(begun) != 1 || begun[0].Notice != model.NoNotice || begun[0].Text != m.Text(c.kind) {
			t.Errorf("%s: the events are %q, the trouble is %q", c.name, begun, m.Text(c.kind))
		}
		for _, part := range c.parts {
			if !strings.Contains(m.Texts(), part) {
				t.Errorf("%s: %q does not say %q", c.name, m.Texts(), part)
			}
		}
		m.CheckDrops(f, 2+DropsQuiet, at(2+DropsQuiet))
		over := m.Take()
		if len(over) != 1 || over[0] != (Event{model.NoticeEnded, "frames are no longer dropped; 1 were dropped"}) ||
			m.Texts() != "" {
			t.Errorf("%s: after the last drop the events are %q, and the trouble is %q", c.name, over, m.Texts())
		}
	}
}

// Frames dropped before the interface was attached are no trouble.
func TestFormerDropsAreNoTrouble(t *testing.T) {
	var m Monitor
	f := port(model.RoleEdge)
	f.RxRingFull = 9
	m.SkipDrops(&f.Counters)
	if m.CheckDrops(f, 1, at(1)); m.Texts() != "" || len(m.Take()) > 0 {
		t.Errorf("%q", m.Texts())
	}
}

// While no frame is dropped, the text says when the last one was; it is the former text again when frames are dropped.
func TestDropsSayWhenTheLastWas(t *testing.T) {
	var m Monitor
	f := port(model.RoleEdge)
	for _, c := range []struct {
		tick  int
		drops uint64
		end   string // of the text
	}{
		{1, 1, "or give the daemon a core"},
		{DropsPause, 1, "or give the daemon a core"},
		{1 + DropsPause, 1, "; none is dropped now, the last was at 12:00:00"},
		{DropsQuiet, 1, "; none is dropped now, the last was at 12:00:00"},
		{1 + DropsQuiet, 2, "or give the daemon a core"},
		{1 + DropsQuiet + DropsPause, 2, "; none is dropped now, the last was at 12:00:10"},
	} {
		f.RxRingFull = c.drops
		m.CheckDrops(f, c.tick, at(c.tick))
		if text := m.Text(RxRing); !strings.HasSuffix(text, c.end) {
			t.Errorf("tick %d: %q does not end with %q", c.tick, text, c.end)
		}
	}
	if events := m.Take(); len(events) != 1 {
		t.Errorf("%q: one event for one trouble", events)
	}
}

// Drops of frames too long are over when the MTU is raised, also those that are counted a moment later. Later ones
// begin again.
func TestRaisedMTUEndsDropsByLength(t *testing.T) {
	var m Monitor
	f := port(model.RoleEdge)
	f.Host = HostEnd{Seen: true, Name: "ha", MTU: 1500}
	m.SkipDrops(&f.Counters)
	drop := func(tick int) string {
		f.RxTooLong++
		m.CheckDrops(f, tick, at(tick))
		return m.Text(TooLong)
	}
	if text := drop(1); !strings.Contains(text, "longer than 1500 octets") || !strings.Contains(text, "mtu 1504") {
		t.Fatalf("%q", text)
	}
	m.Take()
	f.MTU += 100
	for tick := range lateDrops {
		if text := drop(2 + tick); text != "" {
			t.Errorf("%d ticks after the MTU was raised: %q", tick, text)
		}
	}
	want := Event{model.NoticeEnded, "frames fit the MTU, now 1600, and are no longer dropped; 2 were dropped"}
	if events := m.Take(); len(events) != 1 || events[0] != want {
		t.Errorf("the events are %q, want %q", events, want)
	}
	if text := drop(2 + lateDrops); text == "" {
		t.Error("frames are dropped again, and nothing says so")
	}
}

// The texts for the host's end name the cause among several.
func TestCausesAtTheHostsEnd(t *testing.T) {
	for part, change := range map[string]func(f *Drops){
		"has no carrier (link_loss: forward)": func(f *Drops) { f.NoCarrier = true },
		"while push_back changed":             func(f *Drops) { f.PushChanged = true },
		"ha drops frames of the host":         func(*Drops) {},
	} {
		f := port(model.RoleEdge)
		f.Host = HostEnd{Seen: true, Name: "ha", Qdisc: "pfifo", MTU: 1500}
		if change(f); !strings.Contains(hostTxText(f), part) {
			t.Errorf("%q does not say %q", hostTxText(f), part)
		}
	}
	for part, change := range map[string]func(f *Drops){
		"before push_back removed the queueing discipline": func(f *Drops) { f.PushChanged = true },
		"somebody has raised the MTU of ha":                func(f *Drops) { f.Host.MTU = 2000 },
		"the host's end of the veth, pfifo, drops frames":  func(*Drops) {},
	} {
		f := port(model.RoleEdge)
		f.Host = HostEnd{Seen: true, Name: "ha", Qdisc: "pfifo", MTU: 1500}
		if change(f); !strings.Contains(qdiscText(f), part) {
			t.Errorf("%q does not say %q", qdiscText(f), part)
		}
	}
}

// Dropped frames are sent again only where LLR is on in their direction.
func TestDropsOfALinkWithLLRInOneDirection(t *testing.T) {
	const repeat = "LLR sends them again"
	for _, c := range []struct {
		name          string
		llr           model.LLRSettings
		received, out bool
	}{
		{"both", model.LLRSettings{Mode: model.LLRStatic, Local: true, Remote: true}, true, true},
		{"received only", model.LLRSettings{Mode: model.LLRStatic, Local: true}, true, false},
		{"sent only", model.LLRSettings{Mode: model.LLRStatic, Remote: true}, false, true},
		{"neither", model.LLRSettings{Mode: model.LLRStatic}, false, false},
		{"off", model.LLRSettings{Local: true, Remote: true}, false, false},
	} {
		f := &Drops{Settings: &model.PortSettings{Role: model.RoleLink, LLR: c.llr}}
		if text := ringText(f); strings.Contains(text, repeat) != c.received {
			t.Errorf("%s: %q", c.name, text)
		}
		if text := driverText(f); strings.Contains(text, repeat) != c.out {
			t.Errorf("%s: %q", c.name, text)
		}
	}
}

// Full frames with two VLAN tags are longer than a veth of the same MTU takes, and the text says how they cross.
func TestCauseOfFramesTooLong(t *testing.T) {
	f := port(model.RoleEdge)
	for mtu, want := range map[int]string{
		9000: "longer than the MTU of eth1, 1500",
		1500: "two tags need an MTU larger by 4, at the edge's end alone: ip link set dev eth1 mtu 1504, or lower",
		1496: "longer than 1500 octets and a VLAN tag, and the kernel drops them at eth1 (rx_too_long): lower the MTU of",
	} {
		f.Host = HostEnd{Seen: true, Name: "ha", MTU: mtu}
		if text := tooLongText(f); !strings.Contains(text, want) {
			t.Errorf("MTU %d of the host: %q", mtu, text)
		}
	}
}
