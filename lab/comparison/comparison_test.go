package comparison

import (
	"math"
	"testing"
	"time"
)

// Seed is that of every run; the tests print it.
const seed = 6400

// The delays of the wire each way: a short cable, and a loop as two daemons have it.
var delays = []time.Duration{2 * time.Microsecond, 25 * time.Microsecond}

// find returns a contestant.
func find(t *testing.T, list []contestant, name string) contestant {
	t.Helper()
	for _, c := range list {
		if c.name == name {
			return c
		}
	}
	t.Fatalf("no contestant %q", name)
	return contestant{}
}

// TestSameSeedSameFigures carries the same frames twice.
func TestSameSeedSameFigures(t *testing.T) {
	t.Logf("seed %d", seed)
	for _, c := range contestants() {
		one, two := c.carry(t, delays[0], 1e-2, 1e-2, 2000, seed), c.carry(t, delays[0], 1e-2, 1e-2, 2000, seed)
		if one != two || one.goodput <= 0 || one.goodput > 1 {
			t.Errorf("%s: %+v, then %+v", c.name, one, two)
		}
	}
}

// TestNACKRecoversSooner loses frames one by one: with NACK the next frame reports the loss, without NACK the timer.
func TestNACKRecoversSooner(t *testing.T) {
	const losses = 20
	median := func(name string) time.Duration {
		times := find(t, contestants(), name).recoveries(t, delays[0], losses, seed)
		if len(times) != losses {
			t.Fatalf("%s: %d of %d recoveries", name, len(times), losses)
		}
		return times[losses/2]
	}
	with, without, hippi := median("LLR"), median("LLR without NACK"), median("HIPPI-6400-PH")
	t.Logf("LLR %v, without NACK %v, HIPPI-6400-PH %v", with, without, hippi)
	if with >= without || with >= hippi {
		t.Errorf("LLR %v, without NACK %v, HIPPI-6400-PH %v", with, without, hippi)
	}
}

// TestReplaysCostALoop loses every hundredth frame: with the default window, of many loops, LLR carries nearly as much
// as with a window of one loop, because it has no more frames outstanding than keep the partner busy.
func TestReplaysCostALoop(t *testing.T) {
	for _, delay := range delays {
		loop := find(t, contestants(), "LLR, window of a loop").carry(t, delay, 1e-2, 1e-2, 10_000, seed).goodput
		wide := find(t, contestants(), "LLR").carry(t, delay, 1e-2, 1e-2, 10_000, seed).goodput
		t.Logf("%v: window of a loop %.3f, default %.3f", delay, loop, wide)
		if wide < 0.8*loop {
			t.Errorf("%v: window of a loop %.3f, default %.3f", delay, loop, wide)
		}
	}
}

// TestOverheadIsThatOfTheFormats compares the octets on a wire without losses with those that the formats give.
func TestOverheadIsThatOfTheFormats(t *testing.T) {
	const frame, micropackets, perFrame = 1496.0, 48, 37
	for name, want := range map[string]float64{
		"LLR":           (frame + 14) / frame,                                          // the shim and the FCS image
		"HIPPI-6400-PH": (micropackets*40 + 30*micropackets/float64(perFrame)) / frame, // 8 of 40 octets; head and FCS image
	} {
		got := find(t, contestants(), name).carry(t, delays[0], 0, 0, 2000, seed)
		if math.Abs(got.forward-want) > 0.01 {
			t.Errorf("%s: %.3f octets for an octet, want %.3f", name, got.forward, want)
		}
	}
}

// TestLostCreditsHeal loses every hundredth frame of the partner's only. A lost count of CBFC is made good by the next;
// a lost increment of HIPPI-6400-PH waits for its retransmission.
func TestLostCreditsHeal(t *testing.T) {
	share := func(name string) float64 {
		c := find(t, creditors(), name)
		return c.carry(t, delays[1], 0, 1e-2, 2000, seed).goodput / c.carry(t, delays[1], 0, 0, 2000, seed).goodput
	}
	absolute, increments := share("LLR with CBFC, 8 kB"), share("HIPPI-6400-PH")
	t.Logf("absolute credits keep %.3f of the goodput, increments %.3f", absolute, increments)
	if absolute <= increments {
		t.Errorf("absolute credits keep %.3f of the goodput, increments %.3f", absolute, increments)
	}
}
