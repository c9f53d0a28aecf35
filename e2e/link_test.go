package e2e

import (
	"fmt"
	"testing"
	"time"

	"uelink/netns"
)

// operStatus waits until a port has a status.
func (d *daemon) operStatus(port, status string) {
	d.t.Helper()
	eventually(d.t, d.name+": "+port+" "+status, func() string {
		if is := d.port(port).OperStatus; is != status {
			return "it is " + is
		}
		return ""
	})
}

func TestLinkDownAndUpUnderLoadLosesNothing(t *testing.T) {
	top := direct(t)
	p := top.daemons(lossless)
	for _, end := range []struct {
		name string
		ns   *netns.NS
	}{{"at A", top.A}, {"at B", top.B}} {
		t.Run(end.name, func(t *testing.T) {
			l := top.load(t, patience)
			for range 3 {
				must(t, end.ns.SetLink("link0", false))
				p.a.operStatus("link0", "down")
				p.b.operStatus("link0", "down")
				must(t, end.ns.SetLink("link0", true))
				p.resume(t, "the link was set up", time.Now())
			}
			nothingLost(t, l.end())
		})
	}
}

func TestEdgeDownAndUpResumes(t *testing.T) {
	top := direct(t)
	p := top.daemons(settings{})
	hostA, hostB := open(t, top.hostA, "eth0", probeType), open(t, top.hostB, "eth0", probeType)
	for _, end := range []struct {
		name, ifname string
		ns           *netns.NS
	}{{"edge0", "edge0", top.A}, {"the host's end", "eth0", top.hostA}} {
		t.Run(end.name, func(t *testing.T) {
			must(t, end.ns.SetLink(end.ifname, false))
			p.a.operStatus("edge0", "down")
			must(t, end.ns.SetLink(end.ifname, true))
			there, back := crosses(hostA, hostB, resumption), crosses(hostB, hostA, resumption)
			t.Logf("frames cross %v and back %v after it was set up", there, there+back)
		})
	}
}

func TestLinkDeletedAndMadeAgainUnderLoadResumes(t *testing.T) {
	top := direct(t)
	p := top.daemons(settings{})
	l := top.load(t, 50*time.Millisecond)
	must(t, top.B.DeleteLink("link0"))
	p.a.operStatus("link0", "absent")
	p.b.operStatus("link0", "absent")
	must(t, netns.Veth(top.A, "link0", top.B, "link0", edgeMTU))
	p.resume(t, "the link was there again", time.Now())
	neverTwice(t, l.end())
	for _, d := range []*daemon{p.a, p.b} {
		if mtu := d.link().MTU; mtu != linkMTU {
			t.Errorf("%s: the new link0 has an MTU of %d, not %d", d.name, mtu, linkMTU)
		}
	}
	c := top.between()
	c.Frames, c.Size = 5_000, "1514"
	untouched(t, c)
}

// remakeEdge creates the interfaces of host A and edge A again.
func (top *topology) remakeEdge() {
	top.t.Helper()
	must(top.t, netns.Veth(top.hostA, "eth0", top.A, "edge0", edgeMTU))
}

func TestEdgeDeletedAndMadeAgainResumes(t *testing.T) {
	top := direct(t)
	p := top.daemons(settings{})
	must(t, top.A.DeleteLink("edge0"))
	p.a.operStatus("edge0", "absent")
	if problem := p.a.advances() + p.b.advances(); problem != "" {
		t.Errorf("the link should not mind: %s", problem)
	}
	top.remakeEdge()
	hostA, hostB := open(t, top.hostA, "eth0", probeType), open(t, top.hostB, "eth0", probeType)
	there, back := crosses(hostA, hostB, resumption), crosses(hostB, hostA, resumption)
	t.Logf("frames cross %v and back %v after the edge was there again", there, there+back)
	c := top.between()
	c.Frames, c.Size = 10_000, "imix"
	untouched(t, c)
}

// A link that appears again while the edge is absent cannot know the MTU that the edge needs.
func TestBothDeletedAndTheLinkMadeAgainFirst(t *testing.T) {
	top := direct(t)
	p := top.daemons(settings{})
	must(t, top.A.DeleteLink("edge0"))
	must(t, top.A.DeleteLink("link0"))
	for _, port := range []string{"edge0", "link0"} {
		p.a.operStatus(port, "absent")
	}
	must(t, netns.Veth(top.A, "link0", top.B, "link0", edgeMTU))
	p.advance()
	top.remakeEdge()
	p.a.operStatus("edge0", "up")
	eventually(t, "an MTU that carries the edge's frames", func() string {
		if p.a.link().MTU != linkMTU {
			return fmt.Sprintf("it is %d", p.a.link().MTU)
		}
		return ""
	})
	c := top.between()
	c.Frames, c.Size = 5_000, "1514"
	untouched(t, c)
}

// The link's MTU follows the edge's. Where the chunks are too small for the new MTU, the interfaces are opened again.
func TestEdgeOfALargerMTURaisesTheLinks(t *testing.T) {
	top := direct(t)
	p := top.daemons(settings{})
	if edge, link := p.a.edge().ChunkSize, p.a.link().ChunkSize; edge != 2048 || link != 2048 {
		t.Errorf("chunks of %d and %d octets for an MTU of %d", edge, link, edgeMTU)
	}
	for _, host := range []*netns.NS{top.hostA, top.hostB} {
		must(t, host.SetMTU("eth0", 3000))
	}
	must(t, top.A.SetMTU("edge0", 3000))
	must(t, top.B.SetMTU("edge0", 3000))
	for _, d := range []*daemon{p.a, p.b} {
		eventually(t, "a link that carries the edge's frames", func() string {
			if is := d.link(); is.MTU != 3000+linkMTU-edgeMTU || is.ChunkSize != 4096 || is.OperStatus != "up" {
				return fmt.Sprintf("its MTU is %d, its chunks have %d octets, it is %s", is.MTU, is.ChunkSize, is.OperStatus)
			}
			return ""
		})
		if is := d.edge().ChunkSize; is != 4096 {
			t.Errorf("%s: the edge's chunks have %d octets", d.name, is)
		}
	}
	p.advance()
	c := top.between()
	c.Frames, c.Size = 5_000, "3014"
	untouched(t, c)
}
