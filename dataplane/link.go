package dataplane

import (
	"uelink/llr"
	"uelink/wire"
)

// controlReserve is how many slots and ring entries data leaves to control.
const controlReserve = 2

// quiet is how long nothing has come before the link counts as idle and LLR
// acknowledges at once: less than a worker spins, and long enough for an answer to
// the last frame to leave before its acknowledgement, which would delay it.
const quiet = 40e3 // ns

// link is a port of role link: the port, its LLR machines, and the virtual
// channels that wait to be sent.
type link struct {
	port
	llr     *llr.Link
	local   bool // LLR_MODE_LOCAL
	remote  bool // LLR_MODE_REMOTE
	sched   scheduler
	partner partner
	dynamic dynamic // in mode dynamic
	pace    pace

	control [wire.MaxCtlOS]wire.CtlOS // decoded, or gathered to be sent
	heard   int64                     // when something last came, ns
	blocked bool                      // work is left that waits for room
}

// newLink returns a link port without devices. queueLen is a power of two.
func newLink(s PortSettings, p llr.Profile, queueLen int, initSeq uint32, nonce [2]byte, now int64) *link {
	l := &link{port: port{settings: s}, llr: llr.NewLink(p, initSeq, nonce), pace: newPace()}
	l.sched.queues[0] = newQueue(queueLen)
	l.llr.Tx.SetCarrier(false, now)
	l.setModes(now)
	return l
}

func (l *link) setLocal(on bool) {
	l.local = on
	l.llr.Rx.SetMode(on)
}

func (l *link) setRemote(on bool, now int64) {
	l.remote = on
	l.llr.Tx.SetMode(on, now)
	l.free()
}

// setUp notes the carrier.
func (l *link) setUp(up bool, now int64) {
	l.up = up
	l.llr.Tx.SetCarrier(up && len(l.devices) > 0, now)
}

// lost drops what LLR holds: its slots go away with the device.
func (l *link) lost(now int64) {
	l.llr.Tx.SetCarrier(false, now)
	l.llr.Tx.Reinit(now)
	for {
		if _, ok := l.llr.Tx.Free(); !ok {
			break
		}
	}
	l.detach()
}

// free returns the slots that LLR needs no longer.
func (l *link) free() {
	for {
		slot, ok := l.llr.Tx.Free()
		if !ok {
			return
		}
		l.slots.release(slot)
	}
}

// readControl acts on a control frame; what is wrong with it is counted.
func (l *link) readControl(frame []byte, now int64) {
	n, unknown, fault := wire.ParseControl(frame, &l.control)
	if fault != wire.NoFault {
		l.countControlFault(fault)
		return
	}
	l.counters.RxControl++
	l.counters.RxControlType += uint64(unknown)
	l.partner.heard(frame, now)
	l.llr.Control(now, l.control[:n]...)
	l.free()
}

func (l *link) countControlFault(fault wire.Fault) {
	switch fault {
	case wire.FaultTruncated:
		l.counters.RxControlTruncated++
	case wire.FaultVersion:
		l.counters.RxControlVersion++
	case wire.FaultCount:
		l.counters.RxControlCount++
	case wire.FaultCRC:
		l.counters.RxControlCRC++
	default:
		l.counters.RxControlReserved++
	}
}

// sendControl runs LLR's timers and posts what it has to say as one control
// frame.
func (l *link) sendControl(now int64) {
	if l.txRoom() == 0 {
		l.blocked = true
		return
	}
	list := l.llr.Poll(now, now-l.heard >= quiet, l.control[:0])
	l.free()
	if len(list) == 0 {
		return
	}
	slot, chunk := l.slot()
	l.slots.state[slot].len = uint32(wire.PutControl(chunk, l.mac, l.settings.EtherTypeControl, list))
	l.counters.TxControl++
	l.port.post(slot)
}

// wantsPartner tells whether LLR waits for an answer, or is off, so that a
// silent partner is to be forgotten.
func (l *link) wantsPartner() bool {
	switch l.llr.Tx.State() {
	case llr.TxInit:
		return true
	case llr.TxOff:
		return !l.local
	}
	return false
}

// configure takes new LLR settings and the profile they name.
func (l *link) configure(s PortSettings, p llr.Profile, now int64) {
	l.settings = s
	l.llr.Tx.SetProfile(p)
	l.llr.Rx.SetProfile(p)
	l.setModes(now)
}

// setModes switches both directions as the settings say.
func (l *link) setModes(now int64) {
	s := l.settings.LLR
	if l.negotiates() {
		l.dynamic.willingLocal, l.dynamic.willingRemote = s.Local, s.Remote
		l.follow(now)
		return
	}
	l.dynamic.txRetiring, l.dynamic.rxRetiring = false, false
	l.setLocal(s.Mode == "static" && s.Local)
	l.setRemote(s.Mode == "static" && s.Remote, now)
}

// allowLocal is LLR_MODE_LOCAL by command: what is on, or what this end is
// willing to.
func (l *link) allowLocal(on bool, now int64) {
	if !l.negotiates() {
		l.setLocal(on)
		return
	}
	l.dynamic.willingLocal = on
	l.follow(now)
}

// allowRemote is LLR_MODE_REMOTE by command.
func (l *link) allowRemote(on bool, now int64) {
	if !l.negotiates() {
		l.setRemote(on, now)
		return
	}
	l.dynamic.willingRemote = on
	l.follow(now)
}
