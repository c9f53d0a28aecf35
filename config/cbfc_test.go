package config

import (
	"fmt"
	"strings"
	"testing"

	"uelink/cbfc"
	"uelink/dataplane/model"
	"uelink/dataplane/sched"
	"uelink/lldp/ue"
)

// creditLink is the link port with this in its section cbfc.
func creditLink(t *testing.T, keys string) model.PortSettings {
	t.Helper()
	return settings(t, port("cbfc: {"+keys+"}"), model.RoleLink)
}

// losslessList is entries of vcs for the channels 0 to n-1.
func losslessList(n int) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf("{index: %d, lossless: true}", i))
	}
	return "vcs: [" + strings.Join(list, ", ") + "]"
}

// The lossless channels share 1024 frames of the least length, but have 128 to 512 each.
func TestAutoLimitIsAShare(t *testing.T) {
	for _, c := range []struct{ channels, size, overhead, want int }{
		{1, 2048, 0, 512},
		{2, 2048, 0, 512},
		{3, 2048, 0, 341},
		{4, 2048, 127, 256},
		{8, 64, 0, 128},
		{32, 64, 0, 128},
		{4, 32, 0, 512},    // such a frame costs two credits
		{1, 32, 127, 3072}, // and here six
		{1, 32, -16, 1024},
	} {
		p := creditLink(t, fmt.Sprintf("mode: static, credit_size: %d, packet_overhead: %d, %s", c.size, c.overhead,
			losslessList(c.channels)))
		for vc, limit := range p.CBFC.Limit {
			want := c.want
			if vc >= c.channels {
				want = 0
			}
			if int(limit) != want {
				t.Errorf("%+v: VC %d has %d", c, vc, limit)
			}
		}
		if p.VCs != c.channels || p.CBFC.Lossless != uint32(1<<c.channels-1) {
			t.Errorf("%+v: %d VCs, lossless %b", c, p.VCs, p.CBFC.Lossless)
		}
	}
}

// A port has the channels that its credits need, unless it says how many it has.
func TestChannelsRaiseVCs(t *testing.T) {
	for keys, want := range map[string]int{
		"cbfc: {mode: static, vcs: [{index: 6}]}":                7,
		"vcs: 9, cbfc: {mode: static, vcs: [{index: 6}]}":        9,
		"cbfc: {mode: off, vcs: [{index: 6}]}":                   1,
		"cbfc: {mode: dynamic, num_vcs: 5}":                      5,
		"vcs: 8, cbfc: {mode: dynamic, num_vcs: 5}":              8,
		"cbfc: {mode: dynamic, vcs: [{index: 3}, {index: 1}]}":   4,
		"cbfc: {mode: static}":                                   1,
		"qos: {trust: dot1p}, cbfc: {mode: dynamic, num_vcs: 4}": 4,
	} {
		p := settings(t, port(keys), model.RoleLink)
		if p.VCs != want {
			t.Errorf("%s: %d VCs, want %d", keys, p.VCs, want)
		}
		if class := p.QoS.Queue[want-1]; int(class) != want-1 {
			t.Errorf("%s: class %d has VC %d", keys, want-1, class)
		}
	}
}

// What has no effect is not there: with mode off, and a total that nobody can have.
func TestOffMeansNothing(t *testing.T) {
	p := creditLink(t, "credit_size: 64, total_credits: 100, vcs: [{index: 4, lossless: true, llr: false, weight: 3}]")
	if p.CBFC != (cbfc.Settings{}) || p.NoLLR != 0 || p.VCs != 1 || p.Scheduler != (sched.Settings{}) {
		t.Errorf("%+v", p)
	}
	for _, keys := range []string{"mode: static, total_credits: 100, vcs: [{index: 0}]",
		"mode: dynamic, credit_pool_size: 100"} {
		if p := creditLink(t, keys); p.CBFC.Total != 0 || !p.CBFC.On {
			t.Errorf("%s: %+v", keys, p.CBFC)
		}
	}
}

// What LLDP offers: of mode static what is granted, of mode dynamic what the short keys or the
// channels say.
func TestOffer(t *testing.T) {
	for keys, want := range map[string]ue.Options{
		"cbfc: {mode: off, num_vcs: 4}": {},
		"cbfc: {mode: static}":          {Advertise: true},
		"cbfc: {mode: dynamic}":         {Advertise: true, CBFC: true, Credit: ue.CBFC{VCs: 1, Pool: 1024}, Size: ue.CreditSize{Octets: 2048}},
		"vcs: 9, cbfc: {mode: dynamic, num_vcs: 5, credit_pool_size: 65535, lossless_vcs: [0, 4]}": {
			Advertise: true, CBFC: true, Credit: ue.CBFC{VCs: 5, Pool: 65535, Lossless: 0x11}, Size: ue.CreditSize{Octets: 2048},
		},
		"cbfc: {mode: dynamic, packet_overhead: -3, vcs: [{index: 2, lossless: true, limit: 40}, {index: 3, limit: 7}]}": {
			Advertise: true, CBFC: true, Credit: ue.CBFC{VCs: 4, Pool: 47, Lossless: 4}, Size: ue.CreditSize{Octets: 2048, Overhead: -3},
		},
		"cbfc: {mode: static, credit_size: 128, packet_overhead: 20, total_credits: 90, vcs: [{index: 0, lossless: true}, {index: 1, lossless: true}]}": {
			Advertise: true, CBFC: true, Credit: ue.CBFC{VCs: 2, Pool: 90, Lossless: 3}, Size: ue.CreditSize{Octets: 128, Overhead: 20},
		},
		"llr: {mode: static, local: true}, cbfc: {mode: static, vcs: [{index: 0, lossless: true, limit: 16383}]}": {
			Advertise: true, LLR: true, CBFC: true, Credit: ue.CBFC{VCs: 1, Pool: 16383, Lossless: 1},
			Size: ue.CreditSize{Octets: 2048},
		},
	} {
		if got := parse(t, port(keys)).LLDP.Ports[0].UE; got != want {
			t.Errorf("%s\n%+v, want\n%+v", keys, got, want)
		}
	}
}

// The weight and the priority of a channel are those of a scheduler with dwrr.
func TestWeightAndPriorityOfChannels(t *testing.T) {
	const schedulers = "qos: {schedulers: {heavy: {weight: 3}, first: {priority: 2}}}\n"
	want := settings(t, schedulers+port("vcs: 4, qos: {scheduler: {1: heavy, 2: first}}"), model.RoleLink)
	got := settings(t, port("vcs: 4, cbfc: {mode: static, vcs: [{index: 1, weight: 3}, {index: 2, priority: "+
		"2}, {index: 3}]}"), model.RoleLink)
	if got.Scheduler != want.Scheduler {
		t.Errorf("%+v, want %+v", got.Scheduler.Queues[:4], want.Scheduler.Queues[:4])
	}
}
