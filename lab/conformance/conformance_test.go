package conformance

import (
	"strings"
	"testing"

	"uelink/dataplane/qos"
	"uelink/lab/simulated"
)

// Every case passes over a wire in memory, with as many values as docs/conformance.md reports.
func TestCasesPassInMemory(t *testing.T) {
	saved := keptReport(t)
	for _, c := range Cases() {
		t.Run(c.ID, func(t *testing.T) {
			if testing.Short() && strings.HasPrefix(c.ID, "CBFC") {
				t.Skip("-short: one goroutine for many frames; the cases of LLR show that cases can run side by side")
			}
			t.Parallel()
			rows := c.inMemory(nil)
			if len(rows) == 0 {
				t.Error("it has measured nothing")
			}
			for _, v := range (&Report{Results: rows}).verdicts() {
				if line := v.row(); !strings.Contains(saved, line) {
					t.Errorf("docs/conformance.md has no line %q: run make conformance", line)
				}
			}
			for _, r := range rows {
				if !r.Passed() {
					t.Errorf("size %s, %s: expected %s, measured %s (%s; %s)",
						r.size(), r.TestCase, r.Expected, r.Measured, r.Notes, r.Config)
				}
			}
		})
	}
}

// spoilers make each case fail, each at a value that the case is about.
var spoilers = map[string]struct {
	value string
	spoil spoiler
}{
	"LLR-01": {"A TX_OK", func(o *simulated.Options) { o.Link.LLR.Remote = false }},
	"LLR-02": {"A TX_REPLAY", func(o *simulated.Options) { o.Wire.Loss = 0.05 }},
	"LLR-03": {"A TX_REPLAY", func(o *simulated.Options) { o.Profile.MaxReplayCount = 5 }},
	"LLR-04": {"B RX_EXPECTED_SEQ_BAD", func(o *simulated.Options) { o.Link.FCS = false }},
	"LLR-05": {"B RX_EXPECTED_SEQ_POISONED", func(o *simulated.Options) { o.Link.FCS = false }},
	"LLR-06": {"A TX_OK", func(o *simulated.Options) { o.Profile.MaxOutstandingFrames = 8 }},
	"LLR-07": {"frames a second", func(o *simulated.Options) { o.Profile.MaxOutstandingFrames = 16 }},
	"LLR-08": {"A LLR_TX_STATUS", func(o *simulated.Options) { o.Profile.ReInitOnFlush = false }},
	"LLR-09": {"frames that A or B has dropped", func(o *simulated.Options) { o.MTU = 4000 }},
	"LLR-10": {"LLR-eligible frames lost", func(o *simulated.Options) { o.Link.LLR.Remote = false }},

	"CBFC-01": {"A SENDER_CREDITS_CONSUMED", func(o *simulated.Options) { o.Link.CBFC.Size.Overhead = 1 }},
	"CBFC-02": {"B RECEIVER_CREDITS_CONSUMED", func(o *simulated.Options) { o.Link.CBFC.Size.Credit = 64 }},
	"CBFC-03": {"A CBFC_SENDER_CREDITS_USED", func(o *simulated.Options) { o.Link.CBFC.CCTimer = 0 }},
	"CBFC-04": {"frames that an end has dropped", func(o *simulated.Options) { o.Edge.PFC.Priorities = 0 }},
	"CBFC-05": {"credits that A's frames used on other VCs", func(o *simulated.Options) {
		m := &o.Edge.QoS.Dot1pDEI
		m[4], m[5] = m[5], m[4]
	}},
	"CBFC-06": {"credits that A's frames used on other VCs", func(o *simulated.Options) {
		o.Edge.QoS.Trust = qos.TrustDot1p
	}},
	"CBFC-07": {"credits that A's frames used on other VCs", func(o *simulated.Options) { o.Edge.QoS.DSCP[46]++ }},
	"CBFC-08": {"VC 2: frames a second", func(o *simulated.Options) { total(&o.Link, stallLimit, 0) }},
	"CBFC-09": {"VC 2: frames delivered", func(o *simulated.Options) { o.Link.CBFC.Total = 0 }},
	"CBFC-10": {"frames that an end has dropped", func(o *simulated.Options) { o.Link.CBFC.Lossless = 0 }},
	"CBFC-11": {"lossless: frames lost", func(o *simulated.Options) { o.Link.CBFC.On = false }},
	"CBFC-12": {"frames a second", func(o *simulated.Options) { setLimit(&o.Link, 32) }},
}

// Every case fails where a setting is wrong: at the value that the setting is about.
func TestCasesCanFail(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: one goroutine for many frames")
	}
	for _, c := range Cases() {
		t.Run(c.ID, func(t *testing.T) {
			t.Parallel()
			how, ok := spoilers[c.ID]
			if !ok {
				t.Fatal("nothing makes it fail")
			}
			for _, r := range c.inMemory(how.spoil) {
				if r.TestCase == how.value && !r.Passed() {
					return
				}
			}
			t.Errorf("%s is as expected though the settings are wrong", how.value)
		})
	}
}

// Two runs give the same rows but for their times.
func TestRunsAreDeterministic(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: one goroutine for many frames")
	}
	cases, _ := Pick([]string{"LLR-02", "LLR-03", "LLR-07", "LLR-10", "CBFC-04", "CBFC-08", "CBFC-11"})
	a, b := InMemory(cases), InMemory(cases)
	for i := range a.Results {
		x, y := a.Results[i], b.Results[i]
		x.Timestamp = y.Timestamp
		if x != y {
			t.Errorf("%+v\nand then\n%+v", x, y)
		}
	}
}
