package e2e

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/wire"
)

// stalled is a link of three lossless channels, of which VC 1 stands still from A to B: hostB has
// stopped it, all its credits are in use, and frames wait for more.
type stalled struct {
	pair
	top    *topology
	host   *talker // at B
	talk   *talk
	stream *stream
}

func newStalled(t testing.TB) stalled {
	t.Helper()
	top := direct(t)
	with := threeLossless
	with.top = "drain_timeout: 15s"
	with.edge += ", pfc: {mode: static, priorities: [1], rate: 10Mbps}" // a pause lasts three seconds
	p := top.daemons(with)
	p.lossless(0, 1, 2)
	hostA, hostB := newTalker(t, top.hostA, 1), newTalker(t, top.hostB, 2)
	c := newTalk(t, hostB)
	s := stalled{p, top, hostB, c, c.stream(hostA, priority(1), hostB)}
	eventually(t, "all credits of VC 1 in use, and frames that wait for more", func() string {
		hostB.pause(1, 0xFFFF)
		c.say(s.stream, 20)
		if v, n := p.a.vc(1), p.a.link().QueuedFrames; v.CreditsUsed < v.SenderCreditLimit || n < 100 {
			return fmt.Sprintf("%d are, and %d frames", v.CreditsUsed, n)
		}
		return ""
	})
	return s
}

// goesOn sends until a frame comes that was sent now, and then many of every priority. It logs how long
// after an event that was.
func (s stalled) goesOn(t *testing.T, since time.Time) {
	t.Helper()
	first := s.stream.sent.Load()
	eventually(t, "the channel goes on", func() string {
		s.talk.say(s.stream, 1)
		if h := s.talk.at(s.stream, s.host); h.next <= first {
			return fmt.Sprintf("of %d frames %d have come, of those before the end of a daemon", s.stream.sent.Load(), h.frames)
		}
		return ""
	})
	t.Logf("VC 1 goes on %v after the daemon was ready", time.Since(since).Round(time.Millisecond))
	s.lossless(0, 1, 2)
	c := s.top.between()
	c.Priorities, c.Frames, c.Window = []uint8{0, 1, 2}, 2000, 64
	untouched(t, c)
	t.Logf("2000 frames more of each priority %v after it", time.Since(since).Round(time.Millisecond))
	s.atRest(0, 1, 2)
	s.bounded(0, 1, 2)
}

// A daemon is killed that holds a frame for every credit of a channel. Its next start has them all,
// and what waited for credits at the other end arrives.
func TestPartnerKilledWithCreditsInUse(t *testing.T) {
	s := newStalled(t)
	held := uint32(s.a.vc(1).SenderCreditLimit)
	s.b.kill()
	s.goesOn(t, s.b.start())
	if h, sent := s.talk.at(s.stream, s.host), s.stream.sent.Load(); h.wrong != "" || sent-h.frames > held {
		t.Errorf("of %d frames %d came, and the partner had %d at most; %s", sent, h.frames, held, h.wrong)
	}
}

// A daemon is killed that has used all credits of a channel. Its partner still holds the frames.
// The next start has the credits when the partner has delivered them, and nothing overtakes these.
func TestSenderKilledWithCreditsInUse(t *testing.T) {
	s := newStalled(t)
	held := uint32(s.a.vc(1).SenderCreditLimit)
	s.a.kill()
	ready := s.a.start()
	s.host.pause(1, 0)
	s.goesOn(t, ready)
	if h := s.talk.at(s.stream, s.host); h.wrong != "" || h.frames < held {
		t.Errorf("%d frames came, and the partner had %d; %s", h.frames, held, h.wrong)
	}
}

// Both daemons are killed at once, with all credits of a channel in use. Neither knows of the other's frames, and the
// channels start with all their credits.
func TestBothKilledWithCreditsInUse(t *testing.T) {
	s := newStalled(t)
	s.a.kill()
	s.b.kill()
	s.a.start()
	s.goesOn(t, s.b.start())
	if h := s.talk.at(s.stream, s.host); h.wrong != "" {
		t.Error(h.wrong)
	}
}

// A daemon is to end whose frames wait for credits: it delivers them when the far edge takes frames again.
func TestTerminatedDaemonDeliversWhatWaitsForCredits(t *testing.T) {
	s := newStalled(t)
	s.a.signal(syscall.SIGTERM)
	s.a.told("STATUS=delivering what is held")
	time.Sleep(100 * time.Millisecond)
	if !s.a.running() {
		t.Fatal("it has ended, and frames wait")
	}
	s.host.pause(1, 0)
	if code := s.a.wait(); code != 0 || !strings.Contains(s.a.stderr.String(), `"msg":"drained"`) {
		t.Errorf("exit %d, and it does not say that all was delivered", code)
	}
	if h, sent := s.talk.at(s.stream, s.host), s.stream.sent.Load(); h.wrong != "" || h.frames != sent {
		t.Errorf("%d of %d frames; %s", h.frames, sent, h.wrong)
	}
}

// The edge at the far end stands still for seconds after the sender was killed: its partner holds frames of the start
// before, and says so. The channel waits for it, and nothing of what the new start got is lost.
func TestSenderKilledWhileTheFarEdgeStandsStill(t *testing.T) {
	t.Parallel()
	s := newStalled(t)
	held := uint32(s.a.vc(1).SenderCreditLimit)
	s.a.kill()
	first := s.stream.sent.Load()
	ready := s.a.start()
	s.a.phase(1, "asking")
	for range 5 {
		s.host.pause(1, 0xFFFF)
		s.talk.say(s.stream, 20)
		time.Sleep(time.Second)
		if v := s.a.vc(1); v.Phase != "asking" || v.Blocked == 0 ||
			!strings.HasPrefix(v.Note, "the partner still holds earlier frames; waits for credits for ") {
			t.Fatalf("%v after the start: %+v", time.Since(ready), v)
		}
	}
	s.host.pause(1, 0)
	s.goesOn(t, ready)
	eventually(t, "all frames of the new start", func() string {
		if h, want := s.talk.at(s.stream, s.host), held+s.stream.sent.Load()-first; h.wrong != "" || h.frames < want {
			return fmt.Sprintf("%d of %d; %s", h.frames, want, h.wrong)
		}
		return ""
	})
	s.a.noDrops()
	s.b.noDrops()
}

// pause has the host stop a priority by PFC, for so many quanta; 0: it goes on.
func (h *talker) pause(priority uint8, quanta uint16) {
	h.t.Helper()
	pfc := wire.PFC{Enable: 1 << priority}
	pfc.Quanta[priority] = quanta
	f := make([]byte, wire.MinFrameLen)
	h.send(f[:wire.PutPFC(f, h.mac, pfc)])
}
