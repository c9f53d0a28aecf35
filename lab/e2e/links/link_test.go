package links

import (
	"fmt"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

func TestLinkDownAndUpUnderLoadLosesNothing(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Lossless)
	for _, end := range []struct {
		name string
		ns   *netns.NS
	}{{"at A", top.A}, {"at B", top.B}} {
		t.Run(end.name, func(t *testing.T) {
			l := top.Load(t, bed.Patience)
			for range 3 {
				bed.Must(t, end.ns.SetLink("link0", false))
				p.A.OperStatus("link0", "down")
				p.B.OperStatus("link0", "down")
				bed.Must(t, end.ns.SetLink("link0", true))
				p.Resume(t, "the link was set up", time.Now())
			}
			bed.NothingLost(t, l.End())
		})
	}
}

func TestEdgeDownAndUpResumes(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	hostA, hostB := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
	for _, end := range []struct {
		name, ifname string
		ns           *netns.NS
	}{{"edge0", "edge0", top.A}, {"the host's end", "eth0", top.HostA}} {
		t.Run(end.name, func(t *testing.T) {
			bed.Must(t, end.ns.SetLink(end.ifname, false))
			p.A.OperStatus("edge0", "down")
			bed.Must(t, end.ns.SetLink(end.ifname, true))
			forth, back := bed.AwaitCrossing(hostA, hostB, bed.Resumption), bed.AwaitCrossing(hostB, hostA, bed.Resumption)
			t.Logf("frames cross %v and back %v after it was set up", forth, forth+back)
		})
	}
}

func TestLinkDeletedAndMadeAgainUnderLoadResumes(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	l := top.Load(t, 50*time.Millisecond)
	bed.Must(t, top.B.DeleteLink("link0"))
	p.A.OperStatus("link0", "absent")
	p.B.OperStatus("link0", "absent")
	bed.Must(t, netns.Veth(top.A, "link0", top.B, "link0", bed.EdgeMTU))
	p.Resume(t, "the link was there again", time.Now())
	bed.NeverTwice(t, l.End())
	for _, d := range []*bed.Daemon{p.A, p.B} {
		if mtu := d.Link().MTU; mtu != bed.LinkMTU {
			t.Errorf("%s: the new link0 has an MTU of %d, not %d", d.Name, mtu, bed.LinkMTU)
		}
	}
	c := top.Between()
	c.Frames, c.Size = 5_000, "1514"
	bed.Untouched(t, c)
}

func TestEdgeDeletedAndMadeAgainResumes(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	bed.Must(t, top.A.DeleteLink("edge0"))
	p.A.OperStatus("edge0", "absent")
	if problem := p.A.Advances() + p.B.Advances(); problem != "" {
		t.Errorf("the link should not mind: %s", problem)
	}
	top.RemakeEdge()
	hostA, hostB := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
	forth, back := bed.AwaitCrossing(hostA, hostB, bed.Resumption), bed.AwaitCrossing(hostB, hostA, bed.Resumption)
	t.Logf("frames cross %v and back %v after the edge was there again", forth, forth+back)
	c := top.Between()
	c.Frames, c.Size = 10_000, "imix"
	bed.Untouched(t, c)
}

// A link that appears again while the edge is absent cannot know the MTU that the edge needs.
func TestBothDeletedAndTheLinkMadeAgainFirst(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	bed.Must(t, top.A.DeleteLink("edge0"))
	bed.Must(t, top.A.DeleteLink("link0"))
	for _, port := range []string{"edge0", "link0"} {
		p.A.OperStatus(port, "absent")
	}
	bed.Must(t, netns.Veth(top.A, "link0", top.B, "link0", bed.EdgeMTU))
	p.Advance()
	top.RemakeEdge()
	p.A.OperStatus("edge0", "up")
	bed.Eventually(t, "an MTU that carries the edge's frames", func() string {
		if p.A.Link().MTU != bed.LinkMTU {
			return fmt.Sprintf("it is %d", p.A.Link().MTU)
		}
		return ""
	})
	c := top.Between()
	c.Frames, c.Size = 5_000, "1514"
	bed.Untouched(t, c)
}

// The link's MTU follows the edge's. Where the chunks are too small for the new MTU, the interfaces are opened again.
func TestEdgeOfALargerMTURaisesTheLinks(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	if edge, link := p.A.Edge().ChunkSize, p.A.Link().ChunkSize; edge != 2048 || link != 2048 {
		t.Errorf("chunks of %d and %d octets for an MTU of %d", edge, link, bed.EdgeMTU)
	}
	for _, host := range []*netns.NS{top.HostA, top.HostB} {
		bed.Must(t, host.SetMTU("eth0", 3000))
	}
	bed.Must(t, top.A.SetMTU("edge0", 3000))
	bed.Must(t, top.B.SetMTU("edge0", 3000))
	for _, d := range []*bed.Daemon{p.A, p.B} {
		bed.Eventually(t, "a link that carries the edge's frames", func() string {
			if got := d.Link(); got.MTU != 3000+bed.LinkMTU-bed.EdgeMTU || got.ChunkSize != 4096 || got.OperStatus != "up" {
				return fmt.Sprintf("its MTU is %d, its chunks have %d octets, it is %s", got.MTU, got.ChunkSize, got.OperStatus)
			}
			return ""
		})
		if got := d.Edge().ChunkSize; got != 4096 {
			t.Errorf("%s: the edge's chunks have %d octets", d.Name, got)
		}
	}
	p.Advance()
	c := top.Between()
	c.Frames, c.Size = 5_000, "3014"
	bed.Untouched(t, c)
}
