package lab

import (
	"uelink/dataplane"
	"uelink/dataplane/mem"
	"uelink/pfc"
	"uelink/wire"
)

// Host is a station behind an edge port. It obeys PFC of the port as its settings agree, and
// stops priorities itself: see Bench.Stop.
type Host struct {
	*mem.Host
	mac    wire.MAC
	paused *pfc.Paused
	stops  uint8 // priorities that it has stopped
	again  int64 // when it says so again, ns
	every  int64 // and how often: before the time of a stop is over
}

func newHost(end *mem.Device, mac wire.MAC, s dataplane.PFCSettings) *Host {
	h := &Host{Host: mem.NewHost(end), mac: mac, again: never}
	paused, err := pfc.NewPaused(pfc.PausedSettings{Priorities: s.Priorities, Pause: s.Pause, Rate: s.Rate})
	if err != nil {
		panic("lab: PFC of a host: " + err.Error())
	}
	h.paused = paused
	if s.Rate > 0 {
		h.every = pfc.MaxQuanta * wire.QuantumBits * 1e9 / s.Rate / 2
	}
	return h
}

// Stop has the host of an end stop the priorities of a bitmap until it is called again; 0 lets all
// go on. The edge, which has to agree to PFC of them, knows of it when Stop returns.
func (b *Bench) Stop(e *End, priorities uint8) {
	f := wire.PFC{Enable: e.Host.stops | priorities}
	for i := range wire.Priorities {
		if priorities>>i&1 == 1 {
			f.Quanta[i] = pfc.MaxQuanta
		}
	}
	e.Host.stops, e.Host.again = priorities, never
	if priorities != 0 {
		e.Host.again = b.now + e.Host.every
	}
	e.Host.tell(f)
	for range 2 {
		b.Round(b.now)
	}
}

// tell sends a PFC; the ring of an edge always has room for one when the bench is at rest.
func (h *Host) tell(f wire.PFC) bool {
	var b [wire.MinFrameLen]byte
	return h.Send(b[:wire.PutPFC(b[:], h.mac, f)])
}

// remind says again what is stopped, when that is due.
func (h *Host) remind(now int64) {
	if now < h.again {
		return
	}
	f := wire.PFC{Enable: h.stops}
	for i := range wire.Priorities {
		if h.stops>>i&1 == 1 {
			f.Quanta[i] = pfc.MaxQuanta
		}
	}
	if h.tell(f) {
		h.again = now + h.every
	}
}

// receivePause takes a PFC or PAUSE frame, which stops the host; false: it is another frame.
func (h *Host) receivePause(f []byte, now int64) bool {
	if len(f) < wire.HeaderLen || wire.EtherType(f) != wire.EtherTypeMACControl {
		return false
	}
	if is, fault := wire.ParsePFC(f); fault == wire.NoFault {
		h.paused.ReceivedFrame(is, now)
	}
	return true
}

// Paused is the priorities that the edge port has stopped, as a bitmap.
func (h *Host) Paused(now int64) uint8 { return h.paused.Stopped(now) }
