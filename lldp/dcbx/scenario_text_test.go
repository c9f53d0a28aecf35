package dcbx

import (
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
)

func basePG() Params[PG] {
	return Params[PG]{Enable: true, Advertise: true, Config: PG{Percentage: [8]uint8{100}, NumTCs: 8}}
}

func basePFC() Params[PFC] {
	return Params[PFC]{Enable: true, Advertise: true, Config: PFC{NumTCs: 8}}
}

// local is what was set last.
func (p *Port) local() Local { return Local{PG: p.pg.wanted, PFC: p.pfc.wanted, App: p.app.wanted} }

// words is a line of the text language: bare words and key=value.
type words struct {
	name string
	bare map[string]bool
	val  map[string]string
}

func parseWords(line string) words {
	fields := strings.Fields(line)
	w := words{name: fields[0], bare: map[string]bool{}, val: map[string]string{}}
	for _, f := range fields[1:] {
		if key, value, ok := strings.Cut(f, "="); ok {
			w.val[key] = value
		} else {
			w.bare[f] = true
		}
	}
	return w
}

// number is a decimal or 0x number, 0 if it is not there.
func (w words) number(t *testing.T, key string) uint32 {
	if w.val[key] == "" {
		return 0
	}
	n, err := strconv.ParseUint(w.val[key], 0, 32)
	if err != nil {
		t.Fatal(err)
	}
	return uint32(n)
}

// list is the numbers of a list with commas.
func (w words) list(t *testing.T, key string) (ns []uint8) {
	for text := range strings.SplitSeq(w.val[key], ",") {
		if text != "" {
			n, err := strconv.ParseUint(text, 0, 8)
			if err != nil {
				t.Fatal(err)
			}
			ns = append(ns, uint8(n))
		}
	}
	return ns
}

// pg reads groups=00001111 share=50,50 tcs=8.
func (w words) pg(t *testing.T) PG {
	c := basePG().Config
	for i, r := range w.val["groups"] {
		n, err := strconv.ParseUint(string(r), 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c.Group[i] = uint8(n)
	}
	if w.val["share"] != "" {
		c.Percentage = [8]uint8{}
		copy(c.Percentage[:], w.list(t, "share"))
	}
	if w.val["tcs"] != "" {
		c.NumTCs = uint8(w.number(t, "tcs"))
	}
	return c
}

// pfc reads on=3,4 tcs=8.
func (w words) pfc(t *testing.T) PFC {
	c := basePFC().Config
	for _, priority := range w.list(t, "on") {
		c.Enable |= 1 << priority
	}
	if w.val["tcs"] != "" {
		c.NumTCs = uint8(w.number(t, "tcs"))
	}
	return c
}

// app reads fcoe=3: the priorities of EtherType 0x8906.
func (w words) app(t *testing.T) (c App) {
	for _, priority := range w.list(t, "fcoe") {
		c.Entries = append(c.Entries, AppEntry{Protocol: 0x8906, OUI: OUI, Priorities: 1 << priority})
	}
	return c
}

// parseLocal changes the features that the input has a line for.
func parseLocal(t *testing.T, d *datadriven.TestData, local *Local) {
	for line := range strings.Lines(d.Input) {
		switch w := parseWords(line); w.name {
		case "pg":
			local.PG = params(w, w.pg(t))
		case "pfc":
			local.PFC = params(w, w.pfc(t))
		case "app":
			local.App = params(w, w.app(t))
		default:
			d.Fatalf(t, "no feature %q", w.name)
		}
	}
}

func params[C any](w words, c C) Params[C] {
	return Params[C]{Enable: !w.bare["disabled"], Willing: w.bare["willing"], Advertise: !w.bare["silent"], Config: c}
}

// parsePayloads builds DCBX TLVs sub-TLV by sub-TLV; a line "tlv" begins
// another one, "cut" takes the last octet away.
func parsePayloads(t *testing.T, d *datadriven.TestData) (payloads [][]byte) {
	var b []byte
	for line := range strings.Lines(d.Input) {
		w := parseWords(line)
		h := Header{OperVersion: uint8(w.number(t, "oper")), MaxVersion: uint8(w.number(t, "max")),
			Enable: !w.bare["disabled"], Willing: w.bare["willing"], Error: w.bare["error"]}
		switch w.name {
		case "tlv":
			payloads, b = append(payloads, b), nil
		case "control":
			b = Control{h.OperVersion, h.MaxVersion, w.number(t, "seq"), w.number(t, "ack")}.append(b)
		case "pg":
			b = appendFeature(b, FeaturePG, &FeatureTLV[PG]{Present: true, Header: h, Config: w.pg(t)})
		case "pfc":
			b = appendFeature(b, FeaturePFC, &FeatureTLV[PFC]{Present: true, Header: h, Config: w.pfc(t)})
		case "app":
			b = appendFeature(b, FeatureApp, &FeatureTLV[App]{Present: true, Header: h, Config: w.app(t)})
		case "raw":
			b = append(append([]byte{}, b...), must(hex.DecodeString(w.val["octets"]))(t)...)
		case "cut":
			b = b[:len(b)-1]
		default:
			d.Fatalf(t, "no sub-TLV %q", w.name)
		}
	}
	if b != nil {
		payloads = append(payloads, b)
	}
	return payloads
}

// report says what a port did, and clears it.
func (s *scenario) report(p *station) {
	for _, f := range []Feature{0, FeaturePG, FeaturePFC, FeatureApp} {
		if f == FeatureApp && !p.port.app.wanted.Advertise {
			continue
		}
		if path := states(p.out.Steps, f); path != "" {
			name := f.String()
			if f == 0 {
				name = "control"
			}
			s.printf("%s %-7s %s\n", p.name, name, path)
		}
	}
	for _, c := range p.out.PG {
		s.printf("%s SetCfg  pg %v %v: operational %v\n", p.name, c.Config, c.Apply, c.Oper)
	}
	for _, c := range p.out.PFC {
		s.printf("%s SetCfg  pfc %v %v: operational %v\n", p.name, c.Config, c.Apply, c.Oper)
	}
	for _, c := range p.out.App {
		if p.port.app.wanted.Advertise {
			s.printf("%s SetCfg  app %v %v: operational %v\n", p.name, c.Config, c.Apply, c.Oper)
		}
	}
	for _, e := range p.out.Events {
		s.printf("%s event   %v\n", p.name, e)
	}
	if p.out.Changed {
		s.printf("%s has something to send\n", p.name)
		p.due = true
	}
	p.out.Reset()
}

// states is the way of one machine through its states.
func states(steps []Step, f Feature) string {
	var path []string
	for _, step := range steps {
		if step.Feature == f {
			path = append(path, step.State)
		}
	}
	return strings.Join(path, " → ")
}

// frame is the TLV that a port sends, as text.
func frame(t *testing.T, p *Port) string {
	payload, ok := p.AppendTLV(nil)
	if !ok {
		return "no DCBX TLV"
	}
	m := must(Decode(payload))(t)
	parts := []string{fmt.Sprintf("v%d/%d seq %d ack %d", m.Control.OperVersion, m.Control.MaxVersion, m.Control.SeqNo,
		m.Control.AckNo)}
	if m.PG.Present {
		parts = append(parts, fmt.Sprintf("pg %s %v", headerText(m.PG.Header), m.PG.Config))
	}
	if m.PFC.Present {
		parts = append(parts, fmt.Sprintf("pfc %s %v", headerText(m.PFC.Header), m.PFC.Config))
	}
	if m.App.Present {
		parts = append(parts, fmt.Sprintf("app %s %v", headerText(m.App.Header), m.App.Config))
	}
	return strings.Join(parts, " | ")
}

// headerText is v0/0 EN W ER.
func headerText(h Header) string {
	flags := []string{fmt.Sprintf("v%d/%d", h.OperVersion, h.MaxVersion)}
	for name, on := range map[string]bool{"EN": h.Enable, "W": h.Willing, "ER": h.Error} {
		if on {
			flags = append(flags, name)
		}
	}
	slices.Sort(flags[1:])
	return strings.Join(flags, " ")
}

// show prints the numbers and the operational state.
func (s *scenario) show(v Snapshot) {
	s.printf("peer %s, seq %d ack %d rcvdack %d, version %d of %d\n", v.Peer, v.Control.Local.SeqNo, v.Control.Local.AckNo,
		v.Control.RcvdAckNo, v.Control.Local.OperVersion, v.Control.Local.MaxVersion)
	if v.Note != ReasonNone {
		s.printf("note: %s\n", v.Note)
	}
	s.printf("pg  %s\n", showFeature(v.PG))
	s.printf("pfc %s\n", showFeature(v.PFC))
	if v.App.Admin.Advertise || v.App.Peer.Present {
		s.printf("app %s\n", showFeature(v.App))
		s.printf("app of the peer: %+v\n", v.App.Peer.Config.Entries)
	}
	if c := v.Counters; c != (Counters{RxTLVs: c.RxTLVs, TxChanges: c.TxChanges}) {
		s.printf("%+v\n", c)
	}
}

func showFeature[C any](v FeatureView[C]) string {
	text := fmt.Sprintf("%s: OperMode %v, %v", v.State, v.Oper.OperMode, v.Oper.OperCfg)
	for _, flag := range []struct {
		name string
		on   bool
	}{{"Error", v.Oper.Error}, {"not Syncd", !v.Oper.Syncd}, {"change pending", v.Pending}} {
		if flag.on {
			text += ", " + flag.name
		}
	}
	if v.Note != ReasonNone {
		text += "; note: " + string(v.Note)
	}
	return text
}
