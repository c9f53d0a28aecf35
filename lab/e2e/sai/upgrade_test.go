package sai

import (
	"testing"

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
	if is := a.get(a.link(), 0x1e, sai.U32List); is != "8 9" {
		t.Errorf("the lanes are %s", is)
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
