package sai

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
	"uelink/sai"
	"uelink/sai/store"
	"uelink/wire"
)

// paused is a link without CBFC, and an edge whose host stops, and is stopped, by PFC of two priorities. The rate says
// how long a pause lasts: at 10 Mb/s it is three seconds, so that it does not end where a busy machine renews it late.
func paused(rate string) bed.Settings {
	return bed.Settings{
		Profile: bed.Lossless.Profile,
		Edge: "ring_size: 2048, qos: {trust: dot1p}, " +
			"pfc: {mode: static, priorities: [3, 5], xoff: 64, xon: 32, headroom: 512, rate: " + rate + "}",
	}
}

// channel makes a virtual channel of the link lossless, by a profile of a pool.
func (c *client) channel(pool string, index int, profile ...string) (vc string) {
	c.t.Helper()
	p := c.create(sai.TypeCreditProfile, append([]string{"0=oid:" + pool}, profile...)...)
	vc = c.create(sai.TypeVC, "0=oid:"+c.link(), fmt.Sprintf("1=u8:%d", index), "3=oid:"+p)
	c.must("set %s 4=bool:1", vc)
	c.must("set %s 5=bool:1", vc)
	return vc
}

// lossless waits until a virtual channel is under credits.
func lossless(d *bed.Daemon, vc int) {
	d.T.Helper()
	bed.Eventually(d.T, fmt.Sprintf("%s: VC %d lossless", d.Name, vc), func() string {
		if v := d.VC(vc); v.Phase != "lossless" {
			return v.Phase + " " + v.Note
		}
		return ""
	})
}

// TestCreditsBySAI: two virtual channels are lossless by a pool, profiles and enables of SAI. The far host takes
// a tenth of one of them: nothing is lost, the other flows, and the credits that SAI counts are those of `uelink cbfc`.
func TestCreditsBySAI(t *testing.T) {
	const slow, free, rate, reserved = 3, 5, 2000, 64
	top := bed.Direct(t)
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", paused("1Gbps")), B: bed.NewDaemon(t, top.B, "B", paused("10Mbps"))}
	p.Start()
	program := compile(t, "testdata/driver.c")
	a, b := attach(t, program, p.A), attach(t, program, p.B)
	var vc string // the slow one, of A
	for _, c := range []*client{b, a} {
		pool := c.create(sai.TypeCreditPool, "0=oid:"+c.link(), "1=u64:600")
		c.channel(pool, free, fmt.Sprintf("1=u64:%d", reserved), "2=s32:1", "4=u64:0")
		vc = c.channel(pool, slow, fmt.Sprintf("1=u64:%d", reserved))
		toVC := c.create(sai.TypeQoSMap, "0=s32:16", "1=qosmap:16/3>3,5>5")
		c.must("set %s 0xd9=oid:%s", c.link(), toVC)
		if got := c.get(pool, 2, sai.U64); got != fmt.Sprint(600-2*reserved) {
			t.Errorf("SHARED_SIZE is %s", got)
		}
	}
	for _, d := range []*bed.Daemon{p.A, p.B} {
		lossless(d, slow)
		lossless(d, free)
	}
	c := top.Between()
	c.Priorities, c.Rate, c.Duration, c.Frames = []uint8{slow, free}, rate, 2*time.Second, 0
	c.SinkRate[slow] = rate / 10
	c.LossTimeout = bed.Patience
	r := bed.Untouched(t, c)
	var sent, back [wire.Priorities]uint64
	for i, d := range r.Directions {
		if i%2 == 0 {
			sent[d.Priority] = d.Delivered
		} else {
			back[d.Priority] = d.Delivered
		}
	}
	if sent[slow]*2 > back[slow] || sent[free]*100 < back[free]*95 {
		t.Errorf("delivered there %v, and back %v", sent, back)
	}
	is := p.A.Credits()
	slowest := p.A.VC(slow)
	if got := a.stats(sai.StatRead, vc, 0, 3); got[1] != reserved || got[1] != uint64(slowest.CreditsUsedWatermark) {
		t.Errorf("the slow channel used %d credits of %d, as SAI says; %+v", got[1], reserved, slowest)
	}
	bed.Eventually(t, "all credits are back", func() string {
		if got := a.stats(sai.StatRead, a.link(), 226, 227); got[0] != 0 || got[1] != uint64(is.CreditsUsedWatermark) {
			return fmt.Sprintf("%d in use, at most %d; %d as uelink says", got[0], got[1], is.CreditsUsedWatermark)
		}
		return ""
	})
	got := append(a.stats(sai.StatRead, a.link(), 228, 229, 231), b.stats(sai.StatRead, b.link(), 230)...)
	if slices.Contains(got, 0) { // B's frames give their credits back at once, and it may have sent no CC_Update
		t.Errorf("CC_Updates and CF_Updates sent, CF_Updates received, and CC_Updates received by B: %v", got)
	}
	if got := a.stats(sai.StatRead, vc, 1, 2, 4, 5); slices.Contains(got, 0) {
		t.Errorf("credits consumed and freed, by the sender and the receiver: %v", got)
	}
	for _, d := range []*bed.Daemon{p.A, p.B} {
		for _, n := range []int{slow, free} {
			if v := d.VC(n); v.Counters.Overruns+v.Counters.Repaired > 0 {
				t.Errorf("%s: %+v", d.Name, v)
			}
		}
	}
	p.NoFlush(t)
}

// TestStatisticsClearedByOneClient: what one client clears is as before for another one, and for `uelink`.
func TestStatisticsClearedByOneClient(t *testing.T) {
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	program := compile(t, "testdata/driver.c")
	a, other := attach(t, program, p.A), attach(t, program, p.A)
	c := top.Between()
	c.Frames = 1000
	bed.Untouched(t, c)
	const rxOK = 217
	sent := p.A.LLRCounters().RxOK
	if n := a.stats(sai.StatReadAndClear, a.link(), rxOK)[0]; n != sent || n < 1000 {
		t.Errorf("RX_OK is %d, uelink says %d", n, sent)
	}
	if mine, its := a.stats(sai.StatRead, a.link(), rxOK)[0], other.stats(sai.StatRead, a.link(), rxOK)[0]; mine != 0 ||
		its != sent || p.A.LLRCounters().RxOK != sent {
		t.Errorf("after a clear: %d, for the other client %d, for uelink %d", mine, its, p.A.LLRCounters().RxOK)
	}
	bed.Untouched(t, c)
	if n, want := a.stats(sai.StatRead, a.link(), rxOK)[0], p.A.LLRCounters().RxOK-sent; n != want {
		t.Errorf("since the clear: %d, want %d", n, want)
	}
	other.must("clear %s", other.link())
	if n := other.stats(sai.StatRead, a.link(), rxOK)[0]; n != 0 {
		t.Errorf("after clear_port_all_stats: %d", n)
	}
	p.A.Tool("llr", "counters", "clear").Succeeds()
	if n, want := a.stats(sai.StatRead, a.link(), rxOK)[0], p.A.LLRCounters().RxOK; n != want {
		t.Errorf("after uelink's clear: %d, want %d", n, want)
	}
	a.refused(-2, "stats %s 2 226", a.link()) // a gauge cannot be cleared
	a.refused(-0xf, "stats %s 1 1", a.link())
	a.refused(-5, "stats %s 1 9999", a.link())
}

// TestCapabilityOfEveryAttribute: the library says of every attribute what the daemon's table says, and reads those
// that can be read.
func TestCapabilityOfEveryAttribute(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	d := bed.NewDaemon(t, top.A, "A", off)
	d.Start()
	c := attach(t, compile(t, "testdata/driver.c"), d)
	pool := c.create(sai.TypeCreditPool, "0=oid:"+c.link(), "1=u64:100")
	objects := map[sai.ObjectType]string{
		sai.TypeSwitch: fmt.Sprintf("0x%x", uint64(sai.SwitchOID)), sai.TypePort: c.link(), sai.TypeCreditPool: pool,
		sai.TypeLLRProfile:    c.create(sai.TypeLLRProfile, "0=u32:10", "1=u32:1000"),
		sai.TypeCreditProfile: c.create(sai.TypeCreditProfile, "0=oid:"+pool, "1=u64:1", "2=s32:1", "4=u64:2"),
		sai.TypeVC:            c.create(sai.TypeVC, "0=oid:"+c.link(), "1=u8:0"),
		sai.TypeQoSMap:        c.create(sai.TypeQoSMap, "0=s32:2", "1=qosmap:2/46>1"),
		sai.TypeQueue:         c.queue(c.link(), 0),
	}
	for _, of := range store.Types() {
		for _, a := range store.Attributes(of) {
			want := fmt.Sprint([]string{bit(a.Can.Create), bit(a.Can.Set), bit(a.Can.Get)})
			if got := c.must("capability %d %d", of, a.ID); fmt.Sprint(got) != want {
				t.Errorf("%s: %v, want %v", a.FullName(of), got, want)
			}
			if objects[of] == "" { // objects of an orchagent's start, which the driver does not read
				continue
			}
			oid := objects[of]
			if a.Edges {
				oid = c.must("get 0x%x 2=objlist", uint64(sai.SwitchOID))[1]
			}
			if a.Can.Get {
				c.must("get %s %d=%s", oid, a.ID, a.Kind)
			} else {
				c.refused(-0x30000, "get %s %d=%s", oid, a.ID, a.Kind)
			}
		}
		modes := []string{}
		for _, s := range store.Statistics(of) {
			if s.Modes != 0 {
				modes = append(modes, fmt.Sprintf("%d:%d", s.ID, s.Modes))
			}
		}
		if len(modes) == 0 {
			c.refused(-2, "modes %d", of)
		} else if got := c.must("modes %d", of); fmt.Sprint(got) != fmt.Sprint(modes) {
			t.Errorf("%s: %v, want %v", of, got, modes)
		}
	}
	if got := c.get(objects[sai.TypeQoSMap], 1, sai.MapList); got != "46>1" {
		t.Errorf("the map is %s", got)
	}
	c.refused(-0x40000, "capability %d 0x1fff", sai.TypePort)
}

func bit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}
