package model

import (
	"strings"
	"testing"

	"uelink/dataplane/attach"
)

func TestNoLive(t *testing.T) {
	for _, c := range []struct {
		s      PortSettings
		driver string
		queues int
		want   string // part of it
	}{
		{PortSettings{Role: RoleLink}, "veth", 1, ""},
		{PortSettings{Role: RoleLink}, "veth", 0, ""},
		{PortSettings{Role: RoleLink}, "veth", 2, "several queues"},
		{PortSettings{Role: RoleLink}, "igb", 1, "on veths only"},
		{PortSettings{Role: RoleLink, TxPath: attach.PathLive}, "igb", 1, ""},
		{PortSettings{Role: RoleLink, TxPath: attach.PathLive}, "igb", 4, "several queues"},
		{PortSettings{Role: RoleLink, TxPath: attach.PathAFXDP}, "veth", 1, "af_xdp"},
		{PortSettings{Role: RoleLink, Opener: attach.OpenerAsavie}, "veth", 1, "asavie"},
		{PortSettings{Role: RoleEdge}, "veth", 1, "on links only"},
		{PortSettings{Role: RoleEdge, TxPath: attach.PathLive}, "veth", 1, ""},
	} {
		if got := c.s.NoLive(c.driver, c.queues); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%+v: %q, want %q", c, got, c.want)
		}
	}
}

func TestWantsPushBack(t *testing.T) {
	const others = "push_back: auto is off, because auto changes only veths that the daemon makes"
	const here = "push_back: auto is off here: "
	created := &HostInterface{Name: "uelink0"}
	for _, c := range []struct {
		push   PushBack
		host   *HostInterface
		ring   int
		pieces int
		state  PushState
		reason string // part of it
	}{
		{PushBackAuto, nil, 4096, 1, PushOff, others},
		{PushBackAuto, nil, 128, 1, PushOff, others},
		{PushBackAuto, created, 4096, 1, PushOn, ""},
		{PushBackAuto, created, 128, 1, PushOff, here + "rx_ring_size is less than 256"},
		{PushBackAuto, created, 1024, 5, PushOff, here + "rx_ring_size is less than 1280"},
		{PushBackOff, nil, 4096, 1, PushOff, "push_back: off"},
		{PushBackOff, created, 4096, 1, PushOff, "push_back: off"},
		{PushBackOn, nil, 4096, 1, PushOn, ""},
		{PushBackOn, created, 256, 1, PushOn, ""},
		{PushBackOn, nil, 128, 1, PushLossy, "rx_ring_size is less than 256"},
		{PushBackOn, created, 1024, 5, PushLossy, "rx_ring_size is less than 1280"},
	} {
		s := PortSettings{Role: RoleEdge, PushBack: c.push, RxRingSize: c.ring, Host: c.host}
		state, reason := s.WantsPushBack(c.pieces)
		if state != c.state || !strings.HasPrefix(reason, c.reason) || (reason == "") != (c.reason == "") {
			t.Errorf("%+v: %s %q", c, state, reason)
		}
	}
}

// An edge on a veth takes super-frames unless it pushes back, its frames take several chunks, or settings ask for XDP;
// only offload: on makes a problem of that.
func TestWantsSuper(t *testing.T) {
	created := &HostInterface{Name: "uelink0"}
	for _, c := range []struct {
		driver   string
		pieces   int
		pushes   bool
		settings PortSettings
		state    SuperState // with offload: auto
		reason   string
	}{
		{"veth", 1, true, PortSettings{}, SuperOn, ""},
		{"veth", 1, true, PortSettings{Host: created}, SuperOff, "the edge pushes back"},
		{"veth", 1, false, PortSettings{Host: created}, SuperOn, ""},
		{"veth", 1, true, PortSettings{PushBack: PushBackOn}, SuperOff, "the edge pushes back"},
		{"veth", 1, true, PortSettings{Host: created, PushBack: PushBackOff}, SuperOn, ""},
		{"veth", 5, true, PortSettings{}, SuperOff, "a frame of this MTU takes several chunks"},
		{"veth", 1, true, PortSettings{TxPath: attach.PathLive}, SuperOff, "tx_path: live"},
		{"veth", 1, true, PortSettings{XDP: attach.ModeGeneric}, SuperOff, "xdp: generic"},
		{"ixgbe", 1, true, PortSettings{}, SuperOff, "the interface is no veth"},
		{"tun", 1, true, PortSettings{}, SuperOff, "the interface is no veth"}, // the tap of a virtual machine
	} {
		s := c.settings
		s.Role, s.RxRingSize, s.Offload = RoleEdge, 4096, OffloadAuto
		state, reason := s.WantsSuper(c.driver, c.pieces, c.pushes)
		if state != c.state || !strings.HasPrefix(reason, c.reason) || (reason == "") != (c.reason == "") {
			t.Errorf("%+v: %s %q", c, state, reason)
		}
		if s.Offload = OffloadOn; c.settings.Host == nil && state == SuperOff {
			if state, on := s.WantsSuper(c.driver, c.pieces, c.pushes); state != SuperFailed || on != reason {
				t.Errorf("on: %+v: %s %q", c, state, on)
			}
		}
		s.Offload = OffloadOff
		if state, reason := s.WantsSuper(c.driver, c.pieces, c.pushes); state != SuperOff || reason != "" {
			t.Errorf("off: %+v: %s %q", c, state, reason)
		}
	}
}

// Only push_back: on makes a problem of an edge that cannot push back.
func TestCannotPushBack(t *testing.T) {
	for push, want := range map[PushBack]struct {
		state  PushState
		reason string
	}{
		PushBackOn:   {PushLossy, "it is old"},
		PushBackAuto: {PushOff, "push_back: auto is off here: it is old"},
	} {
		s := PortSettings{Role: RoleEdge, PushBack: push}
		if state, reason := s.CannotPushBack("it is old"); state != want.state || reason != want.reason {
			t.Errorf("%s: %s %q", push, state, reason)
		}
	}
}

// What is auto, on an interface that the host uses and on one that it does not.
func TestBeside(t *testing.T) {
	used := attach.Use{Master: "br0"}
	auto := PortSettings{Role: RoleLink, Native: attach.NativeAuto}
	named := PortSettings{Role: RoleLink, Native: attach.NativeDrop, Offloads: OffloadsOff, Promiscuous: PromiscuousOn,
		Bind: attach.BindZeroCopy}
	edge, copied := PortSettings{Role: RoleEdge}, PortSettings{Role: RoleEdge, Bind: attach.BindCopy}
	for _, c := range []struct {
		name           string
		settings, want PortSettings
		use            attach.Use
	}{
		{"nothing", auto, PortSettings{Role: RoleLink, Native: attach.NativeSocket}, attach.Use{}},
		{"used", auto, PortSettings{Role: RoleLink, Native: attach.NativePass, Offloads: OffloadsLeave, Promiscuous: PromiscuousOff,
			Bind: attach.BindCopy}, used},
		{"named", named, named, used},
		{"edge", edge, edge, used},
		{"edge where the host is reached", edge, copied, attach.Use{DefaultRoute: true}},
	} {
		if got := c.settings.AdaptTo(c.use); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
