package demo

import (
	"strings"
	"testing"
	"time"

	"uelink/config"
	"uelink/lab/traffic"
)

func TestConfigurationWithChannelsIsValid(t *testing.T) {
	for vcs := 1; vcs <= 8; vcs++ {
		c, err := config.Parse("demo.yaml", []byte(configText("A", "/run/x/A.sock", Options{Dialect: "seed", VCs: vcs})))
		if err != nil {
			t.Fatalf("%d channels: %v", vcs, err)
		}
		link, edge := c.Settings.Ports[0], c.Settings.Ports[1]
		if want := uint32(1)<<vcs - 1; link.CBFC.Lossless != want || uint32(edge.PFC.Priorities) != want {
			t.Errorf("%d channels: lossless %b, PFC %b", vcs, link.CBFC.Lossless, edge.PFC.Priorities)
		}
	}
}

func TestOptionsOfChannels(t *testing.T) {
	o := DefaultOptions()
	o.VCs, o.Stall = 4, 2
	o.setChannels(0)
	want := traffic.Stall{Priority: 2, Begin: channelTime / 4, Duration: channelTime / 2}
	if o.Traffic.Stall != want || o.Traffic.Duration != channelTime || len(o.Traffic.Priorities) != 4 {
		t.Errorf("%+v", o.Traffic)
	}
	if err := o.Validate(); err != nil {
		t.Error(err)
	}
	o.setChannels(10_000)
	if o.Traffic.Duration != 2*time.Second || o.Traffic.Frames != 0 {
		t.Errorf("%v for 10,000 frames at %g a second", o.Traffic.Duration, o.Traffic.Rate)
	}
	for _, bad := range []Options{{VCs: 9, Stall: -1}, {VCs: 4, Stall: 4}, {Stall: 0}, {VCs: -1, Stall: -1}} {
		o := DefaultOptions()
		o.VCs, o.Stall = bad.VCs, bad.Stall
		if err := o.Validate(); err == nil || !strings.Contains(err.Error(), "virtual channels") {
			t.Errorf("%d channels, %d stands still: %v", bad.VCs, bad.Stall, err)
		}
	}
}

// The rate while a channel stood still is compared with that of the rest of the time.
func TestWhatTheOtherChannelsKept(t *testing.T) {
	c := traffic.Config{Duration: 8 * time.Second, Stall: traffic.Stall{Priority: 1, Duration: 2 * time.Second}}
	s := newStalled(c, []traffic.Direction{
		{From: "hostA", Priority: 0, Delivered: 8000, DeliveredInStall: 2000},
		{From: "hostB", Priority: 0, Delivered: 7500, DeliveredInStall: 1500},
		{From: "hostA", Priority: 1, Delivered: 6000},
		{From: "hostB", Priority: 1, Delivered: 8000, DeliveredInStall: 2000},
	}, int64(1900*time.Millisecond))
	if s.BlockedShare != 0.95 || len(s.Kept) != 3 || s.Kept[0].Share != 1 || s.least() != 0.75 {
		t.Errorf("%+v", s)
	}
	if text := s.text(); !strings.Contains(text, "95 %") || !strings.Contains(text, "at least 75 %") {
		t.Error(text)
	}
}
