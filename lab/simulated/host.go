package simulated

import (
	"time"

	"uelink/dataplane/mem"
	"uelink/dataplane/model"
	"uelink/dataplane/pfc"
	"uelink/wire"
)

// Host is a station behind an edge port. A Host obeys PFC of the port as set in the port's settings, and stops
// priorities itself: see Bench.Stop.
type Host struct {
	*mem.Host
	mac      wire.MAC
	paused   *pfc.Paused
	stops    uint8         // priorities that the host has stopped
	repeatAt wire.Time     // time of the next repetition of the stop
	every    time.Duration // interval of the repetitions: shorter than the time of a stop
}

// newHost returns a host with an address behind an edge port with these settings of PFC; end is the host's end of the
// wire between the two. While the host stops the port, it sends PFC again after half of the longest pause.
func newHost(end *mem.Device, mac wire.MAC, s model.PFCSettings) *Host {
	h := &Host{Host: mem.NewHost(end), mac: mac, repeatAt: wire.Never}
	paused, err := pfc.NewPaused(pfc.PausedSettings{Priorities: s.Priorities, Pause: s.Pause, Rate: s.Rate})
	if err != nil {
		panic("lab: PFC of a host: " + err.Error())
	}
	h.paused = paused
	if s.Rate > 0 {
		h.every = time.Duration(pfc.MaxQuanta * wire.QuantumBits * 1e9 / s.Rate / 2)
	}
	return h
}

// Stop makes the host of an end pause its edge port by PFC, for the priorities of a bitmap, until the next call of
// Stop; 0 lets all priorities go on. The edge, which must have PFC for these priorities, has received the PFC
// frame when Stop returns.
func (b *Bench) Stop(e *End, priorities uint8) {
	f := wire.PFC{Enable: e.Host.stops | priorities} // 0 quanta resume a priority that was stopped before
	for i := range wire.Priorities {
		if priorities>>i&1 == 1 {
			f.Quanta[i] = pfc.MaxQuanta
		}
	}
	e.Host.stops, e.Host.repeatAt = priorities, wire.Never
	if priorities != 0 {
		e.Host.repeatAt = b.now.Add(e.Host.every)
	}
	e.Host.sendPFC(f)
	for range 2 {
		b.Round(b.now)
	}
}

// sendPFC sends a PFC frame to the edge port. It returns false if the edge's ring is full, which it never is while
// the bench is idle.
func (h *Host) sendPFC(f wire.PFC) bool {
	var b [wire.MinFrameLen]byte
	return h.Send(b[:wire.PutPFC(b[:], h.mac, f)])
}

// repeat sends the PFC frame for the priorities that the host has stopped again, if that is due now.
func (h *Host) repeat(now wire.Time) {
	if now < h.repeatAt {
		return
	}
	f := wire.PFC{Enable: h.stops}
	for i := range wire.Priorities {
		if h.stops>>i&1 == 1 {
			f.Quanta[i] = pfc.MaxQuanta
		}
	}
	if h.sendPFC(f) {
		h.repeatAt = now.Add(h.every)
	}
}

// receivePause makes the host obey a received PFC frame of the edge port. It returns false for frames other than
// MAC Control frames, which it leaves alone.
func (h *Host) receivePause(f []byte, now wire.Time) bool {
	if len(f) < wire.HeaderLen || wire.EtherType(f) != wire.EtherTypeMACControl {
		return false
	}
	if pause, fault := wire.ParsePFC(f); fault == wire.NoFault {
		h.paused.ReceivedFrame(pause, now)
	}
	return true
}

// Paused returns the priorities that the edge port has stopped, as a bitmap.
func (h *Host) Paused(now wire.Time) uint8 { return h.paused.Stopped(now) }
