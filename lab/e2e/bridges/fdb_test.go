package bridges

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// fdb is the entries of the table of br0 as `uelink -o json fdb show` prints them.
func fdb(d *bed.Daemon) []map[string]any {
	d.T.Helper()
	return d.Tool("fdb", "show", "br", "br0").Succeeds().Objects()
}

// knows waits until a daemon has an address at a port; "" = it does not know it.
func knows(d *bed.Daemon, mac, port string) {
	d.T.Helper()
	bed.Eventually(d.T, fmt.Sprintf("%s: %s at %q", d.Name, mac, port), func() string {
		got := ""
		for _, e := range fdb(d) {
			if e["mac"] == mac {
				got = e["ifname"].(string)
			}
		}
		if got != port {
			return fmt.Sprintf("it is at %q", got)
		}
		return ""
	})
}

// TestHostThatMovesIsFoundAgain: an address moves to another edge of its bridge, and then to the bridge at the other
// end of the link.
func TestHostThatMovesIsFoundAgain(t *testing.T) {
	top := bed.Direct(t)
	hostC, hostD := top.Host(top.A, "edge1"), top.Host(top.A, "edge2")
	p := top.Bridges(bed.Switching.At("edge0", "edge1", "edge2"), bed.Switching)
	atA, atB := p.A.Watch(), p.B.Watch()
	const mover = 9
	caller := bed.NewTalker(t, top.HostA, 1)
	places := []*bed.Talker{
		bed.NewTalker(t, hostC, mover), bed.NewTalker(t, hostD, mover), bed.NewTalker(t, top.HostB, mover),
	}
	mac := places[0].String()
	c := bed.NewTalk(t, append(places, caller)...)
	for i, place := range []struct {
		atA, atB string // ports behind which the address is
		reported map[*bed.Events]string
	}{
		{"edge1", "link0", nil},
		{"edge2", "link0", map[*bed.Events]string{atA: "edge1"}},
		{"link0", "edge0", map[*bed.Events]string{atA: "edge2", atB: "link0"}},
	} {
		hello := c.Stream(places[i], 0)
		c.SendNext(hello, 1)
		knows(p.A, mac, place.atA)
		knows(p.B, mac, place.atB)
		for of, from := range place.reported {
			of.Await("fdb", mac+" moved here from "+from)
		}
		call := c.Stream(caller, 0, places[i])
		c.SendNext(call, 100)
		c.Complete(call, places[i])
		for _, other := range places {
			if n := c.At(call, other).Frames; other != places[i] && n > 0 {
				t.Errorf("%d frames came to %s, where the address is not", n, other.Name)
			}
		}
	}
	c.End()
}

// linux is a bridge of the kernel beside the one of uelink at A. It has the ports of the same
// names: link0 for hostB, edge0 for hostA, edge1 for hostC.
type linux struct{ *netns.NS }

// linuxBridge makes it. The hosts have eth1 at it.
func linuxBridge(top *bed.Topology) linux {
	top.T.Helper()
	l := linux{nstest.New(top.T, "kernel")}
	for i, port := range []string{"edge0", "link0", "edge1"} {
		bed.Must(top.T, netns.Veth(top.Hosts()[i], "eth1", l.NS, port, bed.EdgeMTU))
	}
	bed.Must(top.T, l.Bridge("br0", 0, "edge0", "link0", "edge1"))
	return l
}

// fdb is the entries that are like those of uelink. Not asked for are the permanent ones, which
// are the addresses of the bridge's own interfaces and the groups that they listen to: a port of
// uelink has no address that is sent to. Nor is the VLAN that the kernel also gives a static
// entry although the bridge does not filter VLANs.
func (l linux) fdb(t testing.TB) (list []map[string]any) {
	t.Helper()
	var out bytes.Buffer
	show := exec.Command("bridge", "-j", "fdb", "show", "br", "br0")
	show.Stdout = &out
	bed.Must(t, l.Run(show))
	bed.Must(t, json.Unmarshal(out.Bytes(), &list))
	return slices.DeleteFunc(list, func(e map[string]any) bool {
		_, vlan := e["vlan"]
		return e["state"] == "permanent" || vlan
	})
}

// asLinux waits until the tables of uelink and of the kernel are the same, key by key, in whatever
// order, and have so many entries.
func asLinux(d *bed.Daemon, l linux, entries int) {
	d.T.Helper()
	sorted := func(list []map[string]any) []map[string]any {
		return slices.SortedFunc(slices.Values(list), func(a, b map[string]any) int {
			return strings.Compare(a["mac"].(string), b["mac"].(string))
		})
	}
	bed.Eventually(d.T, "the tables of uelink and of the kernel", func() string {
		own := sorted(fdb(d))
		if len(own) != entries {
			return fmt.Sprintf("there are %d entries, not %d: %v", len(own), entries, own)
		}
		return cmp.Diff(sorted(l.fdb(d.T)), own)
	})
}

// TestFDBIsAsThatOfLinux: after the same frames and the same commands, the tool shows what
// iproute2 shows of a bridge of the kernel.
func TestFDBIsAsThatOfLinux(t *testing.T) {
	bed.RequireProgram(t, "bridge", "iproute2")
	top := bed.Direct(t)
	top.Host(top.A, "edge1")
	p := top.Bridges(bed.Switching.At("edge0", "edge1"), bed.Switching)
	l := linuxBridge(top)
	talkers := top.Talkers()
	for i, from := range talkers {
		beside := bed.Open(t, top.Hosts()[i], "eth1", bed.ProbeType)
		for _, to := range append(talkers, nil) {
			if to == from {
				continue
			}
			s := &bed.Stream{ID: bed.NoStream, From: from, DA: bed.Broadcast}
			if to != nil {
				s.DA = to.MAC
			}
			from.Send(s.Frame(0))
			beside.Send(s.Frame(0))
		}
	}
	asLinux(p.A, l, 3)

	const mac = "02:65:32:65:01:99"
	static := []string{"fdb", "add", mac, "dev", "edge1", "master", "static"}
	p.A.Tool(static...).Succeeds()
	bed.Must(t, l.Run(exec.Command("bridge", static...)))
	asLinux(p.A, l, 4)

	c := bed.NewTalk(t, talkers...)
	s := c.Stream(talkers[0], 0, talkers[2])
	s.DA[5] = 0x99
	c.SendNext(s, 10)
	c.End()
	if n := c.At(s, talkers[1]).Frames; n > 0 {
		t.Errorf("%d frames to a static address were flooded", n)
	}

	if flushed := p.A.Tool("fdb", "flush", "dev", "br0").Succeeds(); !strings.Contains(flushed.Stdout, `"removed": 3`) {
		t.Errorf("flush: %s", flushed.Stdout)
	}
	if list := fdb(p.A); len(list) != 1 || list[0]["mac"] != mac {
		t.Errorf("after the flush: %v", list)
	}
	p.A.Tool("fdb", "del", mac, "dev", "edge1", "master").Succeeds()
	if list := fdb(p.A); len(list) != 0 {
		t.Errorf("after all is deleted: %v", list)
	}
}

// TestFDBRefusals: what the table cannot have is refused, with the reason.
func TestFDBRefusals(t *testing.T) {
	top := bed.Direct(t)
	top.Host(top.A, "edge1")
	a := bed.NewDaemon(t, top.A, "A", bed.Switching.At("edge0", "edge1"))
	a.Start()
	const mac = "02:65:32:65:01:99"
	a.Tool("fdb", "add", mac, "dev", "edge0").Succeeds()
	for _, c := range []struct{ args, reason string }{
		{"add 01:00:5e:00:00:01 dev edge0", "a group address"},
		{"add " + mac + " dev edge1", "static at another port"},
		{"add " + mac + " dev edge0 vlan 5", "does not filter VLANs"},
		{"del " + mac + " dev edge1", "no such address"},
		{"del 02:65:32:65:01:98 dev edge0", "no such address"},
		{"del " + mac + " dev edge9", "no such port"},
	} {
		got := a.Tool(append([]string{"fdb"}, strings.Fields(c.args)...)...)
		if got.Code != 1 || !strings.Contains(got.Stderr, c.reason) {
			t.Errorf("fdb %s: exit %d: %s", c.args, got.Code, got.Stderr)
		}
	}
	if log := a.Stderr.String(); strings.Contains(log, "control request failed") {
		t.Error("a refusal is in the log as a failure of the daemon")
	}
}
