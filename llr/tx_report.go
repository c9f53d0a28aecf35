package llr

import "uelink/wire"

// receivedReport handles an LLR_ACK or LLR_NACK with number seq in a control frame, if the frame also has the partner's
// report of the frames that have arrived. It returns false if there is no report, or if frames are not replayed
// selectively.
func (t *Tx) receivedReport(seq uint32, frame []wire.CtlOS, now wire.Time) bool {
	if !t.sel.on || !t.running() {
		return false
	}
	last, high, ok := arrivedOf(frame)
	if !ok {
		t.lackReport(seq, now)
		return false
	}
	// The message may acknowledge the frame that arrived last, so the frame is looked up first.
	arrived, ok := t.position(last)
	outstanding := ok && arrived != t.window.tail
	if _, ok := t.acceptAck(seq, now); !ok {
		return true
	}
	if outstanding {
		t.addEvidence(arrived, now)
	}
	t.judgeReport(high, frame, now)
	return true
}

// lackReport handles an LLR_ACK or LLR_NACK without a report. A partner that replays selectively reports with each
// message that acknowledges frames. So this partner goes back N: what the two ends said of themselves has changed
// between LLR_INIT and its echo, or was lost. Without reports selective replay would send one frame again for each
// replay timer.
func (t *Tx) lackReport(seq uint32, now wire.Time) {
	if n := t.space.distance(t.acked(), seq); n > 0 && n <= t.window.outstanding() {
		t.goBack(now)
	}
}

// arrivedOf returns the numbers in the item GapArrived of a control frame: the number of the frame that arrived last,
// and the number after the highest that has arrived.
func arrivedOf(frame []wire.CtlOS) (last, high uint32, ok bool) {
	for i := range frame {
		if last, high, ok = frame[i].Gap(wire.GapArrived); ok {
			return last, high, true
		}
	}
	return 0, 0, false
}

// position returns the position in the window of a sequence number; ok is false if the number is neither that of an
// outstanding frame nor the next.
func (t *Tx) position(seq uint32) (position uint32, ok bool) {
	n := t.space.distance(t.space.add(t.acked(), 1), seq)
	return t.window.first + n, n <= t.window.outstanding()
}

// addEvidence records that the frame at a position is the last that has arrived, though it may be acknowledged by now.
// If no report has said so before, and the frame was sent once, it has only just arrived: its loop time is measured.
func (t *Tx) addEvidence(position uint32, now wire.Time) {
	f := t.sel.sending(position)
	serial := f.arrivedBy(t.patience.least, now)
	if !later(serial, t.sel.evidence, 0) {
		return
	}
	if t.sel.evidence = serial; f.copied {
		return
	}
	d := now.Sub(f.at)
	t.patience.addLoopTime(d)
	t.patience.addWait(d)
	if f.at >= t.busy {
		t.countLoopTime(d)
	}
}

// judgeReport finds the lost frames in a report: those named missing, and those after the highest that has arrived. A
// report that is older than an earlier one is skipped, and so is a range that does not fit: at worst a forged report
// makes this end send frames again that are not lost.
// Clauses: UE-LINK/nack.9.
func (t *Tx) judgeReport(high uint32, frame []wire.CtlOS, now wire.Time) {
	s := &t.sel
	end, ok := t.position(high)
	if !ok || int32(end-s.high) < 0 || now < t.busy {
		t.skipAcked()
		return
	}
	s.high, s.gap = end, t.window.first-1
	budget := t.window.outstanding() // bounds the work if ranges of a forged report overlap
	for i := range frame {
		from, to, ok := frame[i].Gap(wire.GapMissing)
		if ok && t.running() {
			budget -= t.judgeRange(from, to, budget, now)
		}
	}
	for p := end; t.running() && p != t.window.tail && t.judge(p, false, now); p++ {
	}
	if t.running() && s.head < len(s.lost) {
		t.beginRepair(now)
		return
	}
	t.skipAcked()
}

// judgeRange judges the frames from the number from up to, and without, the number to, at most budget frames, and
// returns how many it has judged. The first frame that may be only late becomes sel.gap.
func (t *Tx) judgeRange(from, to, budget uint32, now wire.Time) (n uint32) {
	p, ok := t.position(from)
	end, fits := t.position(to)
	if !ok || !fits {
		return 0
	}
	for ; int32(end-p) > 0 && n < budget && t.running(); p++ {
		if !t.judge(p, true, now) && !t.sel.gapWaits(&t.window) {
			t.sel.gap = p
		}
		n++
	}
	return n
}

// judge reports whether a frame that the partner lacks is lost, and puts a lost frame into the list of lost frames. The
// frame is lost if the partner has received a frame that was sent more than reorderMost sendings later, or has received
// this sending of the frame damaged. A frame in a gap is also lost if its acknowledgement is overdue: perhaps nothing
// was sent after the frame. If the oldest frame was sent again before, countAttempt counts, and may enter FLUSH.
func (t *Tx) judge(position uint32, inGap bool, now wire.Time) bool {
	s, f := &t.sel, t.sel.sending(position)
	switch {
	case f.lost:
		return true
	case later(s.evidence, f.serial, reorderMost):
	case inGap && (f.serial == s.evidence || now >= t.patience.overdueAt(f)):
	default:
		return false
	}
	if position == t.window.first && f.copied && !t.countAttempt(now) {
		return false // FLUSH
	}
	s.lose(position)
	return true
}
