package analyzer

import "uelink/wire"

// A number in its life, as the wire sees it:
//
//	arrived ──► left whole ──► acknowledged     data to its acknowledgement is measured if it was sent once
//	   │             ▲
//	   └──► lost ────┘                          measured from the arrival of the first lost copy
//
// A number is lost when the wire drops or damages a copy of it before it is acknowledged: a receiver that goes back N
// has not kept an earlier copy. A number is skipped, and lost from then on, when a higher one leaves before it: it was
// held, overtaken, or taken out of its frame.

// flow is the numbered frames of one way and protocol, and the receiver's answers to them.
type flow struct {
	numbers
	left      int64 // position after the highest number that has left whole
	turn      int64 // position expected by a receiver that goes back N
	discarded int64 // highest position discarded by a receiver that goes back N
	covered   int64 // position after the highest whose acknowledgement has left to the sender
	claimed   int64 // position after the highest whose acknowledgement has arrived at the wire
	request   request
	open      uint64 // numbers lost since the last restart, of which no good copy has left so far

	counts       Counts
	dataToAck    Histogram
	nackToResent Histogram
	lostToGood   Histogram
}

// request is the last request for a number that has left to the sender.
type request struct {
	waiting  bool      // the requested number has not arrived again
	position int64     // position of the requested number
	at       wire.Time // when the request left
	label    uint8     // number of the LLR_NACK and of its copies; 0: none
}

// restart empties the flow: number is the next number to arrive, and all positions begin there. Counts and histograms
// stay; numbers still open count as unrepaired.
func (f *flow) restart(number uint32) {
	if f.begun {
		f.counts.Restarts++
	}
	f.counts.Unrepaired += f.open // after a restart these numbers no longer arrive
	f.open = 0
	f.numbers.restart(number)
	f.left, f.turn, f.covered, f.claimed, f.request = f.next, f.next, f.next, f.next, request{}
}

// forget makes the next number to arrive, whichever it is, restart the flow.
func (f *flow) forget() {
	if f.begun {
		f.counts.Restarts++
	}
	f.begun = false
}

// arrives records that a number arrives from the sender; octets is the length of its frame or micropacket. A new number
// counts as a frame, and the numbers that it passes over as missing; a number that was there before counts as resent. A
// jump out of reach restarts the flow. The arrival of a requested number ends the measurement of the request.
func (f *flow) arrives(number uint32, octets int, now wire.Time) {
	if !f.begun {
		f.restart(number)
	}
	position, above := f.place(number, f.covered)
	if apart := max(position-f.next, f.next-position); apart >= f.reach() {
		f.restart(number)
		position, above = f.next, true
	}
	switch e := f.at(position); {
	case above:
		f.counts.Missing += uint64(position - f.next)
		f.next = position + 1
		f.begin(position, octets, now)
	case e != nil:
		e.copies++
		e.at = now
		f.resent(octets)
	case position < f.first:
		f.resent(octets)
		f.counts.Unmeasured++
	default: // counted as missing before
		f.counts.Missing -= min(f.counts.Missing, 1)
		f.begin(position, octets, now).faulty = true
	}
	if f.request.waiting && f.request.position == position {
		f.nackToResent.Add(now.Sub(f.request.at))
		f.request.waiting = false
	}
}

// begin records the first arrival of a number.
func (f *flow) begin(position int64, octets int, now wire.Time) *entry {
	f.counts.Frames++
	f.counts.Octets += uint64(octets)
	return f.put(position, now)
}

// resent counts another arrival of a number.
func (f *flow) resent(octets int) {
	f.counts.Resent++
	f.counts.ResentOctets += uint64(octets)
}

// loses records that the wire has dropped or damaged a copy of a number: it counts the loss, makes the number open, and
// lets the receiver ask for the number that it expects.
func (f *flow) loses(number uint32) {
	if !f.begun {
		return
	}
	f.excuse()
	if e := f.at(f.behind(number)); e != nil {
		f.counts.Lost++
		f.miss(e)
	}
}

// miss makes a number open: it is lost or skipped, and no good copy has left since. An acknowledged number stays as it
// is.
func (f *flow) miss(e *entry) {
	if e.position < f.claimed || e.open {
		return
	}
	e.open, e.faulty, e.lostAt = true, true, e.at
	f.open++
}

// leaves records that a good copy of a number has left for the receiver. That repairs a lost number, and ends the
// measurement of its loss; for an acknowledged number the copy counts as sent twice. Lower numbers that have not left
// yet count as skipped.
func (f *flow) leaves(number uint32, now wire.Time) {
	position := f.behind(number)
	e := f.at(position)
	if !f.begun || e == nil {
		f.counts.Strays++
		return
	}
	if position < f.claimed {
		f.counts.Twice++
	}
	if e.open {
		f.lostToGood.Add(now.Sub(e.lostAt))
		f.close(e)
	}
	e.whole = true
	for f.left = max(f.left, position-f.reach()); f.left < position; f.left++ {
		if skipped := f.at(f.left); skipped != nil && !skipped.whole && !skipped.open {
			f.counts.Skipped++
			f.miss(skipped)
		}
	}
	f.left = max(f.left, position+1)
	f.order(position)
}

// close records that a lost number needs no good copy any more.
func (f *flow) close(e *entry) {
	e.open = false
	f.open--
}

// order advances turn, the position that a receiver that goes back N expects, when a good copy with this position
// reaches it. A copy ahead of turn is discarded; until all discarded numbers have come again, the receiver may send
// requests (excuse).
func (f *flow) order(position int64) {
	f.turn = max(f.turn, f.claimed)
	switch {
	case position == f.turn:
		f.turn++
	case position > f.turn:
		f.discarded = max(f.discarded, position)
	}
	if f.discarded >= f.turn {
		f.excuse()
	}
}

// inTurn reports whether a receiver that goes back N accepts a number leaving now.
func (f *flow) inTurn(number uint32) bool {
	return f.begun && f.behind(number) == max(f.turn, f.claimed)
}

// excuse marks the number that the receiver expects as faulty: a request for it is no false one.
func (f *flow) excuse() {
	if e := f.at(max(f.turn, f.claimed)); e != nil {
		e.faulty = true
	}
}

// acknowledges records that an acknowledgement of all numbers up to number arrives from the receiver. It counts as
// false for each number that has not left whole. Lost numbers of which an earlier copy was good are lost no more.
func (f *flow) acknowledges(number uint32) {
	position, ok := f.fits(number)
	if !ok {
		if f.begun {
			f.counts.Strays++
		}
		return
	}
	for f.claimed = max(f.claimed, position-f.reach()); f.claimed <= position; f.claimed++ {
		switch e := f.at(f.claimed); {
		case e == nil:
		case !e.whole:
			f.counts.FalseAcks++
		case e.open: // an earlier copy was good, and kept
			f.close(e)
		}
	}
}

// asks counts a request for the frames behind a number, when it arrives from the receiver. The request is false if the
// first of these frames has left whole and in turn.
func (f *flow) asks(number uint32) {
	f.counts.Nacks++
	position, ok := f.fits(number)
	if !ok {
		return
	}
	if e := f.at(position + 1); e != nil && e.whole && !e.faulty && e.position < max(f.turn, f.claimed) {
		f.counts.FalseNacks++
	}
}

// covers records that an acknowledgement of all numbers up to number leaves to the sender. It measures the time since
// their arrival for the numbers sent once, and ends a request for one of them.
func (f *flow) covers(number uint32, now wire.Time) {
	position, ok := f.fits(number)
	if !ok {
		return
	}
	for f.covered = max(f.covered, position-f.reach()); f.covered <= position; f.covered++ {
		if e := f.at(f.covered); e != nil && e.copies == 1 {
			f.dataToAck.Add(now.Sub(e.at))
		}
	}
	if f.request.position < f.covered {
		f.request.waiting = false
	}
}

// requests records that a request for the frames behind a number leaves to the sender: the time until the first of
// these frames arrives again is measured. A copy of the last request, with the same label, and a second request for the
// same number begin no measurement.
func (f *flow) requests(number uint32, label uint8, now wire.Time) {
	position, ok := f.fits(number)
	position++
	copied := label > 0 && label == f.request.label
	if !ok || copied || f.request.waiting && f.request.position == position || f.at(position) == nil {
		return
	}
	f.request = request{waiting: true, position: position, at: now, label: label}
}
