package llr

import (
	"time"

	"uelink/wire"
)

// StateTimes is how long the machines of a link were in each state, in nanoseconds, since the counters were cleared or
// the process took the link over. A change counts from the round of the caller in which it happened.
type StateTimes struct {
	TxOffTime     time.Duration `json:"tx_off_time"`     // time in state OFF of the transmitter, ns
	TxInitTime    time.Duration `json:"tx_init_time"`    // time in state INIT of the transmitter, ns
	TxAdvanceTime time.Duration `json:"tx_advance_time"` // time in state ADVANCE of the transmitter, ns
	TxReplayTime  time.Duration `json:"tx_replay_time"`  // time in state REPLAY of the transmitter, ns
	TxFlushTime   time.Duration `json:"tx_flush_time"`   // time in state FLUSH of the transmitter, ns

	RxOffTime      time.Duration `json:"rx_off_time"`       // time in state OFF of the receiver, ns
	RxSendAcksTime time.Duration `json:"rx_send_acks_time"` // time in state SEND_ACKS of the receiver, ns
	RxSendNackTime time.Duration `json:"rx_send_nack_time"` // time in state SEND_NACK of the receiver, ns
	RxNackSentTime time.Duration `json:"rx_nack_sent_time"` // time in state NACK_SENT of the receiver, ns
}

// Spacing describes the times between LLR_ACK and LLR_NACK ordered sets in one direction, in nanoseconds. All but Min
// are of the last few thousand, each at most an eighth too long.
type Spacing struct {
	Min int64 `json:"min"` // shortest time between two acknowledgements, ns
	P50 int64 `json:"p50"` // median time between two acknowledgements, ns
	P99 int64 `json:"p99"` // 99th percentile of the time between two acknowledgements, ns
	Max int64 `json:"max"` // longest time between two acknowledgements, ns
}

// timeline measures the times of a link's states and of its acknowledgements.
type timeline struct {
	at             wire.Time                     // up to when states are counted; 0: nothing yet
	tx             [TxFlush + 1]time.Duration    // time in each state of the transmitter
	rx             [RxNackSent + 1]time.Duration // time in each state of the receiver
	sent, received spacing                       // of the acknowledgements
}

// spacing measures the times between acknowledgements.
type spacing struct {
	last  wire.Time // time of the last acknowledgement; 0: none
	times loopTimes
}

// add records an acknowledgement at time now: the time since the one before is counted.
func (s *spacing) add(now wire.Time) {
	if s.last != 0 {
		s.times.add(now.Sub(s.last))
	}
	s.last = now
}

// clear forgets the measured times and the last acknowledgement.
func (s *spacing) clear() {
	s.last = 0
	s.times.forget()
}

// summary returns the times between acknowledgements; ok is false before the second acknowledgement.
func (s *spacing) summary() (_ Spacing, ok bool) {
	if s.times.total == 0 {
		return Spacing{}, false
	}
	return Spacing(s.times.summary()), true
}

// Tick counts the time since the last call for the present states. The caller calls it when frames have arrived, before
// Rx.Receive; ReceivedControl, Poll and Expire do so by themselves.
func (l *Link) Tick(now wire.Time) {
	t := &l.timeline
	if t.at != 0 {
		d := now.Sub(t.at)
		t.tx[l.Tx.state] += d
		t.rx[l.Rx.state] += d
	}
	t.at = now
}

// StateTimes returns how long the machines were in each state, up to the last call of Tick, ReceivedControl, Poll or
// Expire.
func (l *Link) StateTimes() StateTimes {
	tx, rx := &l.timeline.tx, &l.timeline.rx
	return StateTimes{
		TxOffTime: tx[TxOff], TxInitTime: tx[TxInit], TxAdvanceTime: tx[TxAdvance], TxReplayTime: tx[TxReplay], TxFlushTime: tx[TxFlush],
		RxOffTime: rx[RxOff], RxSendAcksTime: rx[RxSendAcks], RxSendNackTime: rx[RxSendNack], RxNackSentTime: rx[RxNackSent],
	}
}

// AckSpacing returns the times between the acknowledgements sent, and between those received; ok is false before the
// second acknowledgement since the counters were cleared or the process took the link over.
func (l *Link) AckSpacing() (sent, received Spacing, sentOK, receivedOK bool) {
	sent, sentOK = l.timeline.sent.summary()
	received, receivedOK = l.timeline.received.summary()
	return sent, received, sentOK, receivedOK
}

// Clear sets the counters to zero, and forgets the times of the states and between acknowledgements.
func (l *Link) Clear() {
	l.counters = Counters{}
	at := l.timeline.at
	l.timeline = timeline{at: at}
	l.timeline.sent.clear()
	l.timeline.received.clear()
}

// Continue takes over the counters and the times of the link old, which this link replaces.
func (l *Link) Continue(old *Link) {
	l.counters, l.timeline = old.counters, old.timeline
}
