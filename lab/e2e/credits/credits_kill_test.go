package credits

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// stalled is a link of three lossless channels, of which VC 1 stands still from A to B: hostB has
// stopped it, all its credits are in use, and frames wait for more.
type stalled struct {
	bed.Pair
	top    *bed.Topology
	host   *bed.Talker // at B
	talk   *bed.Talk
	stream *bed.Stream
}

func newStalled(t testing.TB) stalled {
	t.Helper()
	top := bed.Direct(t)
	settings := threeLossless
	settings.Top = "drain_timeout: 15s"
	settings.Edge += ", pfc: {mode: static, priorities: [1], rate: 10Mbps}" // a pause lasts three seconds
	p := top.Daemons(settings)
	underCredits(p, 0, 1, 2)
	hostA, hostB := bed.NewTalker(t, top.HostA, 1), bed.NewTalker(t, top.HostB, 2)
	c := bed.NewTalk(t, hostB)
	s := stalled{p, top, hostB, c, c.Stream(hostA, priority(1), hostB)}
	bed.Eventually(t, "all credits of VC 1 in use, and frames that wait for more", func() string {
		pause(hostB, 1, 0xFFFF)
		c.SendNext(s.stream, 20)
		if v, n := p.A.VC(1), p.A.Link().QueuedFrames; v.CreditsUsed < v.SenderCreditLimit || n < 100 {
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
	first := s.stream.Sent.Load()
	bed.Eventually(t, "the channel goes on", func() string {
		s.talk.SendNext(s.stream, 1)
		if h := s.talk.At(s.stream, s.host); h.Next <= first {
			return fmt.Sprintf("of %d frames %d have come, of those before the end of a daemon", s.stream.Sent.Load(), h.Frames)
		}
		return ""
	})
	t.Logf("VC 1 goes on %v after the daemon was ready", time.Since(since).Round(time.Millisecond))
	underCredits(s.Pair, 0, 1, 2)
	c := s.top.Between()
	c.Priorities, c.Frames, c.Window = []uint8{0, 1, 2}, 2000, 64
	bed.Untouched(t, c)
	t.Logf("2000 frames more of each priority %v after it", time.Since(since).Round(time.Millisecond))
	atRest(s.Pair, 0, 1, 2)
	bounded(s.Pair, 0, 1, 2)
}

// A daemon is killed that holds a frame for every credit of a channel. Its next start has them all,
// and what waited for credits at the other end arrives.
func TestPartnerKilledWithCreditsInUse(t *testing.T) {
	s := newStalled(t)
	waiting := uint32(s.A.VC(1).SenderCreditLimit)
	s.B.Kill()
	s.goesOn(t, s.B.Start())
	if h, sent := s.talk.At(s.stream, s.host), s.stream.Sent.Load(); h.Wrong != "" || sent-h.Frames > waiting {
		t.Errorf("of %d frames %d came, and the partner had %d at most; %s", sent, h.Frames, waiting, h.Wrong)
	}
}

// A daemon is killed that has used all credits of a channel. Its partner still holds the frames.
// The next start has the credits when the partner has delivered them, and nothing overtakes these.
func TestSenderKilledWithCreditsInUse(t *testing.T) {
	s := newStalled(t)
	waiting := uint32(s.A.VC(1).SenderCreditLimit)
	s.A.Kill()
	ready := s.A.Start()
	pause(s.host, 1, 0)
	s.goesOn(t, ready)
	if h := s.talk.At(s.stream, s.host); h.Wrong != "" || h.Frames < waiting {
		t.Errorf("%d frames came, and the partner had %d; %s", h.Frames, waiting, h.Wrong)
	}
}

// Both daemons are killed at once, with all credits of a channel in use. Neither knows of the other's frames, and the
// channels start with all their credits.
func TestBothKilledWithCreditsInUse(t *testing.T) {
	s := newStalled(t)
	s.A.Kill()
	s.B.Kill()
	s.A.Start()
	s.goesOn(t, s.B.Start())
	if h := s.talk.At(s.stream, s.host); h.Wrong != "" {
		t.Error(h.Wrong)
	}
}

// A daemon is to end whose frames wait for credits: it delivers them when the far edge takes frames again.
func TestTerminatedDaemonDeliversWhatWaitsForCredits(t *testing.T) {
	s := newStalled(t)
	s.A.Signal(syscall.SIGTERM)
	s.A.AwaitNotify("STATUS=delivering what is held")
	time.Sleep(100 * time.Millisecond)
	if !s.A.Running() {
		t.Fatal("it has ended, and frames wait")
	}
	pause(s.host, 1, 0)
	if code := s.A.Wait(); code != 0 || !strings.Contains(s.A.Stderr.String(), `"msg":"drained"`) {
		t.Errorf("exit %d, and it does not say that all was delivered", code)
	}
	// The partner has all frames, and delivers the last of them after the daemon has ended.
	bed.Eventually(t, "all frames", func() string {
		if h, sent := s.talk.At(s.stream, s.host), s.stream.Sent.Load(); h.Wrong != "" || h.Frames != sent {
			return fmt.Sprintf("%d of %d frames; %s", h.Frames, sent, h.Wrong)
		}
		return ""
	})
}

// The edge at the far end stands still for seconds after the sender was killed: its partner holds frames of the start
// before, and says so. The channel waits for it, and nothing of what the new start got is lost.
func TestSenderKilledWhileTheFarEdgeStandsStill(t *testing.T) {
	t.Parallel()
	s := newStalled(t)
	waiting := uint32(s.A.VC(1).SenderCreditLimit)
	s.A.Kill()
	first := s.stream.Sent.Load()
	ready := s.A.Start()
	phase(s.A, 1, "asking")
	for range 5 {
		pause(s.host, 1, 0xFFFF)
		s.talk.SendNext(s.stream, 20)
		time.Sleep(time.Second)
		if v := s.A.VC(1); v.Phase != "asking" || v.Blocked == 0 ||
			!strings.HasPrefix(v.Note, "the partner still holds frames sent to it earlier on this channel; "+
				"waiting time for credits: ") {
			t.Fatalf("%v after the start: %+v", time.Since(ready), v)
		}
	}
	pause(s.host, 1, 0)
	s.goesOn(t, ready)
	bed.Eventually(t, "all frames of the new start", func() string {
		if h, want := s.talk.At(s.stream, s.host), waiting+s.stream.Sent.Load()-first; h.Wrong != "" || h.Frames < want {
			return fmt.Sprintf("%d of %d; %s", h.Frames, want, h.Wrong)
		}
		return ""
	})
	noDrops(s.A)
	noDrops(s.B)
}

// pause has the host stop a priority by PFC, for so many quanta; 0: it goes on.
func pause(h *bed.Talker, priority uint8, quanta uint16) {
	h.T.Helper()
	pfc := wire.PFC{Enable: 1 << priority}
	pfc.Quanta[priority] = quanta
	f := make([]byte, wire.MinFrameLen)
	h.Send(f[:wire.PutPFC(f, h.MAC, pfc)])
}
