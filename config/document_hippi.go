package config

import (
	"time"

	"uelink/dataplane/model"
	"uelink/hippi"
)

// hippiEntry is the section hippi of a link, as written; 0 is auto: the value of the profile.
type hippiEntry struct {
	standard bool
	ack      time.Duration
	activity time.Duration
	silence  time.Duration
	credit   time.Duration
	holdOff  time.Duration
	deadMan  time.Duration
	stall    time.Duration
	retries  int
	buffer   uint8 // micropackets
	recover  time.Duration
	vc3      bool
}

// Pauses of a link in software between two micropackets, in both profiles. HIPPI-6400 has no such values: hardware
// sends without a pause.
const (
	hippiTurn      = 2 * time.Millisecond   // between micropackets of a Link Reset or an Initialize
	hippiKeepalive = 100 * time.Millisecond // between Nulls of an idle link
	hippiKeeps     = 5                      // least number of Nulls sent within hippi.silence
)

// settings returns the data plane's settings of a HIPPI-6400-PH link: the timeouts and limits of the profile
// (software or standard) that section hippi names, with the values of the other keys of the section in place of the
// profile's.
func (h *hippiEntry) settings() model.HIPPISettings {
	p := hippi.Software()
	if h.standard {
		p = hippi.Standard()
	}
	for _, t := range []struct {
		to   *time.Duration
		from time.Duration
	}{
		{&p.ACKTimeout, h.ack}, {&p.Activity, h.activity}, {&p.Silence, h.silence}, {&p.Credit, h.credit},
		{&p.HoldOff, h.holdOff}, {&p.DeadMan, h.deadMan}, {&p.Stall, h.stall},
	} {
		if t.from > 0 {
			*t.to = t.from
		}
	}
	if h.retries > 0 {
		p.Retries = h.retries
	}
	p.Turn, p.Keepalive, p.SULAAllowed, p.VC3 = hippiTurn, hippiKeepalive, true, h.vc3
	if p.Silence > 0 {
		p.Keepalive = min(p.Keepalive, p.Silence/hippiKeeps)
	}
	for vc := range p.Buffers {
		p.Buffers[vc] = h.buffer
	}
	return model.HIPPISettings{Profile: p, Recover: h.recover}
}
