package web

import (
	"slices"
	"testing"
	"time"

	"uelink/control/api"
	"uelink/llr"
)

// sampled returns the history of a link after these numbers of sent frames, a sample each.
func sampled(sent ...uint64) *history {
	h := &history{}
	for i, n := range sent {
		p := api.Port{Name: "link0", LLR: &api.LLR{OutstandingFrames: i, TxStatus: llr.TxAdvance}}
		p.Counters.TxFrames, p.Counters.TxOctets = n, 100*n
		h.add(&look{at: time.Unix(0, 0).Add(time.Duration(i) * sampleEvery), ports: []api.Port{p}})
	}
	return h
}

// A rate is the difference of two counters by the time between them. A counter that was cleared has the rate 0.
func TestRates(t *testing.T) {
	per := uint64(sampleEvery.Seconds())
	h := sampled(1000, 1000+5*per, 1000+5*per, 7, 7+per)
	if got := h.tracks["link0"].curve(curveTx); !slices.Equal(got, []float32{5, 0, 0, 1}) {
		t.Errorf("%v", got)
	}
	if got := h.tracks["link0"]; got.txBits != 800 || got.rxBits != 0 {
		t.Errorf("%v and %v bit/s", got.txBits, got.rxBits)
	}
	if got := h.tracks["link0"].curve(curveWindow); !slices.Equal(got, []float32{1, 2, 3, 4}) {
		t.Errorf("%v", got)
	}
}

// The curves have the last ten minutes, and a port that is gone has none.
func TestCurvesAreBounded(t *testing.T) {
	if span != 10*time.Minute {
		t.Errorf("the curves have %v", span)
	}
	sent := make([]uint64, 3*points)
	for i := range sent {
		sent[i] = uint64(i*i) * uint64(sampleEvery.Seconds())
	}
	h := sampled(sent...)
	got := h.tracks["link0"].curve(curveTx)
	last := float32(2*(3*points-1) - 1)
	if len(got) != points || got[points-1] != last || got[0] != last-2*(points-1) {
		t.Errorf("%d values from %v to %v", len(got), got[0], got[len(got)-1])
	}
	h.add(&look{at: time.Now(), ports: []api.Port{{Name: "link1"}}})
	if _, there := h.tracks["link0"]; there || len(h.tracks) != 1 {
		t.Errorf("%v", h.tracks)
	}
}

// The drawing of a curve ends at the right, has 0 at the bottom, and its largest value at the top.
func TestDrawnCurve(t *testing.T) {
	for want, values := range map[string][]float32{
		"147,31.0 148,1.0 149,16.0": {0, 200, 100},
		"148,31.0 149,31.0":         {0, 0},
	} {
		if got := drawn(values); got != want {
			t.Errorf("%v: %q, want %q", values, got, want)
		}
	}
}
