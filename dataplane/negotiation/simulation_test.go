package negotiation

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"uelink/wire"
)

var (
	firstSeed = flag.Uint64("negotiation.first", 1, "first seed of TestSimulation")
	seeds     = flag.Int("negotiation.seeds", 300, "number of seeds of TestSimulation")
)

// A step of the simulation, the way over the wire, and what LLDP takes at most to tell
// the partner what has changed, since frames of it are lost and sent again.
const (
	step     = 50 * time.Millisecond
	latency  = 2 * step
	lldpMost = 4 * time.Second
)

// TestSimulation has two ends in mode dynamic change their minds again and again, while
// frames cross both ways and LLDP tells each of the other, late. No frame with LLR comes
// to a receiver that is off. When nothing changes any more, each direction is on if both
// ends want it, and nothing retires.
func TestSimulation(t *testing.T) {
	ons, offs := 0, 0
	for i := range *seeds {
		seed := *firstSeed + uint64(i)
		s := newSimulation(seed)
		if err := s.run(); err != nil {
			t.Fatalf("seed %d: %v\nalone: go test ./dataplane/negotiation -run TestSimulation "+
				"-negotiation.first %d -negotiation.seeds 1", seed, err, seed)
		}
		ons, offs = ons+s.ons, offs+s.offs
	}
	if t.Logf("%d seeds: directions went on %d times, off %d times", *seeds, ons, offs); ons == 0 || offs == 0 {
		t.Error("nothing happened")
	}
}

// simulation is two ends, and the messages in flight between them.
type simulation struct {
	rng       *rand.Rand
	now       wire.Time
	ends      [2]*end
	ons, offs int
}

// end is one machine, LLR as it matters here, and LLDP.
type end struct {
	Machine
	old       [2]State // at the end of the last step
	busy      int      // steps of ten in which a frame is sent
	up        bool     // the transmitter's handshake is over
	handshake bool     // the receiver's is not: no frame has come since
	done      Progress
	flying    []message // to this end, oldest first
	heard     bool      // by LLDP the partner offers LLR
	offered   bool      // the last offer sent to it
	reported  []message // LLDP to this end, by the time at which it comes
}

// message is in flight until at.
type message struct {
	at     wire.Time
	kind   kind
	offers bool // LLDP
}

// kind is the kind of a message.
type kind uint8

const (
	bare kind = iota // a frame without LLR
	sequenced
	ack
	initialise // LLR_INIT
	echo       // LLR_INIT_ECHO
)

func newSimulation(seed uint64) *simulation {
	s := &simulation{rng: rand.New(rand.NewPCG(seed, 0))}
	for i := range s.ends {
		e := &end{busy: s.rng.IntN(11)}
		e.Configure(true, Both{Local: s.coin(), Remote: s.coin()}, 2*time.Second, 0)
		s.ends[i] = e
	}
	return s
}

func (s *simulation) coin() bool { return s.rng.IntN(2) == 0 }

func (s *simulation) run() error {
	for range 2000 {
		if s.rng.IntN(60) == 0 {
			s.change(s.ends[s.rng.IntN(2)])
		}
		if err := s.step(); err != nil {
			return err
		}
	}
	for end := s.now.Add(lldpMost).Add(3 * Quiet); s.now < end; {
		if err := s.step(); err != nil {
			return err
		}
	}
	return s.settled()
}

// change is a command, or a reload.
func (s *simulation) change(e *end) {
	switch s.rng.IntN(3) {
	case 0:
		e.SetLocal(s.coin(), s.now)
	case 1:
		e.SetRemote(s.coin(), s.now)
	default:
		e.Configure(true, Both{Local: s.coin(), Remote: s.coin()}, 2*time.Second, s.now)
	}
}

func (s *simulation) step() error {
	s.now = s.now.Add(step)
	for i, e := range s.ends {
		other := s.ends[1-i]
		s.talk(e, other)
		if err := s.arrive(e, other); err != nil {
			return fmt.Errorf("at %v, end %d: %w", time.Duration(s.now), i, err)
		}
		if err := e.renew(s.rng); err != nil {
			return err
		}
		e.Poll(e.done, s.now)
		s.count(e)
		s.send(e, other)
	}
	return nil
}

// count counts directions that went on or off since the last step.
func (s *simulation) count(e *end) {
	for i, current := range [2]State{e.Transmitter(), e.Receiver()} {
		switch {
		case e.old[i] == Off && current != Off:
			s.ons++
		case e.old[i] != Off && current == Off:
			s.offs++
		}
		e.old[i] = current
	}
}

// talk is LLDP: an end offers LLR if it is willing to receive. Both offering, it is
// agreed on in both directions.
func (s *simulation) talk(e, other *end) {
	offers := e.Willing().Local
	if offers != e.offered {
		e.offered = offers
		at := s.now.Add(time.Duration(s.rng.Int64N(int64(lldpMost))))
		other.reported = append(other.reported, message{at: at, offers: offers})
	}
	for len(e.reported) > 0 && e.reported[0].at <= s.now {
		e.heard = e.reported[len(e.reported)-1].offers // a later LLDPDU holds all of it
		e.reported = e.reported[:0]
	}
	if on := offers && e.heard; e.Agreed() != (Both{on, on}) {
		e.ReceivedAgreement(Both{on, on}, s.now)
	}
}

// arrive handles the messages that have arrived.
func (s *simulation) arrive(e, other *end) error {
	for ; len(e.flying) > 0 && e.flying[0].at <= s.now; e.flying = e.flying[1:] {
		switch e.flying[0].kind {
		case bare:
			e.ReceivedUnsequenced(e.handshake)
		case sequenced:
			if e.Receiver() == Off {
				return fmt.Errorf("a frame with LLR came though the receiver is off")
			}
			e.done.Received++
			e.handshake = false
			s.post(other, ack)
		case ack:
			e.done.Outstanding--
		case initialise:
			if e.Receiver() != Off {
				e.handshake = true
				e.done.Received++
				s.post(other, echo)
			}
		case echo:
			e.up = e.Transmitter() == On
		}
	}
	return nil
}

func (s *simulation) post(to *end, k kind) {
	to.flying = append(to.flying, message{at: s.now.Add(latency), kind: k})
}

// send is LLR_INIT, and a frame of a host, which goes out without LLR until the handshake
// is over, and waits for a transmitter that retires.
func (s *simulation) send(e, other *end) {
	if e.Transmitter() == Off {
		e.up = false
	}
	if e.Transmitter() == On && !e.up {
		s.post(other, initialise)
	}
	switch {
	case s.rng.IntN(10) >= e.busy || e.Transmitter() == Retiring:
	case e.up:
		e.done.Outstanding++
		s.post(other, sequenced)
	default:
		s.post(other, bare)
	}
}

// settled returns the differences from the wishes of both ends.
func (s *simulation) settled() error {
	agreed := s.ends[0].Willing().Local && s.ends[1].Willing().Local
	for i, e := range s.ends {
		for what, d := range map[string]struct {
			state State
			want  bool
		}{
			"transmitter": {e.Transmitter(), agreed && e.Willing().Remote},
			"receiver":    {e.Receiver(), agreed && e.Willing().Local},
		} {
			if want := map[bool]State{false: Off, true: On}[d.want]; d.state != want {
				return fmt.Errorf("end %d: %s %v when all is quiet, want %v", i, what, d.state, want)
			}
		}
	}
	return nil
}
