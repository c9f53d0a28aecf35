package sai

import (
	"bytes"
	"fmt"
	"testing"

	"uelink/lab/e2e/bed"
	"uelink/sai"
	"uelink/wire"
)

// The values of sai_llr_frame_action_t.
const (
	discard = iota
	block
	bestEffort
)

// TestFrameActionsAct: each frame action, set while the link runs, acts on frames in INIT and in FLUSH, and the status
// of the transmitter goes OFF, INIT, ADVANCE, FLUSH.
func TestFrameActionsAct(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	d := bed.NewDaemon(t, top.A, "A", off)
	d.Start()
	c := attach(t, compile(t, "testdata/driver.c"), d)
	s := bed.NewStation(t, top)
	host := bed.Open(t, top.HostA, "eth0", bed.ProbeType)
	link := c.link()
	c.becomes(link, llrTx, sai.Enum, "0")
	c.becomes(link, llrRx, sai.Enum, "0")
	profile := c.create(sai.TypeLLRProfile, "0=u32:64", "1=u32:100000")
	c.enable(profile)
	c.becomes(link, llrTx, sai.Enum, "1") // nobody answers LLR_INIT
	actions(t, d, c, s, host, profile, 6)
	bed.Eventually(t, "ADVANCE", func() string {
		s.Answer()
		if got := c.get(link, llrTx, sai.Enum); got != "2" {
			return "it is " + got
		}
		return ""
	})
	host.Send(bed.Probe(1, 100)) // nobody acknowledges it
	c.becomes(link, llrTx, sai.Enum, "4")
	actions(t, d, c, s, host, profile, 7)
	c.becomes(link, llrTx, sai.Enum, "4")
}

// actions sets each frame action as an attribute of a profile, and sends a frame: it is dropped and counted; it waits,
// and leaves by the next action; it leaves.
func actions(t *testing.T, d *bed.Daemon, c *client, s bed.Station, host *bed.Packets, profile string, attribute int) {
	t.Helper()
	set := func(action int) { c.must("set %s %d=s32:%d", profile, attribute, action) }
	dropped := func() uint64 { return c.stats(sai.StatRead, c.link(), statistic(t, "TX_DISCARD"))[0] }
	number := uint32(100 * attribute)
	before := dropped()
	set(discard)
	host.Send(bed.Probe(number, 100))
	bed.Eventually(t, "a discarded frame", func() string {
		if n := dropped(); n != before+1 {
			return fmt.Sprintf("%d, before %d", n, before)
		}
		return ""
	})
	set(block)
	host.Send(bed.Probe(number+1, 100))
	bed.Eventually(t, "a frame that waits", func() string {
		if d.Link().QueuedFrames+d.Edge().QueuedFrames == 0 {
			return "none waits"
		}
		return ""
	})
	set(bestEffort)
	host.Send(bed.Probe(number+2, 100))
	for _, n := range []uint32{number + 1, number + 2} {
		s.Await(fmt.Sprintf("probe %d", n), func(f []byte) bool {
			if bytes.Contains(f, bed.Probe(number, 100)[wire.HeaderLen:]) {
				t.Error("the discarded frame came")
			}
			return bytes.Contains(f, bed.Probe(n, 100)[wire.HeaderLen:])
		})
	}
	if n := dropped(); n != before+1 {
		t.Errorf("%d frames were discarded, want 1", n-before)
	}
}
