package trouble

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"uelink/dataplane/attach"
	"uelink/dataplane/model"
)

// A trouble has an event when it begins, when its text changes, and when it ends, and at no other time.
func TestEventsOfATrouble(t *testing.T) {
	var m Monitor
	for i, c := range []struct {
		do     func()
		events []Event
		texts  string
	}{
		{func() { m.End(MTU, "large enough") }, nil, ""},
		{func() { m.Begin(MTU, "too small") }, []Event{{Text: "too small"}}, "too small"},
		{func() { m.Begin(MTU, "too small") }, nil, "too small"},
		{func() { m.Begin(Descriptors, "refused") }, []Event{{Text: "refused"}}, "too small; refused"},
		{func() { m.Begin(MTU, "smaller") }, []Event{{Text: "smaller"}}, "smaller; refused"},
		{func() { m.Set(Descriptors, "") }, nil, "smaller"},
		{func() { m.End(MTU, "large enough") }, []Event{{model.NoticeEnded, "large enough"}}, ""},
		{func() { m.Notify(model.NoticeVeth, "put back") }, []Event{{model.NoticeVeth, "put back"}}, ""},
	} {
		c.do()
		if events := m.Take(); !slices.Equal(events, c.events) || m.Texts() != c.texts {
			t.Errorf("step %d: events %q, texts %q; want %q, %q", i, events, m.Texts(), c.events, c.texts)
		}
	}
}

// Each kind of trouble has a word of its own.
func TestReasons(t *testing.T) {
	words := Reasons()
	for i, w := range words {
		if w == "" || slices.Index(words, w) != i {
			t.Errorf("kind %d has the word %q", i, w)
		}
	}
	var m Monitor
	m.Set(Descriptors, "refused")
	m.Set(MTU, "too small")
	if got := m.Reasons(); !slices.Equal(got, []string{"mtu", "invalid_descriptors"}) {
		t.Errorf("%q", got)
	}
}

// A program that sees nothing is attached again once; if it still sees nothing, that is a trouble until it sees frames.
func TestProgramThatSeesNothing(t *testing.T) {
	var m Monitor
	reattached := 0
	for nic := uint64(0); nic < 2000; nic += 100 {
		if unseen := m.CheckReceive(nic, 0, "eth1"); unseen > 0 {
			m.ReattachedBlind(unseen, nil)
			reattached++
		}
	}
	events := m.Take()
	if reattached != 1 || len(events) != 2 || events[0].Notice != model.NoticeProgram ||
		!strings.Contains(m.Text(Unseen), "ethtool -S eth1") {
		t.Errorf("%d times attached again, events %q", reattached, events)
	}
	m.CheckReceive(2100, 50, "eth1")
	if events := m.Take(); len(events) != 1 || events[0].Notice != model.NoticeEnded {
		t.Errorf("frames are seen again, and the events are %q", events)
	}
}

// What became of a program that somebody detached is a notice, or a trouble that the next success ends.
func TestDetachedProgram(t *testing.T) {
	var m Monitor
	m.ReattachedDetached(errors.New("device busy"))
	if text := m.Text(Program); !strings.HasSuffix(text, "and the XDP program cannot be attached again: device busy") {
		t.Errorf("%q", text)
	}
	m.Take()
	m.ReattachedDetached(nil)
	if events := m.Take(); m.Texts() != "" || len(events) != 1 || events[0].Notice != model.NoticeProgram {
		t.Errorf("%q, events %q", m.Texts(), events)
	}
}

// The cure for frames by queues without a socket is a command where the NIC has one.
func TestCureForFramesWithoutSocket(t *testing.T) {
	c := QueueCommands{Steer: "ethtool -X eth1 weight 1 1", Fewer: "type: ethtool -L eth1 combined 2"}
	unsteered := QueueCommands{Fewer: c.Fewer}
	for _, k := range []struct {
		sockets attach.Queues
		c       QueueCommands
		end     string
	}{
		{attach.FirstQueues(2), c, ": add these RX queues to the key queues, or type: ethtool -X eth1 weight 1 1"},
		{attach.FirstQueues(2), unsteered, ": add these RX queues to the key queues, or type: ethtool -L eth1 combined 2"},
		{attach.QueuesOf([]int{2, 3}), unsteered, "and have the interface use only as many queues (ethtool -L)"},
	} {
		var m Monitor
		m.CheckQueues(make([]uint64, 5), k.sockets)
		if !m.CheckQueues([]uint64{0, 0, 0, 0, 7}, k.sockets) {
			t.Fatal("a frame by queue 4 is not seen")
		}
		m.BeginQueues(5, k.sockets, k.c)
		if text := m.Text(RxQueues); !strings.HasSuffix(text, k.end) || !strings.Contains(text, "have no socket (4)") {
			t.Errorf("%v: %q", k.sockets, text)
		}
		for range quietChecks {
			m.CheckQueues([]uint64{0, 0, 0, 0, 7}, k.sockets)
		}
		if m.Texts() != "" {
			t.Errorf("no frame came for long: %q", m.Texts())
		}
	}
}

// Few changes of the queue of data are no trouble, nor are counters that were cleared.
func TestSpread(t *testing.T) {
	var m Monitor
	for i, c := range []struct {
		changes uint64
		spread  bool
	}{{0, false}, {fewChanges, false}, {2*fewChanges + 1, true}, {3, false}, {3 + fewChanges + 1, true}, {8, false}} {
		if spread := m.CheckSpread(c.changes); spread != c.spread {
			t.Errorf("check %d: %t", i, spread)
		} else if spread {
			m.BeginSpread(SpreadCure{Interface: "eth1", Rules: true, EtherType: 0x88b5, Queue: 2, Fewer: "type: ethtool"})
		}
	}
	events := m.Take()
	if len(events) != 4 || events[1].Text != "the data of the link comes by one RX queue" ||
		!strings.Contains(events[0].Text, "ethtool -N eth1 flow-type ether proto 0x88b5 action 2), or type: ethtool") {
		t.Errorf("%q", events)
	}
}

// A capture ends once, by an error or by its limit, until the settings change.
func TestCaptureEnds(t *testing.T) {
	for part, c := range map[string]CaptureState{
		"the capture has ended after 7 frames, and traffic goes on": {Frames: 7, Err: errors.New("I/O error")},
		"no space: the disk is full: the capture has ended":         {Err: errors.New("no space"), DiskFull: true},
		"the capture has reached its capture_limit after 3 frames":  {Frames: 3, Full: true},
	} {
		var m Monitor
		for range 3 {
			m.CheckCapture(c)
		}
		if events := m.Take(); len(events) != 1 || !strings.Contains(events[0].Text, part) || m.CaptureFull != c.Full {
			t.Errorf("%+v: the events are %q", c, events)
		}
		m.ChangedCapture()
		if m.CheckCapture(CaptureState{}); m.Texts() != "" || len(m.Take()) > 0 {
			t.Errorf("%+v: another capture runs: %q", c, m.Texts())
		}
	}
}

// An edge and its host have the same MTU, but for the VLAN tags of the edge.
func TestHostMTU(t *testing.T) {
	for part, mtu := range map[string]int{
		"drops the host's longer frames (rx_too_long)": 2000,
		"drops longer frames for the host":             1400,
	} {
		var m Monitor
		m.CheckHostMTU("eth1", 1500, HostEnd{Seen: true, Name: "ha", MTU: mtu})
		if text := m.Text(HostMTU); !strings.Contains(text, part) {
			t.Errorf("MTU %d: %q", mtu, text)
		}
		m.CheckHostMTU("eth1", 1500, HostEnd{Seen: true, Name: "ha", MTU: 1492})
		if m.Texts() != "" {
			t.Errorf("the MTU has room for two tags: %q", m.Texts())
		}
	}
}

// An MTU that is too small is a trouble only where the daemon may not raise it; the text says why it may not.
func TestLinkMTU(t *testing.T) {
	for i, c := range []struct {
		l    LinkMTU
		part string // "": no trouble
	}{
		{LinkMTU{MTU: 1500, Need: 1514, Overhead: 14}, ""},
		{LinkMTU{MTU: 1514, Need: 1514, Overhead: 14, Check: true}, ""},
		{LinkMTU{MTU: 1500, Need: 1514, Overhead: 14, Check: true}, "The port has mtu: check, so the MTU stays"},
		{LinkMTU{MTU: 1500, Need: 1514, Overhead: 14, ByHost: true, Use: attach.Use{DefaultRoute: true}},
			"The host uses the interface itself (the default route), so the MTU stays"},
	} {
		var m Monitor
		m.Set(MTU, "former")
		c.l.Interface = "eth1"
		m.CheckLinkMTU(c.l)
		text := m.Text(MTU)
		if c.part == "" && text != "" || !strings.Contains(text, c.part) ||
			c.part != "" && !strings.HasSuffix(text, "ip link set dev eth1 mtu 1514") {
			t.Errorf("case %d: %q", i, text)
		}
	}
}

// Offloads that are on, and an interface that is not promiscuous, are troubles with the command against them.
func TestOffloadsAndPromiscuousMode(t *testing.T) {
	var m Monitor
	on := []string{"tso", "gro"}
	m.CheckOffloads("eth1", on)
	m.CheckPromiscuous("eth1", true, "the port has promiscuous: false")
	if text := m.Texts(); !strings.Contains(text, "type: ethtool -K eth1 gro off tso off;") ||
		!strings.Contains(text, "not in promiscuous mode, because the port has promiscuous: false:") || on[0] != "tso" {
		t.Errorf("%q", text)
	}
	m.Take()
	m.CheckOffloads("eth1", nil)
	m.CheckPromiscuous("eth1", false, "")
	if events := m.Take(); len(events) != 2 || m.Texts() != "" {
		t.Errorf("%q, events %q", m.Texts(), events)
	}
}
