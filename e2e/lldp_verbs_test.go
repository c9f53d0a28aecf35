package e2e

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"uelink/control"
	"uelink/lldp/dcbx"
)

// discovering starts two daemons that speak DCBX; A insists on its settings and B takes its peer's.
func discovering(top *topology) pair {
	top.t.Helper()
	const dcbx = "dcbx: {mode: on, pg: {willing: %t, priority_group: %s, bandwidth: %s}, pfc: {willing: %t, " +
		"priorities: %s}}"
	settingsOf := func(name string, keys string) settings {
		return settings{
			top:  fmt.Sprintf("lldp: {system_name: %s, capabilities: [bridge, station], enabled_capabilities: [bridge], management_addresses: [192.0.2.1]}", name),
			link: `lldp: {custom_tlvs: [{oui: "de:ad:be", subtype: 66, info: "010203"}]}, ` + keys,
		}
	}
	p := pair{
		newDaemon(top.t, top.A, "A", settingsOf("stationA", fmt.Sprintf(dcbx, false, "[0, 0, 0, 3, 0, 0, 0, 15]", "[50, 0, 0, 50, 0, 0, 0, 0]", false, "[3]"))),
		newDaemon(top.t, top.B, "B", settingsOf("stationB", fmt.Sprintf(dcbx, true, "[0, 0, 0, 0, 0, 0, 0, 0]", "[100, 0, 0, 0, 0, 0, 0, 0]", true, "[]"))),
	}
	p.a.start()
	p.b.start()
	p.advance()
	return p
}

// lldpNeighbors waits until the tool shows n neighbours.
func (d *daemon) lldpNeighbors(n int) (list []control.LLDPNeighbor) {
	d.t.Helper()
	eventually(d.t, fmt.Sprintf("%s: %d neighbours", d.name, n), func() string {
		must(d.t, json.Unmarshal([]byte(d.tool("lldp", "neighbors").succeeds().stdout), &list))
		if len(list) != n {
			return fmt.Sprintf("there are %d", len(list))
		}
		return ""
	})
	return list
}

// text returns the tool's output for people.
func (d *daemon) text(args ...string) string {
	d.t.Helper()
	return d.tool(append(args, "-o", "table")...).succeeds().stdout
}

func TestToolShowsNeighbors(t *testing.T) {
	top := direct(t)
	p := discovering(top)
	n := p.a.lldpNeighbors(1)[0]
	p.b.lldpNeighbors(1)
	if n.Port != "link0" || n.SystemName != "stationB" || n.Source != p.b.link().MAC ||
		n.PortID.Value != "link0" || n.TTL != 121 {
		t.Errorf("%+v", n)
	}
	if !n.UE.HasLink || !n.UE.Link.LLR || n.UE.Link.CBFC {
		t.Errorf("UE TLVs: %+v", n.UE)
	}
	text := p.a.text("lldp", "neighbors", "--details", "link0")
	for _, line := range []string{"Interface:    link0, via: LLDP, port: link0, Time: 0 day, 00:0",
		"SysName:      stationB", "MgmtIP:       192.0.2.1",
		"Capability:   Bridge, on", "Capability:   Station, off", "PortID:       ifname link0", "TTL:          121", "Link:         LLR on, CBFC off, version 1",
		"PFC:          enabled, willing", "TLV:          OUI: DE,AD,BE, SubType: 66, Len: 3 01,02,03"} {
		if !strings.Contains(text, line) {
			t.Errorf("no %q in\n%s", line, text)
		}
	}
	if text := p.b.text("lldp", "chassis"); !strings.Contains(text, "SysName:      stationB") ||
		!strings.Contains(text, "ChassisID:    mac "+p.b.link().MAC) {
		t.Error(text)
	}
	if text := p.b.text("lldp", "interfaces"); !strings.Contains(text,
		"Partner:      present\n    LLR:          local on, remote on") {
		t.Error(text)
	}
	for _, c := range []struct {
		args []string
		code int
	}{{[]string{"lldp", "neighbors", "edge0"}, 1}, {[]string{"dcbx", "show", "edge0"}, 1}, {[]string{"lldp", "neighbors", "link9"}, 1}, {[]string{"lldp", "nobody"}, 2}} {
		if a := p.a.tool(c.args...); a.code != c.code {
			t.Errorf("uelink %s: exit %d, not %d: %s", a.args, a.code, c.code, a.stderr)
		}
	}
}

// The partner takes the settings that the other end insists on.
func TestToolShowsDCBX(t *testing.T) {
	p := discovering(direct(t))
	exchange := func(d *daemon) (one control.DCBX) {
		var list []control.DCBX
		must(t, json.Unmarshal([]byte(d.tool("dcbx", "show", "link0").succeeds().stdout), &list))
		return list[0]
	}
	eventually(t, "DCBX at both ends", func() string {
		for _, d := range []*daemon{p.a, p.b} {
			if x := exchange(d); x.Peer != dcbx.PeerPresent || !x.PG.Oper.OperMode || !x.PFC.Oper.OperMode || !x.PG.Oper.Syncd ||
				!x.PFC.Oper.Syncd {
				return fmt.Sprintf("%s: %+v", d.name, x)
			}
		}
		return ""
	})
	a, b := exchange(p.a), exchange(p.b)
	if b.PG.Oper.OperCfg.Group != a.PG.Admin.Config.Group || b.PFC.Oper.OperCfg.Enable != 1<<3 ||
		b.PG.State != "AdoptPeer" || a.PG.State != "KeepLocal" {
		t.Errorf("A %+v\nB %+v", a, b)
	}
	if text := p.b.text("dcbx", "show"); !strings.Contains(text,
		"operational  yes                           no     priorities 3; 8 TCs") {
		t.Error(text)
	}
}

func TestToolShowsAndClearsLLDPStatistics(t *testing.T) {
	p := discovering(direct(t))
	p.a.lldpNeighbors(1)
	counters := func() (list []control.LLDPStatistics) {
		must(t, json.Unmarshal([]byte(p.a.tool("lldp", "statistics", "link0").succeeds().stdout), &list))
		return list
	}
	if c := counters()[0]; c.Rx.TotalFrames == 0 || c.Tx.TotalFrames == 0 || c.Remote.Inserts != 1 || c.LastChange == nil {
		t.Errorf("%+v", c)
	}
	p.a.tool("lldp", "clear", "link0").succeeds()
	if c := counters()[0]; c.Remote.Inserts != 0 || c.LastChange == nil {
		t.Errorf("after they were cleared: %+v", c)
	}
	if text := p.a.text("lldp", "statistics"); !strings.Contains(text, "Inserted:     0\n") {
		t.Error(text)
	}
}

// LLDP and DCBX report a partner that leaves, in the watch of everything and in their own watches.
func TestToolWatchesLLDP(t *testing.T) {
	top := direct(t)
	p := discovering(top)
	p.a.lldpNeighbors(1)
	all := start(t, top.A, "uelink watch", exec.Command(program("uelink"), "--socket", p.a.socket, "-o", "json", "watch"))
	own := start(t, top.A, "uelink lldp watch", exec.Command(program("uelink"), "--socket", p.a.socket, "-o", "json",
		"lldp", "watch"))
	eventually(t, "a neighbour who leaves", func() string { // again and again, until both watch
		p.b.signal(syscall.SIGTERM)
		p.b.wait()
		p.a.lldpNeighbors(0)
		for _, w := range []*process{all, own} {
			if !strings.Contains(w.stdout.String(), "neighbor_deleted") {
				p.b.start()
				p.a.lldpNeighbors(1)
				return "none in " + w.name
			}
		}
		return ""
	})
	want := []string{"neighbor_deleted", "dcbx_peer_shut_down", "ue_negotiation"}
	for _, w := range []*process{all, own} {
		eventually(t, w.name, func() string {
			for _, kind := range want {
				if !strings.Contains(w.stdout.String(), `"event":"`+kind+`"`) {
					return "no " + kind + " in " + w.stdout.String()
				}
			}
			return ""
		})
		w.signal(syscall.SIGINT)
		if code := w.wait(); code != 0 {
			t.Errorf("%s: exit %d", w.name, code)
		}
	}
	lines := strings.Split(own.stdout.String(), "\n")
	i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, `"neighbor_deleted"`) })
	var e control.Event
	if err := json.Unmarshal([]byte(lines[i]), &e); err != nil || e.Neighbor == nil ||
		e.Neighbor.SystemName != "stationB" || !strings.HasSuffix(e.Text, "shutdown") {
		t.Errorf("%v: %s", err, lines[i])
	}
}
