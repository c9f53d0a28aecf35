package path

import (
	"testing"

	"uelink/bpf"
	"uelink/dataplane/netif"
	"uelink/dataplane/xsk"
)

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
