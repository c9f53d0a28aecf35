package remedy

import (
	"strconv"
	"strings"
	"testing"

	"uelink/dataplane/partner"
	"uelink/wire"
)

// own is an end with names of its own, and its partner's address.
var own = Own{
	Port: "link0", Interface: "eth1", Partner: wire.MAC{2, 0, 0, 0, 0, 9}, EtherTypeData: wire.EtherTypeData,
	EtherTypeCtl: wire.EtherTypeControl, Address: wire.MAC{2, 0x75, 0x65, 0, 0, 1},
}

// A case of each problem at the two ends of a link: exactly one end has the command, and the other names the partner
// and the setting for which it waits. Where neither end can act, neither has a command.
func TestOneEndHasTheCommand(t *testing.T) {
	f := func(p partner.Problem) partner.Finding { return partner.Finding{Problem: p} }
	lower := func(p partner.Problem) (acts, waits partner.Finding) {
		return partner.Finding{Problem: p, Acts: true, Control: 0x9102, Data: 0x9101},
			partner.Finding{Problem: p, Awaits: true, Control: 0x9102, Data: 0x9101}
	}
	pair := func(acts, waits partner.Finding) [2]partner.Finding { return [2]partner.Finding{acts, waits} }
	for _, c := range []struct {
		ends    [2]partner.Finding // the first acts
		own     func(o *Own)
		command string
		awaited string
	}{
		{ends: pair(lower(partner.EtherType)), awaited: "ethertypes: {data: 0x88b5, control: 0x88b6}",
			command: "uelink config set ports.link0.ethertypes.data 0x9101 && " +
				"uelink config set ports.link0.ethertypes.control 0x9102 && uelink reload"},
		{ends: pair(lower(partner.DataEtherType)), awaited: "ethertypes.data: 0x88b5",
			command: "uelink config set ports.link0.ethertypes.data 0x9101 && " +
				"uelink config set ports.link0.ethertypes.control 0x9102 && uelink reload"},
		{ends: pair(lower(partner.Dialect)), awaited: "dialect: seed",
			command: "uelink config set ports.link0.dialect ue1 && uelink reload"},
		{ends: pair(lower(partner.FCS)), awaited: "fcs: true",
			command: "uelink config set ports.link0.fcs true && uelink reload"},
		{ends: pair(lower(partner.OtherProtocol)), awaited: "protocol: llr",
			command: "uelink config set ports.link0.protocol llr && uelink config set ports.link0.llr.mode static && uelink " +
				"config set ports.link0.llr.local true && uelink config set ports.link0.llr.remote true && uelink reload"},
		{ends: pair(lower(partner.SameAddress)), awaited: "another address",
			command: "ip link set dev eth1 address 02:75:65:00:00:01"},
		{ends: pair(f(partner.NoLLRHere), f(partner.NoLLRThere)), awaited: "llr.local: true",
			command: "uelink llr local enable link0"},
		{ends: pair(f(partner.NoLLRHere), f(partner.NoLLRThere)), own: func(o *Own) { o.AcceptLLR = ByLocal },
			awaited: "llr.local: true", command: "uelink config set ports.link0.llr.local true && uelink reload"},
		{ends: pair(f(partner.NoLLRHere), f(partner.NoLLRThere)), own: func(o *Own) { o.AcceptLLR = ByMode },
			awaited: "llr.local: true", command: "uelink config set ports.link0.llr.mode static && uelink config set ports.link0.llr.local true && " +
				"uelink config set ports.link0.llr.remote true && uelink reload"},
		{ends: pair(f(partner.HostsHere), f(partner.SendsHosts)), awaited: "encapsulation: addressed",
			command: "uelink config set ports.link0.encapsulation addressed && uelink reload"},
		{ends: pair(f(partner.TooShort), partner.Finding{Problem: partner.Largest, Octets: 9046, Carries: 1546}),
			own:     func(o *Own) { o.Raise = []MTU{{"eth0", 9000}} },
			awaited: "an MTU larger by 7500", command: "ip link set dev eth0 mtu 9000"},
		{ends: pair(f(partner.TooShort), partner.Finding{Problem: partner.Largest, Octets: 9046, Carries: 1546}),
			own:     func(o *Own) { o.Raise = []MTU{{"eth0", 9000}, {"eth1", 9014}} },
			awaited: "an MTU larger by 7500", command: "ip link set dev eth0 mtu 9000 && ip link set dev eth1 mtu 9014"},
		{ends: pair(f(partner.None), f(partner.NoAddressed)), awaited: "a newer uelink"},
		{ends: pair(lower(partner.CreditsHere)), own: func(o *Own) {
			o.Credits = Credits{Keys: []string{"cbfc.credit_size", "512"}, Size: 2048}
		}, awaited: "cbfc.credit_size: 0, packet_overhead: 0",
			command: "uelink config set ports.link0.cbfc.credit_size 512 && uelink reload"},
		{ends: pair(f(partner.ReplayHere), f(partner.Replay)), awaited: "replay: selective",
			command: "uelink config set llr_profiles.default.replay selective && uelink reload"},
		{ends: pair(partner.Finding{Problem: partner.VCsHere, VCs: 4}, f(partner.VCs)), awaited: "vcs: 0",
			command: "uelink config set ports.link0.vcs 4 && uelink reload"},
		{ends: pair(f(partner.None), f(partner.Credits)), awaited: "cbfc"},
		{ends: pair(f(partner.NoDataHere), f(partner.NoData))},
		{ends: pair(f(partner.Reported), f(partner.WireLimit))},
		{ends: pair(f(partner.Unheard), f(partner.Silent))},
		{ends: pair(f(partner.None), f(partner.Loop))},
		{ends: pair(f(partner.None), f(partner.Tagged))},
	} {
		o := own
		if c.own != nil {
			c.own(&o)
		}
		acts, waits := Find(c.ends[0], &o), Find(c.ends[1], &own)
		if acts.Command != c.command || waits.Command != "" {
			t.Errorf("%s: %q at the end that acts, %q at the other", c.ends[1].Reason(), acts.Command, waits.Command)
		}
		waiting := ": waiting for " + c.awaited + " at 02:00:00:00:00:09"
		if strings.Contains(waits.Text, "waiting for") != (c.awaited != "") ||
			c.awaited != "" && !strings.HasSuffix(waits.Text, waiting) {
			t.Errorf("%s: the other end waits so: %q", c.ends[1].Reason(), waits.Text)
		}
		for _, r := range []Remedy{acts, waits} {
			if strings.ContainsAny(r.Text+r.Command, "{}") && !strings.Contains(r.Text, "ethertypes: {data") {
				t.Errorf("a word is not filled in: %v", r)
			}
		}
	}
}

// Each problem has a row with a text; a row that acts here, or at either end, has a command.
func TestEveryProblemHasARow(t *testing.T) {
	for p := partner.EtherType; p <= partner.VCsHere; p++ {
		r := &table[p]
		if r.text == "" || (r.command != "") != (r.acts == thisEnd || r.acts == either) ||
			(r.awaited != "") != (r.acts == otherEnd || r.acts == either) || (r.alike != "") != (r.acts == either) {
			t.Errorf("%s: %+v", p.Reason(), r)
		}
	}
	if int(partner.VCsHere)+1 != len(table) || len(partner.Reasons()) != len(table)-1 {
		t.Errorf("%d rows", len(table))
	}
	if r := Find(partner.Finding{}, &own); r != (Remedy{}) {
		t.Errorf("without a problem: %v", r)
	}
}

// Without start ids neither end acts by itself: both ends say that the setting has to be the same.
func TestNeitherEndIsKnownToAct(t *testing.T) {
	r := Find(partner.Finding{Problem: partner.Dialect}, &own)
	if r.Command != "" || !strings.HasSuffix(r.Text, "ue1, this port seed: set the same dialect at both ends") {
		t.Errorf("%v", r)
	}
}

// No trouble of a partner, known or not, with any operands, leads to a command.
func TestAReportHasNoCommand(t *testing.T) {
	for number := range 256 {
		for _, operand := range []uint16{0, 1, 9000, 0xFFFF} {
			r := Find(partner.Finding{Problem: partner.Reported, Trouble: wire.Trouble{Number: uint8(number), A: operand,
				B: operand}}, &own)
			if r.Command != "" {
				t.Fatalf("number %d: %q", number, r.Command)
			}
		}
	}
	r := Find(partner.Finding{Problem: partner.Reported, Trouble: wire.Trouble{Number: 99, A: 7, B: 8}}, &own)
	if !strings.HasSuffix(r.Text, "does not see: number 99 (7, 8)") {
		t.Errorf("%q", r.Text)
	}
	r = Find(partner.Finding{Problem: partner.Reported, Trouble: wire.Trouble{Number: uint8(partner.WireLimit), A: 1400}},
		&own)
	if !strings.HasSuffix(r.Text, "does not see: wire_length, number 11 (1400, 0)") {
		t.Errorf("%q", r.Text)
	}
}

// A trouble about credits leads to a command only where the receiver's own state confirms it.
func TestCreditsThatAreMissing(t *testing.T) {
	g := Grants{On: true, PartnerOn: true, Asked: 1 << 3, Size: 2048, LeastSize: 32, MostSize: 2048, LeastOverhead: -63,
		MostOverhead: 127, MostLimit: 16383}
	trouble := func(vc, reason uint8, overhead, value int) wire.Trouble {
		return CreditTrouble(uint8(partner.Credits), vc, reason, overhead, value)
	}
	for _, c := range []struct {
		t      wire.Trouble
		change func(g *Grants)
		keys   string
	}{
		{trouble(3, Refused, 0, 0), nil, "cbfc.vcs.3.lossless true"},
		{trouble(4, Refused, 0, 0), nil, ""}, // nobody has asked for it
		{trouble(3, Refused, 0, 0), func(g *Grants) { g.Limit[3] = 1 }, ""},
		{trouble(4, NoCBFC, 0, 0), func(g *Grants) { g.On = false }, "cbfc.vcs.4.lossless true cbfc.mode static"},
		{trouble(4, NoCBFC, 0, 0), func(g *Grants) { g.On, g.PartnerOn = false, false }, ""},
		{trouble(3, NoCBFC, 0, 0), nil, ""},
		{trouble(3, LimitTooLow, 0, 5), func(g *Grants) { g.Limit[3] = 4 }, "cbfc.vcs.3.limit 5"},
		{trouble(3, LimitTooLow, 0, 5), func(g *Grants) { g.Limit[3] = 5 }, ""},
		{trouble(3, LimitTooLow, 0, 5), func(g *Grants) { g.Total = 4 }, "cbfc.total_credits 5"},
		{trouble(3, LimitTooLow, 0, 16384), nil, ""},
		{trouble(3, OtherSize, -4, 512), nil, "cbfc.credit_size 512 cbfc.packet_overhead -4"},
		{trouble(3, OtherSize, 0, 2048), nil, ""}, {trouble(3, OtherSize, 0, 500), nil, ""},
		{trouble(3, OtherSize, 0, 4096), nil, ""}, {trouble(3, OtherSize, -128, 512), nil, ""},
		{wire.Trouble{A: 0xFFFF, B: 0xFFFF}, nil, ""},
	} {
		grants := g
		if c.change != nil {
			c.change(&grants)
		}
		got, ok := grants.Missing(c.t)
		if keys := strings.Join(got.Keys, " "); keys != c.keys || ok != (c.keys != "") {
			t.Errorf("%+v: %q, want %q", c.t, keys, c.keys)
		}
	}
}

// The EtherTypes of the partner are set in an order in which no file has the same EtherType twice.
func TestEtherTypesAreNeverTheSame(t *testing.T) {
	const a, b, c, d, spare = 0x88B5, 0x88B6, 0x9101, 0x9102, 0x9103
	for _, one := range []struct{ own, theirs [2]uint16 }{
		{[2]uint16{a, b}, [2]uint16{b, a}}, {[2]uint16{c, d}, [2]uint16{d, c}}, {[2]uint16{a, b}, [2]uint16{b, c}},
		{[2]uint16{a, b}, [2]uint16{c, a}}, {[2]uint16{a, b}, [2]uint16{c, d}}, {[2]uint16{a, b}, [2]uint16{a, c}},
		{[2]uint16{a, b}, [2]uint16{c, b}}, {[2]uint16{a, b}, [2]uint16{0, c}}, {[2]uint16{a, b}, [2]uint16{c, 0}},
		{[2]uint16{a, b}, [2]uint16{b, 0}},
	} {
		o := own
		o.EtherTypeData, o.EtherTypeCtl = one.own[0], one.own[1]
		command := Find(partner.Finding{Problem: partner.EtherType, Acts: true, Data: one.theirs[0], Control: one.theirs[1]},
			&o).Command
		data, control := o.EtherTypeData, o.EtherTypeCtl
		for step := range strings.SplitSeq(strings.TrimSuffix(command, " && uelink reload"), " && ") {
			words := strings.Fields(step)
			value := parse(t, words[4])
			switch words[3] {
			case "ports.link0.ethertypes.data":
				data = value
			case "ports.link0.ethertypes.control":
				control = value
			default:
				t.Fatalf("%q", step)
			}
			if data == control {
				t.Errorf("%q: after %q both are %#x", command, step, data)
			}
		}
		if one.theirs[0] == 0 {
			one.theirs[0] = o.EtherTypeData
		}
		switch {
		case one.theirs[1] != 0:
		case one.theirs[0] == o.EtherTypeCtl:
			one.theirs[1] = o.EtherTypeData
		default:
			one.theirs[1] = o.EtherTypeCtl
		}
		if [2]uint16{data, control} != one.theirs {
			t.Errorf("%q leads to %#x and %#x", command, data, control)
		}
	}
}

func parse(t *testing.T, text string) uint16 {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(text, "0x"), 16, 16)
	if err != nil {
		t.Fatal(err)
	}
	return uint16(n)
}

// The causes of a silence are ranked by what this end has observed, and joined by "Or"; none has a command.
func TestCausesOfSilence(t *testing.T) {
	pinned, other := wire.MAC{2, 0, 0, 0, 0, 5}, wire.MAC{2, 0, 0, 0, 0, 6}
	for _, c := range []struct {
		name  string
		f     partner.Finding
		s     Silence
		first string
		says  []string
		not   string
	}{
		{"nothing arrives", partner.Finding{}, Silence{}, "is uelinkd running at the other end with LLR on?",
			[]string{"edge port", "01-80-c2-00-00-0e", "only IP", "firewall"}, "one direction"},
		{"nothing arrives at an addressed end", partner.Finding{}, Silence{Addressed: true},
			"is uelinkd running at the other end with LLR on?", []string{"edge port", "only IP"}, "01-80-c2"},
		{"nothing arrives in EC2", partner.Finding{}, Silence{Network: "EC2"}, "is uelinkd running at the other end with LLR on?",
			[]string{"Or: is this interface in the network of EC2, which carries only IP?"}, ""},
		{"another address in partner", partner.Finding{}, Silence{Pinned: pinned, Other: other},
			"this port listens to 02:00:00:00:00:05 alone (partner), and frames come from 02:00:00:00:00:06",
			[]string{"rx_other_station"}, "uelinkd"},
		{"another address in partner there", partner.Finding{}, Silence{To: pinned, Other: other},
			"frames come from 02:00:00:00:00:06 and are for 02:00:00:00:00:05", nil, "uelinkd"},
		{"the own address in partner", partner.Finding{}, Silence{Own: pinned, Pinned: pinned, Other: other},
			"the address in partner, 02:00:00:00:00:05, is the address of this port itself", nil, "uelinkd"},
		{"the own address in partner there", partner.Finding{}, Silence{To: other, Other: other},
			"frames come from 02:00:00:00:00:06 and are for the same address: does partner at the other end contain", nil, "uelinkd"},
		{"LLDP arrives", partner.Finding{}, Silence{LLDP: true}, "LLDP of uelinkd has arrived", nil, "wire cut"},
		{"stopped", partner.Finding{Heard: true}, Silence{}, "is uelinkd running at the other end with LLR on, and not suspended (SIGSTOP)?",
			[]string{"wire cut"}, "edge port"},
		{"replaced", partner.Finding{Heard: true, Native: true}, Silence{},
			"is uelinkd running at the other end with LLR on, and not suspended (SIGSTOP)?", []string{"edge port"}, "wire cut"},
		{"an edge", partner.Finding{Native: true}, Silence{}, "plain Ethernet frames arrive",
			[]string{"edge port", "01-80-c2-00-00-0e"}, "wire cut"},
		{"HIPPI", partner.Finding{}, Silence{HIPPI: true}, "is uelinkd running at the other end with protocol: hippi6400?", nil,
			"LLR on"},
		{"one direction", partner.Finding{Heard: true, Lost: true}, Silence{}, "is uelinkd running at the other end",
			[]string{"one direction only"}, ""},
	} {
		c.f.Problem = partner.Silent
		o := own
		o.Silence = c.s
		r := Find(c.f, &o)
		text, ok := strings.CutPrefix(r.Text, "partner is silent: "+c.first)
		if !ok || r.Command != "" || c.not != "" && strings.Contains(r.Text, c.not) {
			t.Errorf("%s: %v", c.name, r)
		}
		for _, says := range c.says {
			if !strings.Contains(c.first+text, says) {
				t.Errorf("%s: %q lacks %q", c.name, r.Text, says)
			}
		}
	}
}
