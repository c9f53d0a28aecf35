package lldp

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"testing"

	"uelink/control/api"
	"uelink/lab/e2e/bed"
	"uelink/lldp/dcbx"
)

// discovering starts two daemons that speak DCBX; A insists on its settings and B takes its peer's.
func discovering(top *bed.Topology) bed.Pair {
	top.T.Helper()
	const dcbx = "dcbx: {mode: on, version: cee, pg: {willing: %t, priority_group: %s, bandwidth: %s}, " +
		"pfc: {willing: %t, priorities: %s}}"
	settingsOf := func(name string, keys string) bed.Settings {
		return bed.Settings{
			Top:  fmt.Sprintf("lldp: {system_name: %s, capabilities: [bridge, station], enabled_capabilities: [bridge], management_addresses: [192.0.2.1]}", name),
			Link: `lldp: {custom_tlvs: [{oui: "de:ad:be", subtype: 66, info: "010203"}]}, ` + keys,
		}
	}
	p := bed.Pair{
		A: bed.NewDaemon(top.T, top.A, "A", settingsOf("stationA", fmt.Sprintf(dcbx, false, "[0, 0, 0, 3, 0, 0, 0, 15]", "[50, 0, 0, 50, 0, 0, 0, 0]", false, "[3]"))),
		B: bed.NewDaemon(top.T, top.B, "B", settingsOf("stationB", fmt.Sprintf(dcbx, true, "[0, 0, 0, 0, 0, 0, 0, 0]", "[100, 0, 0, 0, 0, 0, 0, 0]", true, "[]"))),
	}
	p.A.Start()
	p.B.Start()
	p.Advance()
	return p
}

// lldpNeighbors waits until the tool shows n neighbours.
func lldpNeighbors(d *bed.Daemon, n int) (list []api.LLDPNeighbor) {
	d.T.Helper()
	bed.Eventually(d.T, fmt.Sprintf("%s: %d neighbours", d.Name, n), func() string {
		bed.Must(d.T, json.Unmarshal([]byte(d.Tool("lldp", "neighbors").Succeeds().Stdout), &list))
		if len(list) != n {
			return fmt.Sprintf("there are %d", len(list))
		}
		return ""
	})
	return list
}

func TestToolShowsNeighbors(t *testing.T) {
	top := bed.Direct(t)
	p := discovering(top)
	n := lldpNeighbors(p.A, 1)[0]
	lldpNeighbors(p.B, 1)
	if n.Port != "link0" || n.SystemName != "stationB" || n.Source != p.B.Link().MAC ||
		n.PortID.Value != "link0" || n.TTL != 121 {
		t.Errorf("%+v", n)
	}
	if !n.UE.HasLink || !n.UE.Link.LLR || n.UE.Link.CBFC {
		t.Errorf("UE TLVs: %+v", n.UE)
	}
	text := p.A.ToolText("lldp", "neighbors", "--details", "link0")
	for _, line := range []string{"Interface:    link0, via: LLDP, port: link0, Time: 0 day, 00:0",
		"SysName:      stationB", "MgmtIP:       192.0.2.1",
		"Capability:   Bridge, on", "Capability:   Station, off", "PortID:       ifname link0", "TTL:          121", "Link:         LLR on, CBFC off, version 1",
		"PFC:          enabled, willing", "TLV:          OUI: DE,AD,BE, SubType: 66, Len: 3 01,02,03"} {
		if !strings.Contains(text, line) {
			t.Errorf("no %q in\n%s", line, text)
		}
	}
	if text := p.B.ToolText("lldp", "chassis"); !strings.Contains(text, "SysName:      stationB") ||
		!strings.Contains(text, "ChassisID:    mac "+p.B.Link().MAC) {
		t.Error(text)
	}
	if text := p.B.ToolText("lldp", "interfaces"); !strings.Contains(text,
		"Partner:      present\n    LLR:          local on, remote on") {
		t.Error(text)
	}
	for _, c := range []struct {
		args []string
		code int
	}{{[]string{"lldp", "neighbors", "edge0"}, 1}, {[]string{"dcbx", "show", "edge0"}, 1}, {[]string{"lldp", "neighbors", "link9"}, 1}, {[]string{"lldp", "nobody"}, 2}} {
		if a := p.A.Tool(c.args...); a.Code != c.code {
			t.Errorf("uelink %s: exit %d, not %d: %s", a.Args, a.Code, c.code, a.Stderr)
		}
	}
}

// The partner takes the settings that the other end insists on.
func TestToolShowsDCBX(t *testing.T) {
	p := discovering(bed.Direct(t))
	exchange := func(d *bed.Daemon) (one api.DCBX) {
		var list []api.DCBX
		bed.Must(t, json.Unmarshal([]byte(d.Tool("dcbx", "show", "link0").Succeeds().Stdout), &list))
		return list[0]
	}
	bed.Eventually(t, "DCBX at both ends", func() string {
		for _, d := range []*bed.Daemon{p.A, p.B} {
			if x := exchange(d); x.Peer != dcbx.PeerPresent || !x.PG.Oper.OperMode || !x.PFC.Oper.OperMode || !x.PG.Oper.Syncd ||
				!x.PFC.Oper.Syncd {
				return fmt.Sprintf("%s: %+v", d.Name, x)
			}
		}
		return ""
	})
	a, b := exchange(p.A), exchange(p.B)
	if b.PG.Oper.OperCfg.Group != a.PG.Admin.Config.Group || b.PFC.Oper.OperCfg.Enable != 1<<3 ||
		b.PG.State != "AdoptPeer" || a.PG.State != "KeepLocal" {
		t.Errorf("A %+v\nB %+v", a, b)
	}
	if text := p.B.ToolText("dcbx", "show"); !strings.Contains(text,
		"operational  yes                           no     priorities 3; 8 TCs") {
		t.Error(text)
	}
}

func TestToolShowsAndClearsLLDPStatistics(t *testing.T) {
	p := discovering(bed.Direct(t))
	lldpNeighbors(p.A, 1)
	counters := func() (list []api.LLDPStatistics) {
		bed.Must(t, json.Unmarshal([]byte(p.A.Tool("lldp", "statistics", "link0").Succeeds().Stdout), &list))
		return list
	}
	if c := counters()[0]; c.Rx.TotalFrames == 0 || c.Tx.TotalFrames == 0 || c.Remote.Inserts != 1 || c.LastChange == nil {
		t.Errorf("%+v", c)
	}
	p.A.Tool("lldp", "clear", "link0").Succeeds()
	if c := counters()[0]; c.Remote.Inserts != 0 || c.LastChange == nil {
		t.Errorf("after they were cleared: %+v", c)
	}
	if text := p.A.ToolText("lldp", "statistics"); !strings.Contains(text, "Inserted:     0\n") {
		t.Error(text)
	}
}

// LLDP and DCBX report a partner that leaves, in the watch of everything and in their own watches.
func TestToolWatchesLLDP(t *testing.T) {
	top := bed.Direct(t)
	p := discovering(top)
	lldpNeighbors(p.A, 1)
	all := bed.Start(t, top.A, "uelink watch",
		exec.Command(bed.Program("uelink"), "--socket", p.A.Socket, "-o", "json", "watch"))
	own := bed.Start(t, top.A, "uelink lldp watch",
		exec.Command(bed.Program("uelink"), "--socket", p.A.Socket, "-o", "json", "lldp", "watch"))
	bed.Eventually(t, "a neighbour who leaves", func() string { // again and again, until both watch
		p.B.Signal(syscall.SIGTERM)
		p.B.Wait()
		lldpNeighbors(p.A, 0)
		for _, w := range []*bed.Process{all, own} {
			if !strings.Contains(w.Stdout.String(), "neighbor_deleted") {
				p.B.Start()
				lldpNeighbors(p.A, 1)
				return "none in " + w.Name
			}
		}
		return ""
	})
	want := []string{"neighbor_deleted", "dcbx_peer_shut_down", "ue_negotiation"}
	for _, w := range []*bed.Process{all, own} {
		bed.Eventually(t, w.Name, func() string {
			for _, kind := range want {
				if !strings.Contains(w.Stdout.String(), `"event":"`+kind+`"`) {
					return "no " + kind + " in " + w.Stdout.String()
				}
			}
			return ""
		})
		w.Signal(syscall.SIGINT)
		if code := w.Wait(); code != 0 {
			t.Errorf("%s: exit %d", w.Name, code)
		}
	}
	lines := strings.Split(own.Stdout.String(), "\n")
	i := slices.IndexFunc(lines, func(line string) bool { return strings.Contains(line, `"neighbor_deleted"`) })
	var e api.Event
	if err := json.Unmarshal([]byte(lines[i]), &e); err != nil || e.Neighbor == nil ||
		e.Neighbor.SystemName != "stationB" || !strings.HasSuffix(e.Text, "shutdown") {
		t.Errorf("%v: %s", err, lines[i])
	}
}
