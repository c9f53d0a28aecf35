package model

import (
	"strings"
	"testing"

	"uelink/bpf"
	"uelink/dataplane/netif"
	"uelink/dataplane/xsk"
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
		{PortSettings{Role: RoleLink}, "igb", 1, "on a veth alone"},
		{PortSettings{Role: RoleLink, TxPath: xsk.PathLive}, "igb", 1, ""},
		{PortSettings{Role: RoleLink, TxPath: xsk.PathLive}, "igb", 4, "several queues"},
		{PortSettings{Role: RoleLink, TxPath: xsk.PathAFXDP}, "veth", 1, "af_xdp"},
		{PortSettings{Role: RoleLink, Opener: xsk.OpenerAsavie}, "veth", 1, "asavie"},
		{PortSettings{Role: RoleEdge}, "veth", 1, "on links alone"},
		{PortSettings{Role: RoleEdge, TxPath: xsk.PathLive}, "veth", 1, ""},
	} {
		if got := c.s.NoLive(c.driver, c.queues); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%+v: %q, want %q", c, got, c.want)
		}
	}
}

func TestNoPushBack(t *testing.T) {
	for _, c := range []struct {
		push   PushBack
		ring   int
		pieces int
		want   string // part of it
	}{
		{PushBackAuto, 4096, 1, "auto is off"},
		{PushBackOff, 4096, 1, "push_back: off"},
		{PushBackOn, 4096, 1, ""},
		{PushBackOn, 256, 1, ""},
		{PushBackOn, 128, 1, "rx_ring_size is less than 256"},
		{PushBackOn, 1024, 5, "rx_ring_size is less than 1280"},
	} {
		s := PortSettings{Role: RoleEdge, PushBack: c.push, RxRingSize: c.ring}
		if got := s.NoPushBack(c.pieces); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%+v: %q", c, got)
		}
	}
}

// What is auto, on an interface that the host uses and on one that it does not.
func TestBeside(t *testing.T) {
	used := netif.Use{Master: "br0"}
	auto := PortSettings{Role: RoleLink, Native: bpf.NativeAuto}
	named := PortSettings{Role: RoleLink, Native: bpf.NativeDrop, Offloads: OffloadsOff, Promiscuous: PromiscuousOn,
		Bind: xsk.BindZeroCopy}
	edge, copied := PortSettings{Role: RoleEdge}, PortSettings{Role: RoleEdge, Bind: xsk.BindCopy}
	for _, c := range []struct {
		name     string
		is, want PortSettings
		use      netif.Use
	}{
		{"nothing", auto, PortSettings{Role: RoleLink, Native: bpf.NativeSocket}, netif.Use{}},
		{"used", auto, PortSettings{Role: RoleLink, Native: bpf.NativePass, Offloads: OffloadsLeave, Promiscuous: PromiscuousOff,
			Bind: xsk.BindCopy}, used},
		{"named", named, named, used},
		{"edge", edge, edge, used},
		{"edge where the host is reached", edge, copied, netif.Use{DefaultRoute: true}},
	} {
		if got := c.is.Beside(c.use); got != c.want {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
