package lldp

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
	"uelink/lldp"
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/ieee"
	"uelink/wire"
)

// qaz is a daemon's side of DCBX: end A of the golden cases has PFC 3 and 50/50, and recommends 40/60; end B has PFC 4
// and 70/30, and recommends 80/20.
type qaz struct {
	version            string
	willing            bool
	priority           int
	share, recommended int
}

func endA(version string, willing bool) qaz { return qaz{version, willing, 3, 50, 40} }
func endB(version string, willing bool) qaz { return qaz{version, willing, 4, 70, 80} }

// Text is the configuration of the daemon.
func (q qaz) Text(socket string) string {
	const classes = "[ets, ets, strict, strict, strict, strict, strict, strict]"
	return bed.LLDPOnly{DCBX: fmt.Sprintf("mode: on, version: %s, pg: {willing: %t, "+
		"priority_group: [0, 0, 0, 1, 0, 0, 0, 0], bandwidth: [%d, %d, 0, 0, 0, 0, 0, 0]}, pfc: {willing: %t, priorities: [%d]}, "+
		"ets: {traffic_class: [0, 0, 0, 1, 0, 0, 0, 0], bandwidth: [%d, %d, 0, 0, 0, 0, 0, 0], tsa: %s, "+
		"recommend: {traffic_class: [0, 0, 0, 1, 0, 0, 0, 0], bandwidth: [%d, %d, 0, 0, 0, 0, 0, 0], tsa: %s}}, "+
		"app: {entries: [{udp_port: 4791, priorities: [3]}, {dscp: 26, priorities: [2]}]}",
		q.version, q.willing, q.share, 100-q.share, q.willing, q.priority, q.share, 100-q.share, classes, q.recommended,
		100-q.recommended, classes)}.Text(socket)
}

// said returns the dialect, the operational priorities and the share of the first class or group of a daemon.
func said(d *bed.Daemon) string {
	s := dcbxOf(d)
	if s.Dialect == "cee" {
		return fmt.Sprintf("cee %s %d", dcbx.PFC{Enable: s.PFC.Oper.OperCfg.Enable}, s.PG.Oper.OperCfg.Percentage[0])
	}
	return fmt.Sprintf("ieee %s %d", dcbx.PFC{Enable: s.IEEE.Oper.PFC}, s.IEEE.Oper.ETS.Bandwidth[0])
}

// daemonCase is a golden case of two daemons.
type daemonCase struct {
	title        string
	a, b         qaz
	changeA      []string // pairs of old and new text in A's configuration
	changeB      []string
	wantA, wantB string
	causeA       string // of the problem at A; "-": not compared
}

var daemonCases = []daemonCase{
	{"1", endA("auto", false), endB("auto", true), nil, nil, "ieee 3 50", "ieee 3 40", ""},
	{"2", endA("auto", true), endB("auto", false), nil, nil, "ieee 4 80", "ieee 4 70", ""},
	{"3", endA("auto", true), endB("auto", true), nil, nil, "ieee 4 80", "ieee 4 40", ""},
	{"4", endA("auto", false), endB("auto", false), nil, nil, "ieee 3 50", "ieee 4 70", "pfc_differs"},
	{"5", endA("auto", true), endB("cee", false), nil, nil, "cee 4 70", "cee 4 70", ""},
	{"6", endA("auto", true), endB("cee", true), nil, nil, "cee none 50", "cee none 70", "-"},
	{"7", endA("auto", false), endB("cee", false), nil, nil, "cee none 50", "cee none 70", "pfc_differs"},
	{"8", endA("cee", false), endB("cee", true), nil, nil, "cee 3 50", "cee 3 50", ""},
	{"10", endA("ieee", true), endB("cee", false), nil, nil, "ieee 3 50", "cee none 70", "other_dialect"},
	{"11", endA("cee", true), endB("ieee", false), nil, nil, "cee none 50", "ieee 4 70", "other_dialect"},
	{"none is willing, equal PFC", endA("auto", false), endB("auto", false), nil, []string{"priorities: [4]",
		"priorities: [3]"}, "ieee 3 50", "ieee 3 70", ""},
	{"B has no PFC", endA("auto", true), endB("auto", false), nil, []string{"priorities: [4]", "priorities: []"},
		"ieee none 80", "ieee none 70", "pfc_outvoted"},
	{"B has PFC for all", endA("auto", true), endB("auto", false), nil, []string{"priorities: [4]",
		"priorities: [0, 1, 2, 3, 4, 5, 6, 7]"}, "ieee 0,1,2,3,4,5,6,7 80", "ieee 0,1,2,3,4,5,6,7 70", ""},
	{"A is willing in PFC alone", endA("auto", true), endB("auto", false), []string{"pg: {willing: true",
		"pg: {willing: false"}, nil, "ieee 4 50", "ieee 4 70", ""},
	{"A is willing in ETS alone", endA("auto", true), endB("auto", false), []string{"pfc: {willing: true",
		"pfc: {willing: false"}, nil, "ieee 3 80", "ieee 4 70", "pfc_differs"},
	{"B is willing in PFC alone", endA("auto", false), endB("auto", false), nil, []string{"pfc: {willing: false",
		"pfc: {willing: true"}, "ieee 3 50", "ieee 3 70", ""},
	{"B is willing in ETS alone", endA("auto", false), endB("auto", false), nil, []string{"pg: {willing: false",
		"pg: {willing: true"}, "ieee 3 50", "ieee 4 40", "pfc_differs"},
	{"A does not take part in PFC", endA("auto", true), endB("auto", false), []string{"pfc: {", "pfc: {advertise: false, "},
		nil, "ieee 3 80", "ieee 4 70", "-"},
	{"A does not take part in ETS", endA("auto", true), endB("auto", true), []string{"pg: {", "pg: {advertise: false, "},
		nil, "ieee 4 50", "ieee 4 70", "-"},
	{"A has a single class", endA("auto", true), endB("auto", false), []string{"0, 0, 0, 1, 0", "0, 0, 0, 0, 0", "[50, 50,",
		"[100, 0,", "[40, 60,", "[100, 0,", "[ets, ets,", "[ets, strict,", "pg: {", "pg: {max_tcs: 1, "}, nil, "ieee 4 100",
		"ieee 4 70", ""},
	{"A recommends other classes", endA("auto", false), endB("auto", true), []string{"recommend: {traffic_class: [0, 0, 0, 1",
		"recommend: {traffic_class: [0, 1, 0, 1"}, nil, "ieee 3 50", "ieee 3 40", ""},
	{"B has MBC, and a single class with PFC", endA("auto", true), endB("auto", false), nil, []string{"pfc: {",
		"pfc: {mbc: true, max_tcs: 1, "}, "ieee 4 80", "ieee 4 70", ""},
}

// Two daemons come to the outcome of the golden cases, from one case to the next by reloads of both. The address of A
// is the lower one.
func TestDCBXOfIEEEBetweenTwoDaemons(t *testing.T) {
	t.Parallel()
	w := bed.NewWired(t)
	for octet, ns := range map[string]*netns.NS{"0a": w.A, "0b": w.B} {
		bed.Run(t, ns, exec.Command("ip", "link", "set", "dev", "link0", "address", "02:00:00:00:00:"+octet))
	}
	a, b := begin(t, w.A, "A", daemonCases[0].a), begin(t, w.B, "B", daemonCases[0].b)
	for _, c := range daemonCases {
		a.Reload(strings.NewReplacer(c.changeA...).Replace(c.a.Text(a.Socket)))
		b.Reload(strings.NewReplacer(c.changeB...).Replace(c.b.Text(b.Socket)))
		bed.Eventually(t, "case "+c.title, func() string {
			if gotA, gotB := said(a), said(b); gotA != c.wantA || gotB != c.wantB {
				return fmt.Sprintf("A %s, B %s, want %s and %s", gotA, gotB, c.wantA, c.wantB)
			}
			if got := causes(a); got != c.causeA && c.causeA != "-" {
				return fmt.Sprintf("problems %q of A, want %q", got, c.causeA)
			}
			return ""
		})
	}
}

// causes returns the causes of a daemon's problems with DCBX.
func causes(d *bed.Daemon) string {
	var list []string
	for _, i := range bed.Ask(d, "interfaces", d.Client.LLDPInterfaces) {
		for _, f := range i.DCBX {
			if !f.Note {
				list = append(list, f.Cause)
			}
		}
	}
	return strings.Join(list, " ")
}

// Typing the command of the problem that two unwilling ends have ends it.
func TestCommandEndsDifferentPFC(t *testing.T) {
	w := bed.NewWired(t)
	a, b := begin(t, w.A, "A", endA("auto", false)), begin(t, w.B, "B", endB("auto", false))
	var f string
	bed.Eventually(t, "the problem is there", func() string {
		for _, i := range bed.Ask(a, "interfaces", a.Client.LLDPInterfaces) {
			for _, entry := range i.DCBX {
				f = entry.Command
			}
		}
		return map[bool]string{true: "no problem"}[f == ""]
	})
	if f != "uelink config set ports.link0.dcbx.pfc.willing true && uelink reload" {
		t.Fatalf("command %q", f)
	}
	a.Tool("config", "set", "ports.link0.dcbx.pfc.willing", "true").Succeeds()
	a.Tool("reload").Succeeds()
	bed.Eventually(t, "A follows B", func() string {
		if got := said(a) + ", " + said(b) + " " + causes(a) + causes(b); got != "ieee 4 50, ieee 4 70 " {
			return got
		}
		return ""
	})
}

// tshark reads every LLDPDU of a daemon in the dialect of IEEE, and finds nothing malformed. It does not know the
// selector of a DSCP.
func TestTsharkReadsDCBXOfIEEE(t *testing.T) {
	if _, err := exec.LookPath("tshark"); err != nil {
		nstest.Missing(t, "package tshark")
	}
	w := bed.NewWired(t)
	peer := bed.Open(t, w.B, "link0", wire.EtherTypeLLDP)
	d := bed.NewDaemon(t, w.A, "A", endA("auto", true))
	d.Start()
	var frames [][]byte
	for range 2 {
		frames = append(frames, peer.Await("an LLDPDU of IEEE DCBX", func(f []byte) bool { return len(tlvsOf(f)) == 4 }))
	}
	path := filepath.Join(t.TempDir(), "lldp.pcap")
	bed.WriteCapture(t, path, frames)
	if out := bed.Tshark(t, path, "-Y", "_ws.malformed || _ws.expert.severity >= 6291456"); out != "" {
		t.Errorf("tshark complains:\n%s", out)
	}
	want := map[string]string{"lldp.ieee.802_1.subtype": "0x09,0x0a,0x0b,0x0c", "lldp.dcbx.ieee.willing": "1,1",
		"lldp.dcbx.ieee.ets.cbs": "0", "lldp.dcbx.ieee.pfc.mbc": "0", "lldp.dcbx.ieee.pfc.numtcs": "8",
		"lldp.dcbx.ieee.ets.maxtcs": "0"}
	indexed(want, "lldp.dcbx.feature.pfc.prio", "0", "0", "0", "1", "0", "0", "0", "0")
	keys := make([]string, 0, len(want))
	for k := range want {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for i, got := range read(t, path, keys) {
		for _, k := range keys {
			if got[k] != want[k] {
				t.Errorf("frame %d: %s is %q, want %q", i, k, got[k], want[k])
			}
		}
	}
	const app = "006312b745001a"
	if got := tlvsOf(frames[0])[3]; got.Subtype != ieee.SubtypeApp || fmt.Sprintf("%x", got.Payload) != app {
		t.Errorf("Application TLV %x, want %s", got.Payload, app)
	}
}

// tlvsOf returns the TLVs of IEEE DCBX in a frame.
func tlvsOf(frame []byte) (list []ieee.TLV) {
	f, fault := lldp.ParseFrame(frame)
	if fault != lldp.NoFault {
		return nil
	}
	info, fault := lldp.NewInfo(f.PDU)
	if fault != lldp.NoFault {
		return nil
	}
	for _, o := range info.Org {
		if o.OUI == (lldp.OUI{0x00, 0x80, 0xc2}) && ieee.HasSubtype(o.Subtype) {
			list = append(list, ieee.TLV{Subtype: o.Subtype, Payload: o.Info})
		}
	}
	return list
}
