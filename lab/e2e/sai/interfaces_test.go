package sai

import (
	"fmt"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
	"uelink/sai"
)

// The attributes of a port's interface.
const (
	adminState = 0x22
	portMTU    = 0x36
)

// interfaceBecomes waits until an interface has an MTU, and is up or down.
func interfaceBecomes(t *testing.T, ns *netns.NS, name string, mtu int, up bool) {
	t.Helper()
	bed.Eventually(t, fmt.Sprintf("%s has an MTU of %d, up %v", name, mtu, up), func() string {
		l, err := ns.Link(name)
		bed.Must(t, err)
		if now := l.RawFlags&unix.IFF_UP != 0; l.MTU != mtu || now != up {
			return fmt.Sprintf("MTU %d, up %v", l.MTU, now)
		}
		return ""
	})
}

// TestInterfacesAreManaged: with sai: {manage_interfaces: true} MTU and ADMIN_STATE act on the interfaces of a link and
// of an edge, and frames show that; the host's end of the edge stays as it is. Everything is as it was before at the
// end of the daemon, after a kill, and after a reload without the key; an upgrade changes nothing.
func TestInterfacesAreManaged(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	settings := bed.Settings{Top: "sai: {manage_interfaces: true}"}
	p := apart(top, settings)
	p.Advance()
	host, err := top.HostA.Link("eth0")
	bed.Must(t, err)
	linkMTU, edgeMTU := p.A.Link().MTU, p.A.Edge().MTU
	c := attach(t, compile(t, "testdata/driver.c"), p.A)
	ports := c.must("get 0x%x 2=objlist", uint64(sai.SwitchOID))
	link, edge := ports[0], ports[1]
	as := func(when string, mtuOfLink, mtuOfEdge int, linkUp, edgeUp bool) {
		t.Helper()
		t.Log(when)
		interfaceBecomes(t, top.A, "link0", mtuOfLink, linkUp)
		interfaceBecomes(t, top.A, "edge0", mtuOfEdge, edgeUp)
		if after, err := top.HostA.Link("eth0"); err != nil || after.MTU != host.MTU ||
			(after.RawFlags^host.RawFlags)&unix.IFF_UP != 0 {
			t.Errorf("%s: the host's end is %+v, was %+v, %v", when, after, host, err)
		}
	}
	frames := func() {
		t.Helper()
		p.Advance()
		traffic := top.Between()
		traffic.Frames = 200
		bed.Untouched(t, traffic)
	}
	c.refused(-1, "set %s %d=u32:%d", link, portMTU, 600) // less than the edge needs
	as("a refused MTU", linkMTU, edgeMTU, true, true)
	c.must("set %s %d=u32:%d", link, portMTU, linkMTU+214)
	as("an MTU of the link", linkMTU+200, edgeMTU, true, true)
	c.becomes(link, portMTU, sai.U32, fmt.Sprint(linkMTU+214))
	c.must("set %s %d=u32:%d", edge, portMTU, edgeMTU+114)
	as("an MTU of the edge", linkMTU+200, edgeMTU+100, true, true)
	frames()

	c.must("set %s %d=bool:0", link, adminState)
	as("the link down", linkMTU+200, edgeMTU+100, false, true)
	c.becomes(link, adminState, sai.Bool, "0")
	p.A.OperStatus("link0", "down")
	p.B.OperStatus("link0", "down") // without a carrier
	bed.Must(t, top.A.SetLink("link0", true))
	c.becomes(link, adminState, sai.Bool, "1") // somebody has set it up
	c.must("set %s %d=bool:0", link, adminState)
	as("the link down again", linkMTU+200, edgeMTU+100, false, true)
	c.must("set %s %d=bool:1", link, adminState)
	as("the link up", linkMTU+200, edgeMTU+100, true, true)
	frames()
	c.must("set %s %d=bool:0", edge, adminState)
	as("the edge down", linkMTU+200, edgeMTU+100, true, false)
	p.A.Signal(syscall.SIGKILL)
	p.A.Wait()
	as("a kill", linkMTU+200, edgeMTU+100, true, false)
	p.A.Start()
	as("a start after the kill", linkMTU, edgeMTU, true, true)
	frames()

	change := func() {
		t.Helper()
		c.must("set %s %d=u32:%d", link, portMTU, linkMTU+214)
		c.must("set %s %d=bool:0", edge, adminState)
		as("changed", linkMTU+200, edgeMTU, true, false)
	}
	c.becomes(edge, adminState, sai.Bool, "1")
	change()
	p.A.Reload(bed.Settings{}.Text(p.A.Socket))
	as("a reload without the key", linkMTU, edgeMTU, true, true)
	c.refused(-0x20000, "set %s %d=bool:0", edge, adminState)
	c.refused(-0x20000, "set %s %d=u32:9000", link, portMTU)
	c.must("set %s %d=bool:1", edge, adminState)
	p.A.Reload(settings.Text(p.A.Socket))
	change()
	p.A.Upgrade()
	as("an upgrade", linkMTU+200, edgeMTU, true, false)
	c.becomes(edge, adminState, sai.Bool, "0")
	bed.Must(t, syscall.Kill(p.A.PID(), syscall.SIGTERM))
	p.A.Wait()
	interfaceBecomes(t, top.A, "edge0", edgeMTU, true)
}
