package conformance

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"uelink/dataplane/model"
	"uelink/lab/simulated"
	"uelink/llr"
)

// tolerance is how far a measured value that depends on time may differ from theory.
const tolerance = 0.05

// spoiler changes the settings of a case so that the case must fail.
type spoiler func(*simulated.Options)

// trial is a run of a case over one kind of ends.
type trial struct {
	id     string
	ends   string
	spoil  spoiler // changes the settings; nil: they stay
	size   int     // octets of the current frames, with FCS; 0: not about one size
	config string  // the present settings, as text for results
	note   string  // remark for the results recorded from now on
	rows   []Result
}

// exact records a count as a result of the case, which passes if got equals want. name is that of the quantity.
func (t *trial) exact(name string, want, got uint64) {
	t.record(name, strconv.FormatUint(want, 10), strconv.FormatUint(got, 10), got == want)
}

// word records a state or a setting as a result of the case, which passes if the texts of got and want are equal.
// name is that of the quantity.
func (t *trial) word(name string, want, got fmt.Stringer) {
	t.text(name, want.String(), got.String())
}

// text records the text of a state as a result of the case, which passes if got equals want. name is that of the
// quantity.
func (t *trial) text(name, want, got string) { t.record(name, want, got, got == want) }

// flag records a setting or a finding, true or false, as a result of the case, which passes if got equals want.
// name is that of the quantity.
func (t *trial) flag(name string, want, got bool) {
	t.record(name, strconv.FormatBool(want), strconv.FormatBool(got), got == want)
}

// near records a value as a result of the case, which passes if got is within 5 % of want, the theory. Both values
// are shown with the unit, rounded to three digits. name is that of the quantity.
func (t *trial) near(name, unit string, want, got float64) {
	shown := func(v float64) string { return strconv.FormatFloat(rounded(v), 'f', -1, 64) + " " + unit }
	t.record(name, shown(want), shown(got), math.Abs(got-want) <= tolerance*want)
}

// rounded returns v rounded to three significant digits.
func rounded(v float64) float64 {
	r, _ := strconv.ParseFloat(strconv.FormatFloat(v, 'e', 2, 64), 64)
	return r
}

// failed records, as a failed result of the case, that a quantity could not be measured. name is that of the quantity,
// err is the reason.
func (t *trial) failed(name string, err error) { t.record(name, "done", err.Error(), false) }

// record adds a result to the report of the run.
func (t *trial) record(name, want, got string, passed bool) {
	r := Result{
		Timestamp: time.Now(), Scenario: t.id, FrameSize: t.size, TestCase: name, Config: t.config,
		Expected: want, Measured: got, PassFail: fail, Notes: t.notes(),
	}
	if passed {
		r.PassFail = pass
	}
	if t.ends == endsMemory { // the traffic of veth ends is not IP
		r.SourceIP, r.DestIP = simulated.SourceIP().String(), simulated.DestIP().String()
	}
	t.rows = append(t.rows, r)
}

// notes returns the text for a result's notes: the kind of ends, a colon, and the note of the trial. Result.ends
// reads the kind back.
func (t *trial) notes() string {
	if t.note == "" {
		return t.ends
	}
	return t.ends + ": " + t.note
}

// ends returns the kind of ends that a result was measured with, "memory" or "veth", from its notes.
func (r *Result) ends() string {
	ends, _, _ := strings.Cut(r.Notes, ":")
	return ends
}

// bench makes two ends in memory and waits until LLR and credits are up; a failure is recorded. change alters
// simulated.Defaults for the case; nil alters nothing.
func (t *trial) bench(change func(*simulated.Options)) *simulated.Bench {
	o := simulated.Defaults()
	o.Profile.ReInitOnFlush = false
	if change != nil {
		change(&o)
	}
	if t.spoil != nil {
		t.spoil(&o)
	}
	t.config = configuration(o)
	b := simulated.New(o)
	if !b.Establish() {
		a, z := b.A.Link().LLR.TxStatus, b.B.Link().LLR.TxStatus
		t.failed("LLR and credits come up", fmt.Errorf("end A is in %v, B in %v", a, z))
	}
	return b
}

// configuration returns the settings of the simulated ends that cases change, as text under SAI's names: the
// attributes of CBFC if CBFC is on, else those of LLR.
func configuration(o simulated.Options) string {
	p, l := o.Profile, o.Link.LLR
	text := fmt.Sprintf("LLR_MODE_LOCAL=%t LLR_MODE_REMOTE=%t", l.Local, l.Remote)
	if o.Link.CBFC.On {
		text += creditConfiguration(&o)
	} else {
		text += fmt.Sprintf(" OUTSTANDING_FRAMES_MAX=%d REPLAY_TIMER_MAX=%v "+
			"REPLAY_COUNT_MAX=%d FLUSH_LLR_FRAME_ACTION=%v RE_INIT_ON_FLUSH=%t",
			p.MaxOutstandingFrames, p.MaxReplayTimer, p.MaxReplayCount, p.FlushAction, p.ReInitOnFlush)
	}
	if w := o.Wire; w.RateBPS > 0 || w.Delay > 0 {
		text += fmt.Sprintf(" rate=%gGb/s delay=%v", float64(w.RateBPS)/1e9, w.Delay)
	}
	return text
}

// stream sends that many frames of the trial's size from A to B, waits until they have arrived or are lost, and
// returns the stream with its counts.
func (t *trial) stream(b *simulated.Bench, frames uint64) *simulated.Stream {
	s := &simulated.Stream{From: b.A, To: b.B, Frames: frames, Size: t.size}
	b.Carry(s)
	return s
}

// whole records whether every frame of a stream arrived once, in order and undamaged.
func (t *trial) whole(s *simulated.Stream) {
	t.exact("frames delivered", s.Frames, s.Delivered)
	t.exact("frames lost", 0, s.Lost())
	t.exact("frames out of order, doubled or damaged", 0, s.Reordered+s.Duplicated+s.Damaged)
}

// countersOf returns the LLR counters of an end's first link.
func countersOf(e *simulated.End) llr.Counters { return e.Link().LLR.Counters }

// dropped returns how many frames an end has dropped at its edge and its first link: no room, bad size, refused,
// or port down.
func dropped(e *simulated.End) (sum uint64) {
	for _, p := range []model.PortState{e.Edge(), e.Link()} {
		c := &p.Counters
		sum += c.RxRunt + c.RxOversized + c.RxDropNoBuffer + c.RxRefused + c.RxNativeDropped +
			c.TxDropDown + c.TxDropQueueFull
	}
	return sum
}
