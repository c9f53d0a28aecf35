package tester

import (
	"path/filepath"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// Rules on LLDPDUs between two stations do to the wire what they say, and nothing else, by captures of the kernel at
// both ends. An LLDPDU leaves each second, so that all rules strike at the same time.
func TestInjectionsOfLLDP(t *testing.T) {
	t.Parallel()
	needsTshark(t)
	top := &bed.Topology{T: t, A: nstest.New(t, "A"), B: nstest.New(t, "B"), Wire: nstest.New(t, "wire")}
	var taps [2]*tap
	for i, ns := range []*netns.NS{top.A, top.B} {
		bed.Must(t, netns.Veth(ns, "link0", top.Wire, "ab"[i:i+1], bed.WiredMTU))
		taps[i] = newTap(t, ns, "link0")
	}
	s := &stage{t: t, top: top}
	s.plug(filepath.Join(t.TempDir(), "control"))
	in := injection{name: "LLDP and DCBX", effects: []effect{
		on("from=a kind=lldp every=2 first=2 drop", 2).loses("LLDP"),
		on("from=b kind=dcbx nth=2 rewrite=octets:16:AA", 1).loses("LLDP").adds("LLDP"),
		// The LLDPDUs of a station are alike, so the copy of one is as good as the next, which is damaged.
		on("from=b kind=dcbx nth=2 duplicate", 1),
		on("from=b kind=dcbx nth=2 corrupt=17:01", 1).adds("LLDP"),
	}}
	var ids []string
	for _, e := range in.effects {
		ids = append(ids, s.add(e.rule))
	}
	for i, ns := range []*netns.NS{top.A, top.B} {
		bed.NewDaemon(t, ns, "AB"[i:i+1], bed.LLDPOnly{DCBX: "mode: on"}).Start()
	}
	bed.Eventually(t, "hits", func() string {
		rules := s.rules()
		in.hits = nil
		for i, e := range in.effects {
			if in.hits = append(in.hits, rules[ids[i]].Hits); in.hits[i] < e.hits {
				return e.rule
			}
		}
		return ""
	})
	looks := [2][]unit{}
	time.Sleep(20 * calm) // until the last of them has crossed
	for i := range taps {
		looks[i] = taps[i].end("LLDP")
	}
	for way := range looks {
		d := compare(split(looks[way], true), split(looks[1-way], false))
		if want := in.wanted(way).String(); d.String() != want {
			t.Errorf("from %c: %s, expected %s", "ab"[way], d, want)
		}
		t.Logf("from %c: %s of %d", "ab"[way], d, len(split(looks[way], true)))
	}
}

// split returns the messages sent, or those received.
func split(all []unit, out bool) (some []unit) {
	for _, u := range all {
		if u.out == out {
			some = append(some, u)
		}
	}
	return some
}
