package sai

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
	"uelink/sai"
)

// TestTimesAct: REPLAY_TIMER_MAX leads to REPLAY and not earlier, DATA_AGE_TIMEOUT and a lost carrier with
// PCS_LOST_TIMEOUT to FLUSH, each also when it is set while the link runs. SAI_UELINK_EXACT_TIMERS puts into force what
// is set.
func TestTimesAct(t *testing.T) {
	t.Parallel()
	const timer = 300 * time.Millisecond
	top := bed.Direct(t)
	d := bed.NewDaemon(t, top.A, "A", off)
	d.Start()
	c := attach(t, compile(t, "testdata/driver.c"), d, "SAI_UELINK_EXACT_TIMERS=1")
	s := bed.NewStation(t, top)
	host := bed.Open(t, top.HostA, "eth0", bed.ProbeType)
	link := c.link()
	profile := c.create(sai.TypeLLRProfile, "0=u32:64", "1=u32:100000", fmt.Sprintf("2=u32:%d", timer), "3=u8:255")
	runs := func() {
		t.Helper()
		bed.Eventually(t, "ADVANCE", func() string {
			s.Answer()
			if got := c.get(link, llrTx, sai.Enum); got != "2" {
				return "it is " + got
			}
			return ""
		})
	}
	flushed := func(reason string) {
		t.Helper()
		c.becomes(link, llrTx, sai.Enum, "4")
		if got := d.LLR().FlushReason; got != reason {
			t.Errorf("FLUSH because of %s, want %s", got, reason)
		}
	}
	c.enable(profile)
	runs()
	if got := d.LLR().MaxReplayTimer; got != timer {
		t.Errorf("the replay timer in force is %v", got)
	}
	begun := time.Now()
	for n := range uint32(10) { // nobody acknowledges them: a replay sends four again, and waits
		host.Send(bed.Probe(n, 100))
	}
	c.becomes(link, llrTx, sai.Enum, "3")
	if after := time.Since(begun); after < timer {
		t.Errorf("REPLAY after %v, before the timer of %v has expired", after, timer)
	}
	c.must("set %s 5=u32:1000000", profile)
	flushed("data age")
	c.must("set %s 5=u32:0", profile)
	c.must("set %s 8=bool:1", profile)
	runs()
	c.must("set %s 8=bool:0", profile)

	bed.Must(t, top.B.SetLink("link0", false))
	d.OperStatus("link0", "down")
	c.becomes(link, 0x1, sai.Enum, "2")
	if got := c.get(link, llrTx, sai.Enum); got != "2" {
		t.Errorf("without a PCS_LOST_TIMEOUT it is %s after the loss of the carrier", got)
	}
	c.must("set %s 4=u32:1000000", profile)
	flushed("pcs lost")
	if text := d.ToolText("sai", "objects"); strings.Contains(text, "in force") {
		t.Errorf("an exact time was raised:\n%s", text)
	}
}
