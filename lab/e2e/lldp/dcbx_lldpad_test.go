package lldp

import (
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
	"uelink/lldp"
	"uelink/lldp/dcbnl/dcbnltest"
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/ieee"
	"uelink/lldp/lldptest"
	"uelink/wire"
)

// peers are a daemon (end A of the golden cases) and lldpad (end B) on one veth. The address of A is the lower one.
type peers struct {
	t testing.TB
	w bed.Wired
	a *bed.Daemon
	b *dcbnltest.LLDPAD
}

func newPeers(t testing.TB, a qaz) *peers {
	t.Helper()
	p := &peers{t: t, w: bed.NewWired(t)}
	p.addresses("0a", "0b")
	p.b = dcbnltest.StartLLDPAD(t, p.w.B)
	p.a = begin(t, p.w.A, "A", a)
	return p
}

// addresses sets the last octet of both ends' addresses.
func (p *peers) addresses(a, b string) {
	p.t.Helper()
	for octet, ns := range map[string]*netns.NS{a: p.w.A, b: p.w.B} {
		bed.Run(p.t, ns, exec.Command("ip", "link", "set", "dev", "link0", "address", "02:00:00:00:00:"+octet))
	}
}

// lldpadIsB gives lldpad the settings of end B.
func (p *peers) lldpadIsB(willing bool) {
	p.t.Helper()
	const classes = " tsa=0:ets,1:ets up2tc=0:0,1:0,2:0,3:1,4:0,5:0,6:0,7:0 enableTx=yes "
	yes := map[bool]string{false: "willing=no", true: "willing=yes"}[willing]
	p.b.Tool("set-lldp -i link0 adminStatus=rxtx")
	p.b.Sets("PFC", yes+" enabled=4 enableTx=yes")
	p.b.Sets("ETS-CFG", yes+classes+"tcbw=70,30,0,0,0,0,0,0")
	p.b.Sets("ETS-REC", classes+"tcbw=80,20,0,0,0,0,0,0")
}

// first returns the first group of an expression in a text, or "-".
func first(text, expression string) string {
	if found := regexp.MustCompile(expression).FindStringSubmatch(text); found != nil {
		return strings.TrimSpace(found[1])
	}
	return "-"
}

// card returns the priorities with PFC and the share of the first class in the NIC of lldpad.
func (p *peers) card() string {
	p.t.Helper()
	var on []string
	for _, found := range regexp.MustCompile(`(\d):on`).FindAllStringSubmatch(p.b.Card.DCB("pfc show dev link0"), -1) {
		on = append(on, found[1])
	}
	if on == nil {
		on = []string{"none"}
	}
	return strings.Join(on, ",") + " " + first(p.b.Card.DCB("ets show dev link0"), `tc-bw 0:(\d+)`)
}

// sentByB returns the same of the TLVs that lldpad sends: "-" for those that it does not send.
func (p *peers) sentByB() string {
	p.t.Helper()
	out := p.b.Tool("-t -i link0")
	share := first(out, `(?s)ETS Configuration TLV.*?TC Bandwidth: (\d+)%`)
	return strings.ReplaceAll(first(out, `PFC enabled: ([\dn].*)`), " ", ",") + " " + share
}

// reach waits for the outcome of both ends: A's in the daemon's words, "" for none, B's in the TLVs and in the NIC of
// lldpad.
func (p *peers) reach(title, wantA, wantB string) {
	p.t.Helper()
	bed.Eventually(p.t, title, func() string {
		if wantA != "" && said(p.a) != "ieee "+wantA {
			return fmt.Sprintf("A has %s, want %s", said(p.a), wantA)
		}
		if got := p.card(); got != wantB {
			return fmt.Sprintf("B's NIC has %s, want %s", got, wantB)
		}
		sent, want := strings.Fields(p.sentByB()), strings.Fields(wantB)
		for i := range sent {
			if sent[i] != want[i] && sent[i] != "-" {
				return fmt.Sprintf("B sends %s, want %s", sent, want)
			}
		}
		return ""
	})
}

// padCase is a golden case with lldpad as end B.
type padCase struct {
	title              string
	willingA, willingB bool
	a                  []string // pairs of old and new text in A's configuration
	b                  []string // pairs of TLV and values for lldptool
	wantA, wantB       string
}

var padCases = []padCase{
	{"only B is willing", false, true, nil, nil, "3 50", "3 40"},
	{"only A is willing", true, false, nil, nil, "4 80", "4 70"},
	{"both are willing", true, true, nil, nil, "4 80", "4 40"},
	{"none is willing", false, false, nil, nil, "3 50", "4 70"},
	{"none is willing, equal PFC", false, false, nil, []string{"PFC", "enabled=3"}, "3 50", "3 70"},
	{"B has no PFC", true, false, nil, []string{"PFC", "enabled=none"}, "none 80", "none 70"},
	{"B has PFC for all", true, false, nil, []string{"PFC", "enabled=0,1,2,3,4,5,6,7"}, "0,1,2,3,4,5,6,7 80", "0,1,2,3,4,5,6,7 70"},
	{"B recommends nothing", true, false, nil, []string{"ETS-REC", "enableTx=no"}, "4 50", "4 70"},
	{"B sends a recommendation alone", true, false, nil, []string{"ETS-CFG", "enableTx=no", "PFC", "enableTx=no"}, "3 80", "4 70"},
	{"B sends PFC alone", true, false, nil, []string{"ETS-CFG", "enableTx=no", "ETS-REC", "enableTx=no"}, "4 50", "4 70"},
	{"B's PFC TLV vanishes, both are willing", true, true, nil, []string{"PFC", "enableTx=no"}, "3 80", "4 40"},
	{"B sends no TLV", true, false, nil, []string{"ETS-CFG", "enableTx=no", "ETS-REC", "enableTx=no", "PFC", "enableTx=no"},
		"3 50", "4 70"},
	{"A is willing in PFC alone", true, false, []string{"pg: {willing: true", "pg: {willing: false"}, nil, "4 50", "4 70"},
	{"A is willing in ETS alone", true, false, []string{"pfc: {willing: true", "pfc: {willing: false"}, nil, "3 80", "4 70"},
	{"B is willing in PFC alone", false, false, nil, []string{"PFC", "willing=yes"}, "3 50", "3 70"},
	{"B is willing in ETS alone", false, false, nil, []string{"ETS-CFG", "willing=yes"}, "3 50", "4 40"},
	{"A does not take part in PFC", true, false, []string{"pfc: {", "pfc: {advertise: false, "}, nil, "3 80", "4 70"},
	{"A does not take part in ETS", true, true, []string{"pg: {", "pg: {advertise: false, "}, nil, "4 50", "4 70"},
	{"A has a single class", true, false, []string{"0, 0, 0, 1, 0", "0, 0, 0, 0, 0", "[50, 50,", "[100, 0,", "[40, 60,", "[100, 0,",
		"[ets, ets,", "[ets, strict,", "pg: {", "pg: {max_tcs: 1, "}, nil, "4 100", "4 70"},
	{"A recommends other classes", false, true, []string{"recommend: {traffic_class: [0, 0, 0, 1",
		"recommend: {traffic_class: [0, 1, 0, 1"}, nil, "3 50", "3 40"},
	{"A's exchange ends", true, true, []string{"mode: on, version: auto", "mode: off, version: auto"}, nil, "", "4 70"},
	{"A speaks IEEE alone", true, false, []string{"version: auto", "version: ieee"}, nil, "4 80", "4 70"},
}

// The golden cases that lldpad can be an end of: both ends' outcome in the daemon, and in the TLVs and the NIC of
// lldpad.
func TestGoldenCasesWithLLDPAD(t *testing.T) {
	t.Parallel()
	p := newPeers(t, endA("auto", true))
	for _, c := range padCases {
		p.lldpadIsB(c.willingB)
		for i := 0; i < len(c.b); i += 2 {
			p.b.Sets(c.b[i], c.b[i+1])
		}
		p.a.Reload(strings.NewReplacer(c.a...).Replace(endA("auto", c.willingA).Text(p.a.Socket)))
		p.reach(c.title, c.wantA, c.wantB)
	}
}

// Of two willing ends the one with the higher address decides about PFC, also after a change of the address. An lldpad
// that leaves takes its settings with it.
func TestAddressesAndGoodbyeWithLLDPAD(t *testing.T) {
	t.Parallel()
	p := newPeers(t, endA("auto", true))
	p.lldpadIsB(true)
	p.reach("B has the higher address", "4 80", "4 40")
	p.addresses("0c", "0b")
	p.reach("A has the higher address", "3 80", "3 40")
	p.b.Tool("set-lldp -i link0 adminStatus=disabled")
	bed.Eventually(t, "A has its own settings", func() string {
		if s := dcbxOf(p.a); said(p.a) != "ieee 3 50" || s.Peer != dcbx.PeerAbsent || s.IEEE.Oper.PFCAgreed {
			return said(p.a)
		}
		return ""
	})
	p.b.Kill()
	p.b = dcbnltest.StartLLDPAD(t, p.w.B)
	p.lldpadIsB(true)
	p.reach("B has started again", "3 80", "3 40")
}

// Where lldpad and this daemon differ, lldpad breaks a rule:
//   - When a peer's PFC TLV is gone, an end has its own priorities; lldpad keeps the peer's if its address is higher.
//   - An end sends its own Application entries; lldpad sends learned ones too, and two of them keep each other's.
//   - With two stations at the other end there is no exchange; lldpad follows whoever spoke last.
func TestWhereLLDPADDiffers(t *testing.T) {
	t.Parallel()
	p := newPeers(t, endA("auto", true))
	p.addresses("0c", "0b")
	p.lldpadIsB(true)
	p.b.Sets("APP", "app=4,3,443")
	p.b.Sets("APP", "enableTx=yes")
	p.reach("A has the higher address", "3 80", "3 40")
	bed.Eventually(t, "lldpad sends entries of A", func() string {
		out := p.b.Tool("-t -i link0")
		if !strings.Contains(out, "UDP or DCCP Port: 4791") || !strings.Contains(out, "dscp:  26") {
			return out
		}
		return ""
	})
	bed.Eventually(t, "A uses the entry of lldpad, and sends its own alone", func() string {
		s, view := dcbxOf(p.a).IEEE, p.b.Tool("-t -n -i link0")
		if !slices.Contains(s.Oper.App, ieee.AppEntry{Priority: 4, Selector: ieee.SelectorUDP, Protocol: 443}) ||
			strings.Contains(view, "443") || !strings.Contains(view, "4791") {
			return fmt.Sprintf("%+v\n%s", s.Oper.App, view)
		}
		return ""
	})
	p.a.Reload(strings.Replace(endA("auto", true).Text(p.a.Socket), "pfc: {", "pfc: {advertise: false, ", 1))
	bed.Eventually(t, "lldpad knows that A's PFC TLV is gone", func() string {
		out := p.b.Tool("-t -n -i link0")
		return map[bool]string{true: out}[strings.Contains(out, "PFC TLV")]
	})
	if got := p.card(); got != "3 40" {
		t.Errorf("lldpad has %s by now: it kept the peer's priorities, 3 40", got)
	}

	p.lldpadIsB(true)
	second := bed.Open(t, p.w.A, "link0", wire.EtherTypeLLDP)
	strange := lldptest.Good(lldptest.TLV(lldp.TypeOrg, 0x00, 0x80, 0xc2, ieee.SubtypePFC, 0x08, 1<<6))
	bed.Eventually(t, "lldpad follows the second station", func() string {
		second.Send(strange)
		got := p.card()
		return map[bool]string{false: got}[strings.HasPrefix(got, "6 ")]
	})
}

// In the daemon's place a second station at the other end stops the exchange, and the daemon says so.
func TestSecondStationBesideLLDPAD(t *testing.T) {
	t.Parallel()
	p := newPeers(t, endA("auto", true))
	p.lldpadIsB(false)
	p.reach("A follows B", "4 80", "4 70")
	bed.Open(t, p.w.B, "link0", wire.EtherTypeLLDP).Send(lldptest.Good(lldptest.TLV(lldp.TypeOrg, 0x00, 0x80, 0xc2,
		ieee.SubtypePFC, 0x08, 1<<6)))
	bed.Eventually(t, "A waits", func() string {
		if got := said(p.a) + " " + causes(p.a); got != "ieee 3 50 several_agents" {
			return got
		}
		return ""
	})
}

// lldpad and the daemon have the same view of each other's TLVs, in the words of lldptool.
func TestSameViewsAsLLDPAD(t *testing.T) {
	t.Parallel()
	p := newPeers(t, endA("auto", false))
	p.lldpadIsB(true)
	p.b.Sets("APP", "app=4,1,2054")
	p.b.Sets("APP", "enableTx=yes")
	p.reach("B follows A", "3 50", "3 40")
	bed.Eventually(t, "the views are the same", func() string {
		s := dcbxOf(p.a).IEEE
		if r := s.Remote; r.Configuration == nil || r.Recommendation == nil || r.PFC == nil || !r.HasApp {
			return "not all of lldpad's TLVs have come"
		}
		own := ieee.Remote{Configuration: &s.Own.ETS, Recommendation: &s.Own.Recommendation, PFC: &s.Own.PFC,
			App: s.Own.App}
		own.Configuration.ETS, own.PFC.Enable = s.Oper.ETS, s.Oper.PFC
		return cmp.Diff(inToolsWords(own), p.dcbxLines("-t -n -i link0")) +
			cmp.Diff(inToolsWords(s.Remote), p.dcbxLines("-t -i link0"))
	})
}

// dcbxLines returns what lldptool shows of the TLVs of DCBX, with single blanks.
func (p *peers) dcbxLines(args string) (list []string) {
	_, text, _ := strings.Cut(p.b.Tool(args), "\nIEEE 8021QAZ ETS")
	text, _, _ = strings.Cut("IEEE 8021QAZ ETS"+strings.ReplaceAll(text, "\b", ""), "End of")
	for line := range strings.Lines(text) {
		list = append(list, strings.Join(strings.Fields(line), " "))
	}
	return list
}

// inToolsWords returns the lines that lldptool has for TLVs.
func inToolsWords(r ieee.Remote) (list []string) {
	yes := map[bool]string{false: "no", true: "yes"}
	tables := func(e ieee.ETS) {
		classes, shares, algorithms := "PRIO_MAP:", "TC Bandwidth:", "TSA_MAP:"
		for i := range 8 {
			classes += fmt.Sprintf(" %d:%d", i, e.Class[i])
			shares += fmt.Sprintf(" %d%%", e.Bandwidth[i])
			algorithms += fmt.Sprintf(" %d:%s", i, []string{ieee.Strict: "strict", ieee.Enhanced: "ets"}[e.Algorithm[i]])
		}
		list = append(list, classes, shares, algorithms)
	}
	list = append(list, "IEEE 8021QAZ ETS Configuration TLV", "Willing: "+yes[r.Configuration.Willing],
		"CBS: not supported", fmt.Sprintf("MAX_TCS: %d", r.Configuration.MaxTCs))
	tables(r.Configuration.ETS)
	list = append(list, "IEEE 8021QAZ ETS Recommendation TLV")
	tables(*r.Recommendation)
	list = append(list, "IEEE 8021QAZ PFC TLV", "Willing: "+yes[r.PFC.Willing], "MACsec Bypass Capable: "+yes[r.PFC.MBC],
		fmt.Sprintf("PFC capable traffic classes: %d", r.PFC.Cap), "PFC enabled: "+dcbx.PFC{Enable: r.PFC.Enable}.String(),
		"IEEE 8021QAZ APP TLV")
	last := ""
	for i, e := range r.App {
		switch e.Selector {
		case ieee.SelectorEtherType:
			list = append(list, fmt.Sprintf("App# %d Prio %d Sel 1 P-ID Ethertype: 0x%04x", i, e.Priority, e.Protocol))
		case ieee.SelectorUDP:
			list = append(list, fmt.Sprintf("App# %d Prio %d Sel 3 P-ID UDP or DCCP Port: %d", i, e.Priority, e.Protocol))
		case ieee.SelectorDSCP:
			last = fmt.Sprintf("Prio:%d dscp: %d,", e.Priority, e.Protocol)
		}
	}
	return append(list, last)
}
