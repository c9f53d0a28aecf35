package sai

import (
	"flag"
	"fmt"
	"testing"

	"uelink/control/api"
	"uelink/lab/e2e/bed"
	"uelink/sai"
)

// TestObjectsGoThroughUpgrades: what a client made is there after each upgrade under the same ids, acts, and can be
// changed and removed; LLR does not begin again, and no frame is lost.
func TestObjectsGoThroughUpgrades(t *testing.T) {
	top := bed.Direct(t)
	p := apart(top, bed.Settings{LLR: off.LLR, Link: "sai: {lanes: [8, 9]}"})
	p.A.EndsLast()
	program := compile(t, "testdata/driver.c")
	a, b := attach(t, program, p.A), attach(t, program, p.B)
	profile := a.create(sai.TypeLLRProfile, "0=u32:100", "1=u32:200000", "3=u8:255", "8=bool:1")
	a.enable(profile)
	b.enable(b.create(sai.TypeLLRProfile, "0=u32:100", "1=u32:200000", "3=u8:255", "8=bool:1"))
	p.Advance()
	toVC := a.create(sai.TypeQoSMap, "0=s32:16", "1=qosmap:16/3>1")
	a.must("set %s 0xd9=oid:%s", a.link(), toVC)
	before := p.A.ToolText("sai", "objects")
	if got := a.get(a.link(), 0x1e, sai.U32List); got != "8 9" {
		t.Errorf("the lanes are %s", got)
	}
	traffic := top.Between()
	traffic.Frames = 1000
	for range 2 {
		reinit := p.A.LLRCounters().TxReinit
		p.A.Upgrade()
		if after := p.A.ToolText("sai", "objects"); after != before {
			t.Fatalf("after the upgrade:\n%s\nbefore:\n%s", after, before)
		}
		a.becomes(profile, 1, sai.U32, "200000")
		bed.Untouched(t, traffic)
		if c := p.A.LLRCounters(); c.TxReinit != reinit || c.TxFlush != 0 {
			t.Errorf("LLR began again: %+v", c)
		}
	}
	a.refused(-0x11, "remove %s", profile)
	other := a.create(sai.TypeLLRProfile, "0=u32:50", "1=u32:100000", "3=u8:255", "8=bool:1")
	a.must("set %s %d=oid:%s", a.link(), llrProfile, other)
	a.must("remove %s", profile)
	p.Advance()
}

var upgrades = flag.Int("upgrades", 3, "upgrades of TestUpgradesUnderAClient")

// TestUpgradesUnderAClient: a client that polls and sets goes on through upgrades of the daemon: no call fails, what it
// has set is read, and the ids stay.
func TestUpgradesUnderAClient(t *testing.T) {
	top := bed.Direct(t)
	d := bed.NewDaemon(t, top.A, "A", off)
	d.Start()
	d.EndsLast()
	c := attach(t, compile(t, "testdata/driver.c"), d)
	link, profile := c.link(), c.create(sai.TypeLLRProfile, "0=u32:64", "1=u32:100000")
	calls := 0
	poll := func() {
		value := fmt.Sprint(1 + calls%200)
		c.must("set %s 3=u8:%s", profile, value)
		if got := c.get(profile, 3, sai.U8); got != value {
			t.Fatalf("after %d calls REPLAY_COUNT_MAX is %s, set was %s", calls, got, value)
		}
		c.must("stats %s 1 0 9 204", link)
		if got := c.link(); got != link {
			t.Fatalf("the link is %s, was %s", got, link)
		}
		calls += 4
	}
	for range *upgrades {
		done := make(chan error, 1)
		before := d.PID()
		go func() { done <- d.Client.Upgrade(t.Context(), api.Upgrade{}) }()
		for upgraded := false; !upgraded; poll() {
			select {
			case err := <-done:
				bed.Must(t, err)
				upgraded = true
			default:
			}
		}
		bed.Eventually(t, "an answer of the successor", func() string {
			poll()
			if d.PID() == before {
				return "the daemon has not handed over"
			}
			return ""
		})
	}
	t.Logf("%d calls, %d upgrades", calls, *upgrades)
}
