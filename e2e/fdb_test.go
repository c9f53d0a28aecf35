package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"uelink/netns"
	"uelink/netns/nstest"
)

// fdb is the entries of the table of br0 as `uelink -o json fdb show` prints them.
func (d *daemon) fdb() []map[string]any {
	d.t.Helper()
	return d.tool("fdb", "show", "br", "br0").succeeds().objects()
}

// knows waits until a daemon has an address at a port; "" = it does not know it.
func (d *daemon) knows(mac, port string) {
	d.t.Helper()
	eventually(d.t, fmt.Sprintf("%s: %s at %q", d.name, mac, port), func() string {
		is := ""
		for _, e := range d.fdb() {
			if e["mac"] == mac {
				is = e["ifname"].(string)
			}
		}
		if is != port {
			return fmt.Sprintf("it is at %q", is)
		}
		return ""
	})
}

// TestHostThatMovesIsFoundAgain: an address moves to another edge of its bridge, and then to the bridge at the other
// end of the link.
func TestHostThatMovesIsFoundAgain(t *testing.T) {
	top := direct(t)
	hostC, hostD := top.host(top.A, "edge1"), top.host(top.A, "edge2")
	p := top.bridges(switching.at("edge0", "edge1", "edge2"), switching)
	atA, atB := p.a.watch(), p.b.watch()
	const mover = 9
	caller := newTalker(t, top.hostA, 1)
	places := []*talker{newTalker(t, hostC, mover), newTalker(t, hostD, mover), newTalker(t, top.hostB, mover)}
	mac := places[0].String()
	c := newTalk(t, append(places, caller)...)
	for i, place := range []struct {
		atA, atB string // ports behind which the address is
		told     map[*events]string
	}{
		{"edge1", "link0", nil},
		{"edge2", "link0", map[*events]string{atA: "edge1"}},
		{"link0", "edge0", map[*events]string{atA: "edge2", atB: "link0"}},
	} {
		hello := c.stream(places[i], 0)
		c.say(hello, 1)
		p.a.knows(mac, place.atA)
		p.b.knows(mac, place.atB)
		for of, from := range place.told {
			of.shows("fdb", mac+" moved here from "+from)
		}
		call := c.stream(caller, 0, places[i])
		c.say(call, 100)
		c.complete(call, places[i])
		for _, other := range places {
			if n := c.at(call, other).frames; other != places[i] && n > 0 {
				t.Errorf("%d frames came to %s, where the address is not", n, other.name)
			}
		}
	}
	c.end()
}

// linux is a bridge of the kernel beside the one of uelink at A. It has the ports of the same
// names: link0 for hostB, edge0 for hostA, edge1 for hostC.
type linux struct{ *netns.NS }

// linuxBridge makes it. The hosts have eth1 at it.
func (top *topology) linuxBridge() linux {
	top.t.Helper()
	l := linux{nstest.New(top.t, "kernel")}
	for i, port := range []string{"edge0", "link0", "edge1"} {
		must(top.t, netns.Veth(top.hosts()[i], "eth1", l.NS, port, edgeMTU))
	}
	must(top.t, l.Bridge("br0", 0, "edge0", "link0", "edge1"))
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
	must(t, l.Run(show))
	must(t, json.Unmarshal(out.Bytes(), &list))
	return slices.DeleteFunc(list, func(e map[string]any) bool {
		_, vlan := e["vlan"]
		return e["state"] == "permanent" || vlan
	})
}

// asLinux waits until the tables of uelink and of the kernel are the same, key by key, in whatever
// order, and have so many entries.
func (d *daemon) asLinux(l linux, entries int) {
	d.t.Helper()
	sorted := func(list []map[string]any) []map[string]any {
		return slices.SortedFunc(slices.Values(list), func(a, b map[string]any) int {
			return strings.Compare(a["mac"].(string), b["mac"].(string))
		})
	}
	eventually(d.t, "the tables of uelink and of the kernel", func() string {
		own := sorted(d.fdb())
		if len(own) != entries {
			return fmt.Sprintf("there are %d entries, not %d: %v", len(own), entries, own)
		}
		return cmp.Diff(sorted(l.fdb(d.t)), own)
	})
}

// TestFDBIsAsThatOfLinux: after the same frames and the same commands, the tool shows what
// iproute2 shows of a bridge of the kernel.
func TestFDBIsAsThatOfLinux(t *testing.T) {
	need(t, "bridge", "iproute2")
	top := direct(t)
	top.host(top.A, "edge1")
	p := top.bridges(switching.at("edge0", "edge1"), switching)
	l := top.linuxBridge()
	talkers := top.talkers()
	for i, from := range talkers {
		beside := open(t, top.hosts()[i], "eth1", probeType)
		for _, to := range append(talkers, nil) {
			if to == from {
				continue
			}
			s := &stream{id: noStream, from: from, da: broadcast}
			if to != nil {
				s.da = to.mac
			}
			from.send(s.frame(0))
			beside.send(s.frame(0))
		}
	}
	p.a.asLinux(l, 3)

	const mac = "02:65:32:65:01:99"
	static := []string{"fdb", "add", mac, "dev", "edge1", "master", "static"}
	p.a.tool(static...).succeeds()
	must(t, l.Run(exec.Command("bridge", static...)))
	p.a.asLinux(l, 4)

	c := newTalk(t, talkers...)
	s := c.stream(talkers[0], 0, talkers[2])
	s.da[5] = 0x99
	c.say(s, 10)
	c.end()
	if n := c.at(s, talkers[1]).frames; n > 0 {
		t.Errorf("%d frames to a static address were flooded", n)
	}

	if flushed := p.a.tool("fdb", "flush", "dev", "br0").succeeds(); !strings.Contains(flushed.stdout, `"removed": 3`) {
		t.Errorf("flush: %s", flushed.stdout)
	}
	if list := p.a.fdb(); len(list) != 1 || list[0]["mac"] != mac {
		t.Errorf("after the flush: %v", list)
	}
	p.a.tool("fdb", "del", mac, "dev", "edge1", "master").succeeds()
	if list := p.a.fdb(); len(list) != 0 {
		t.Errorf("after all is deleted: %v", list)
	}
}

// TestFDBRefusals: what the table cannot have is refused, with the reason.
func TestFDBRefusals(t *testing.T) {
	top := direct(t)
	top.host(top.A, "edge1")
	a := newDaemon(t, top.A, "A", switching.at("edge0", "edge1"))
	a.start()
	const mac = "02:65:32:65:01:99"
	a.tool("fdb", "add", mac, "dev", "edge0").succeeds()
	for _, c := range []struct{ args, why string }{
		{"add 01:00:5e:00:00:01 dev edge0", "a group address"},
		{"add " + mac + " dev edge1", "static at another port"},
		{"add " + mac + " dev edge0 vlan 5", "does not filter VLANs"},
		{"del " + mac + " dev edge1", "no such address"},
		{"del 02:65:32:65:01:98 dev edge0", "no such address"},
		{"del " + mac + " dev edge9", "no such port"},
	} {
		is := a.tool(append([]string{"fdb"}, strings.Fields(c.args)...)...)
		if is.code != 1 || !strings.Contains(is.stderr, c.why) {
			t.Errorf("fdb %s: exit %d: %s", c.args, is.code, is.stderr)
		}
	}
	if log := a.stderr.String(); strings.Contains(log, "control request failed") {
		t.Error("a refusal is in the log as a failure of the daemon")
	}
}
