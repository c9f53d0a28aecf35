package ieee

import (
	"bytes"
	"encoding/hex"
	"reflect"
	"strings"
	"testing"

	"uelink/lldp/dcbx"
)

// payload is octets written in hexadecimal, with blanks.
func payload(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func half() ETS {
	return ETS{Class: [8]uint8{3: 3, 7: 7}, Bandwidth: [8]uint8{50, 0, 0, 50},
		Algorithm: [8]uint8{Enhanced, 0, 0, Enhanced}}
}

// The octets are those that tshark 4.0 and lldpad read and write.
func TestOctetsOfTheTLVs(t *testing.T) {
	rec := half()
	rec.Bandwidth = [8]uint8{40, 0, 0, 60}
	for _, c := range []struct {
		subtype uint8
		octets  string
		want    []byte
	}{
		{9, "00 00030007 3200003200000000 0200000200000000", Configuration{MaxTCs: 8, ETS: half()}.append(nil)},
		{9, "c3 01201120 1e46000000000000 02020100000000ff", Configuration{Willing: true, CBS: true, MaxTCs: 3,
			ETS: ETS{Class: [8]uint8{0, 1, 2, 0, 1, 1, 2, 0}, Bandwidth: [8]uint8{30, 70},
				Algorithm: [8]uint8{Enhanced, Enhanced, CreditShaper, 7: Vendor}}}.append(nil)},
		{10, "00 00030007 2800003c00000000 0200000200000000", rec.append([]byte{0})},
		{11, "08 08", PFC{Cap: 8, Enable: 1 << 3}.append(nil)},
		{11, "c2 18", PFC{Willing: true, MBC: true, Cap: 2, Enable: 3 << 3}.append(nil)},
		{12, "00 6312b7", appendApp(nil, []AppEntry{{3, SelectorUDP, 4791}})},
		{12, "00 618906 820cbc a401bb 45001a", appendApp(nil, []AppEntry{{3, SelectorEtherType, 0x8906},
			{4, SelectorTCP, 3260}, {5, SelectorPort, 443}, {2, SelectorDSCP, 26}})},
		{12, "00", appendApp(nil, nil)},
	} {
		octets := payload(t, c.octets)
		if !bytes.Equal(octets, c.want) {
			t.Errorf("subtype %d: %x, want %x", c.subtype, c.want, octets)
		}
		r := Decode([]TLV{{c.subtype, octets}})
		again := []byte(nil)
		switch {
		case r.Configuration != nil:
			again = r.Configuration.append(nil)
		case r.Recommendation != nil:
			again = r.Recommendation.append([]byte{0})
		case r.PFC != nil:
			again = r.PFC.append(nil)
		case r.HasApp:
			again = appendApp(nil, r.App)
		}
		if !bytes.Equal(again, octets) {
			t.Errorf("subtype %d: read and written again %x, want %x", c.subtype, again, octets)
		}
	}
}

// Lengths, duplicates and reserved bits.
func TestDamagedTLVs(t *testing.T) {
	const configuration, pfc = "00 00030007 3200003200000000 0200000200000000", "08 08"
	for _, c := range []struct {
		about   string
		tlvs    []string
		present bool
		fault   string
		count   Counters
	}{
		{"one octet short", []string{configuration[:len(configuration)-2]}, false, "too short", Counters{RxShort: 1}},
		{"empty", []string{""}, false, "too short", Counters{RxShort: 1}},
		{"longer", []string{configuration + "ffff"}, true, "", Counters{}},
		{"twice the same", []string{configuration, configuration}, true, "", Counters{}},
		{"twice, differing", []string{configuration, strings.Replace(configuration, "32", "33", 1)}, false, "two",
			Counters{RxDuplicate: 1}},
		{"reserved bits", []string{strings.Replace(configuration, "00", "38", 1)}, true, "", Counters{}},
	} {
		var tlvs []TLV
		for _, text := range c.tlvs {
			tlvs = append(tlvs, TLV{SubtypeETS, payload(t, text)})
		}
		tlvs = append(tlvs, TLV{SubtypePFC, payload(t, pfc)})
		r, fault, count := decode(tlvs)
		if (r.Configuration != nil) != c.present || !strings.Contains(string(fault), c.fault) || count != c.count {
			t.Errorf("%s: %+v, fault %q, %+v", c.about, r.Configuration, fault, count)
		}
		if c.fault == "" && fault != "" {
			t.Errorf("%s: fault %q", c.about, fault)
		}
		if r.PFC == nil {
			t.Errorf("%s: the TLV beside it was lost", c.about)
		}
	}
	r, _, count := decode([]TLV{{SubtypeApp, payload(t, "00 6312b7 6312")}})
	if len(r.App) != 1 || count.RxPartialApp != 1 {
		t.Errorf("part of an entry: %+v, %+v", r.App, count)
	}
	many := make([]AppEntry, 100)
	if r = Decode([]TLV{{SubtypeApp, appendApp(nil, many)}}); len(r.App) != 100 {
		t.Errorf("%d of 100 entries", len(r.App))
	}
}

// Tables that no scheduler can operate by.
func TestUnusableTables(t *testing.T) {
	for _, c := range []struct {
		about  string
		change func(*ETS)
		want   string
	}{
		{"as they should be", func(*ETS) {}, ""},
		{"sum 140", func(e *ETS) { e.Bandwidth[0] = 90 }, "add up to 140"},
		{"sum 99", func(e *ETS) { e.Bandwidth[0] = 49 }, "add up to 99"},
		{"class 15", func(e *ETS) { e.Class[2] = 15 }, "priority 2 is in traffic class 15"},
		{"algorithm 3", func(e *ETS) { e.Algorithm[1] = 3 }, "class 1 has the unknown selection algorithm 3"},
		{"algorithm 254", func(e *ETS) { e.Algorithm[7] = 254 }, "algorithm 254"},
		{"vendor", func(e *ETS) { e.Algorithm[7] = Vendor }, ""},
		{"all strict", func(e *ETS) { *e = ETS{} }, ""},
	} {
		e := half()
		c.change(&e)
		if reason := e.problem(); c.want == "" && reason != "" || !strings.Contains(string(reason), c.want) {
			t.Errorf("%s: %q, want %q", c.about, reason, c.want)
		}
	}
}

// Groups become classes, and classes become groups again.
func TestGroupsAndClasses(t *testing.T) {
	pg := dcbx.PG{Group: [8]uint8{0, 0, 0, 3, 0, 0, 0, dcbx.PGStrict}, Percentage: [8]uint8{50, 0, 0, 50}, NumTCs: 8}
	e := OfGroups(pg)
	if got := e.String(); got != "00010002 50,50,strict,strict,strict,strict,strict,strict" {
		t.Error(got)
	}
	if got := e.Groups(8).String(); got != "0001000F 50,50,0,0,0,0,0,0" {
		t.Error(got)
	}
	first := OfGroups(dcbx.Default().PG.Config)
	if got := first.String(); got != "00000000 100,strict,strict,strict,strict,strict,strict,strict" {
		t.Error(got)
	}
	each := ETS{Class: [8]uint8{0, 1, 2, 3, 4, 5, 6, 7}, Bandwidth: [8]uint8{13, 13, 13, 13, 12, 12, 12, 12},
		Algorithm: [8]uint8{2, 2, 2, 2, 2, 2, 2, 2}}
	for tcs := uint8(1); tcs <= 8; tcs++ {
		got := each.adopted(tcs)
		if reason := got.problem(); reason != "" {
			t.Errorf("%d classes: %s", tcs, reason)
		}
		for priority, class := range got.Class {
			if class >= tcs {
				t.Errorf("%d classes: priority %d is in class %d", tcs, priority, class)
			}
		}
	}
	// A share of a class without priorities, beyond the own classes.
	odd := ETS{Bandwidth: [8]uint8{60, 0, 0, 0, 0, 0, 0, 40}, Algorithm: [8]uint8{2, 0, 0, 0, 0, 0, 0, 2}}
	if got := odd.adopted(4).String(); got != "00000000 100,strict,strict,strict,strict,strict,strict,strict" {
		t.Error(got)
	}
}

// Every algorithm and every class that do not exist, in each place, and every sum of shares but 100.
func TestEveryUnusableValue(t *testing.T) {
	unusable := func(about string, value int, change func(*ETS)) {
		t.Helper()
		e := half()
		change(&e)
		if e.problem() == "" {
			t.Errorf("%s %d is taken", about, value)
		}
		a, b := newEnd(1, first(true)), newEnd(2, second(false))
		settle(a, b)
		a.port.Receive(1, b.mac, append(b.without(SubtypeRecommendation),
			TLV{SubtypeRecommendation, e.append([]byte{0})}), &a.out)
		if o := a.port.Outcome(); o.ETS != first(true).ETS.ETS || o.ETSNote == "" || o.PFC != 1<<4 {
			t.Errorf("%s %d: %+v", about, value, o)
		}
	}
	for i := range classes {
		for algorithm := 3; algorithm <= 254; algorithm++ {
			unusable("algorithm", algorithm, func(e *ETS) { e.Algorithm[i] = uint8(algorithm) })
		}
		for class := classes; class < 16; class++ {
			unusable("class", class, func(e *ETS) { e.Class[i] = uint8(class) })
		}
	}
	for share := range 256 {
		if share != 50 {
			unusable("share", share, func(e *ETS) { e.Bandwidth[3] = uint8(share) })
		}
	}
}

// A hundred applications of the peer are used, beside a hundred of our own, and all of ours are sent.
func TestHundredApplications(t *testing.T) {
	la, lb := first(true), second(true)
	la.WithoutApp, lb.WithoutApp = false, false
	for i := range uint16(100) {
		la.App = append(la.App, AppEntry{3, SelectorTCP, 1000 + i})
		lb.App = append(lb.App, AppEntry{4, SelectorTCP, 1050 + i})
	}
	a, b := newEnd(1, la), newEnd(2, lb)
	settle(a, b)
	for _, e := range []*end{a, b} {
		if got, sent := len(e.port.Outcome().App), len(Decode(e.port.AppendTLVs(nil)).App); got != 150 || sent != 100 {
			t.Errorf("%d entries in use, want 150, and %d sent, want 100", got, sent)
		}
	}
	for _, e := range a.port.Outcome().App {
		if want := map[bool]uint8{true: 3, false: 4}[e.Protocol < 1100]; e.Priority != want {
			t.Errorf("port %d has priority %d", e.Protocol, e.Priority)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(uint8(9), payload(f, "00 00030007 3200003200000000 0200000200000000"), payload(f, "08 08"))
	f.Fuzz(func(t *testing.T, subtype uint8, a, b []byte) {
		p := NewPort(ConvertLocal(dcbx.Default()))
		var out Output
		p.SetRunning(true, &out)
		p.Receive(1, MAC{1}, []TLV{{subtype, a}, {subtype, b}, {SubtypePFC, b}}, &out)
		if reason := p.Outcome().ETS.problem(); reason != "" {
			t.Errorf("the outcome is unusable: %s", reason)
		}
		if r := Decode(p.AppendTLVs(nil)); r.Configuration == nil || r.PFC == nil || *r.PFC != *p.sent().pfc {
			t.Errorf("sent and read again: %+v", r)
		}
	})
}

// Each TLV with octets missing and too many, twice, and with its reserved bits set: the others stay.
func TestEachTLVDamaged(t *testing.T) {
	good := map[uint8]string{9: "00 00030007 3200003200000000 0200000200000000",
		10: "00 00030007 2800003c00000000 0200000200000000", 11: "08 08", 12: "00 6312b7"}
	reserved := map[uint8]byte{9: 0x38, 10: 0xff, 11: 0x30, 12: 0xff} // of the first octet
	whole := func(octets []byte, subtype uint8, more ...TLV) Remote {
		list := []TLV{{subtype, octets}}
		for other, text := range good {
			if other != subtype {
				list = append(list, TLV{other, payload(t, text)})
			}
		}
		r := Decode(append(list, more...))
		n := 0
		for _, ok := range []bool{r.Configuration != nil, r.Recommendation != nil, r.PFC != nil, r.HasApp} {
			if ok {
				n++
			}
		}
		if n < 3 {
			t.Errorf("subtype %d: %d TLVs of 4 are left", subtype, n)
		}
		return r
	}
	carries := func(r Remote, subtype uint8) bool {
		return map[uint8]bool{9: r.Configuration != nil, 10: r.Recommendation != nil, 11: r.PFC != nil,
			12: r.HasApp}[subtype]
	}
	for subtype, text := range good {
		octets := payload(t, text)
		want := whole(octets, subtype)
		for n := range octets {
			if r := whole(octets[:n], subtype); carries(r, subtype) != (subtype == SubtypeApp && n > 0) {
				t.Errorf("subtype %d with %d octets: %+v", subtype, n, r)
			}
		}
		for about, r := range map[string]Remote{
			"longer":         whole(append(octets[:len(octets):len(octets)], 0xff, 0xff), subtype),
			"twice":          whole(octets, subtype, TLV{subtype, octets}),
			"reserved bits":  whole(append([]byte{octets[0] | reserved[subtype]}, octets[1:]...), subtype),
			"other subtypes": whole(octets, subtype, TLV{8, octets}, TLV{16, octets}),
		} {
			if !reflect.DeepEqual(r, want) {
				t.Errorf("subtype %d, %s: %+v, want %+v", subtype, about, r, want)
			}
		}
		changed := append([]byte{}, octets...)
		changed[len(changed)-1]++
		if carries(whole(octets, subtype, TLV{subtype, changed}), subtype) {
			t.Errorf("subtype %d: one of two that differ is used", subtype)
		}
	}
}
