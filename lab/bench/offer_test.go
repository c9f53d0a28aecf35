package main

import (
	"testing"
	"time"
)

func TestOffer(t *testing.T) {
	for _, c := range []struct {
		offer    offer
		text     string
		interval time.Duration
	}{
		{offer{200_000, 1}, "200 kpps, one by one", 5 * time.Microsecond},
		{offer{200_000, 64}, "200 kpps, bursts of 64", 320 * time.Microsecond},
		{offer{0, 64}, "saturated, bursts of 64", 0},
	} {
		if text, interval := c.offer.String(), c.offer.interval(); text != c.text || interval != c.interval {
			t.Errorf("%+v: %q every %v, want %q every %v", c.offer, text, interval, c.text, c.interval)
		}
	}
}
