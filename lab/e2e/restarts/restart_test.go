package restarts

import (
	"flag"
	"fmt"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"uelink/control/api"
	"uelink/lab/e2e/bed"
)

var restartCount = flag.Int("restart.count", 1, "how often TestRestartOfOneEnd stops and starts an end in each way")

// restartRate is how many frames a second each host sends while an end is started anew.
const restartRate = 5000

// flow is probes sent from one host to the other at a steady rate, by number: those sent, and those received.
type flow struct {
	from, to *bed.Packets
	rate     float64 // frames a second
	stop     chan struct{}
	running  sync.WaitGroup
	sent     uint32
	came     []uint32 // in the order in which they came
	err      error
}

// flows starts to send probes from one host to the other; end stops it.
func flows(from, to *bed.Packets) *flow { return flowsAt(restartRate, from, to) }

// flowsAt is flows with a rate in frames a second.
func flowsAt(rate float64, from, to *bed.Packets) *flow {
	f := &flow{from: from, to: to, rate: rate, stop: make(chan struct{})}
	sent := make(chan struct{})
	f.running.Go(func() {
		defer close(sent)
		f.err = f.send()
	})
	f.running.Go(func() { f.receive(sent) })
	return f
}

// send sends what is due each millisecond.
func (f *flow) send() error {
	begun, tick := time.Now(), time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-f.stop:
			return nil
		case <-tick.C:
		}
		for due := uint32(time.Since(begun).Seconds() * f.rate); f.sent < due; f.sent++ {
			if err := f.from.Write(bed.Probe(f.sent, 100)); err != nil {
				return err
			}
		}
	}
}

// receive takes probes until nothing has come for a while after the last was sent.
func (f *flow) receive(sent <-chan struct{}) {
	const quiet = 500 * time.Millisecond
	last := time.Now()
	for {
		frame, err := f.to.Read()
		switch {
		case err != nil:
			return
		case frame != nil:
			f.came, last = append(f.came, bed.ProbeNumber(frame)), time.Now()
			continue
		}
		select {
		case <-sent:
			if time.Since(last) > quiet {
				return
			}
		default:
		}
	}
}

// gap is probes that never came, one after the other.
type gap struct{ first, n uint32 }

// end ends the flow, demands that no probe came twice or late, and returns those that never came.
func (f *flow) end(t testing.TB) (gaps []gap) {
	t.Helper()
	close(f.stop)
	f.running.Wait()
	bed.Must(t, f.err)
	next := uint32(0)
	for _, n := range append(slices.Clip(f.came), f.sent) {
		if n < next {
			t.Fatalf("probe %d came after probe %d", n, next-1)
		}
		if n > next {
			gaps = append(gaps, gap{next, n - next})
		}
		next = n + 1
	}
	return gaps
}

// missing is how many probes are in gaps.
func missing(gaps []gap) (n uint32) {
	for _, g := range gaps {
		n += g.n
	}
	return n
}

// restarted is what one restart has cost.
type restarted struct {
	stop, start time.Duration
	outage      time.Duration // of the way from the end that was started anew
	lost        uint32        // frames for it
	unconfirmed uint64        // those of them that the partner counts as accepted and not acknowledged
}

// TestRestartOfOneEnd stops an end and starts it again under traffic in both directions. All frames accepted by the
// partner arrive, except for frames that a killed daemon had taken and not passed on. Frames of its own host sent
// while no daemon runs are lost, in one piece.
func TestRestartOfOneEnd(t *testing.T) {
	for _, c := range []struct {
		name string
		stop func(d *bed.Daemon)
	}{
		{"SIGTERM", func(d *bed.Daemon) { d.Signal(syscall.SIGTERM); d.Wait() }},
		{"kill -9", (*bed.Daemon).Kill},
		{"kill -9 after somebody has cut the bookmark", func(d *bed.Daemon) { cutBookmarks(d); d.Kill() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var all []restarted
			for i := range *restartCount {
				t.Run(fmt.Sprint(i+1), func(t *testing.T) {
					r := restart(t, c.stop)
					if c.name == "SIGTERM" && r.unconfirmed > 0 {
						t.Errorf("%d frames that were taken were not acknowledged", r.unconfirmed)
					}
					all = append(all, r)
				})
			}
			logRestarts(t, all)
		})
	}
}

// restart is one restart of an end of its own pair.
func restart(t *testing.T, stop func(d *bed.Daemon)) (r restarted) {
	t.Helper()
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{Profile: "max_replay_count: 100, max_replay_timer: 2ms"})
	hostA, hostB := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
	bed.AwaitCrossing(hostA, hostB, bed.Patience)
	bed.AwaitCrossing(hostB, hostA, bed.Patience)
	bed.Eventually(t, "partners that have said who they are", func() string {
		if p.B.LLRCounters().RxInitCtlOS == 0 || !p.B.LLR().PartnerKnown {
			return "not yet"
		}
		return ""
	})
	hostA.Drain()
	hostB.Drain()
	from, to := flows(hostA, hostB), flows(hostB, hostA)
	time.Sleep(300 * time.Millisecond) // traffic before, as well as after: nothing waits for this time
	begun := time.Now()
	stop(p.A)
	r.stop, begun = time.Since(begun), time.Now()
	r.start = p.A.Start().Sub(begun)
	bed.Eventually(t, "LLR", p.A.Advances)
	time.Sleep(300 * time.Millisecond)
	own, gaps := from.end(t), to.end(t)
	counters, link := p.B.LLRCounters(), p.B.Link()
	r.lost, r.unconfirmed = missing(gaps), counters.TxUnconfirmed
	r.outage = time.Duration(missing(own)) * time.Second / restartRate
	if counters.PartnerResumed != 1 || counters.TxFlushedFrames > 0 {
		t.Errorf("resumed %d times, %d frames flushed", counters.PartnerResumed, counters.TxFlushedFrames)
	}
	if dropped := p.B.Edge().RxDropped + link.TxDropped; uint64(r.lost) > r.unconfirmed+dropped {
		t.Errorf("%d frames for the end that was started anew never came, of %d; its partner counts %d unconfirmed, "+
			"%d dropped: %v", r.lost, to.sent, r.unconfirmed, dropped, gaps)
	}
	if len(own) > 1 {
		t.Errorf("frames of its own host never came in %d pieces: %v", len(own), own)
	}
	if n := tooLong(p.A, p.B); n > 0 {
		t.Errorf("%d frames were too long for a link that had not got its MTU", n)
	}
	return r
}

// tooLong is how many frames the daemons have found too long.
func tooLong(daemons ...*bed.Daemon) (n uint64) {
	for _, d := range daemons {
		for _, p := range []api.Port{d.Link(), d.Edge()} {
			n += p.Counters.RxOversized
		}
	}
	return n
}

// logRestarts logs the medians.
func logRestarts(t *testing.T, all []restarted) {
	t.Helper()
	median := func(of func(r restarted) time.Duration) time.Duration {
		var list []time.Duration
		for _, r := range all {
			list = append(list, of(r))
		}
		slices.Sort(list)
		return list[len(list)/2].Round(time.Millisecond)
	}
	var lost, unconfirmed []string
	for _, r := range all {
		lost, unconfirmed = append(lost, fmt.Sprint(r.lost)), append(unconfirmed, fmt.Sprint(r.unconfirmed))
	}
	t.Logf("%d times: stop %v, start %v, outage of its own host's frames %v (medians); frames for it lost %v, "+
		"unconfirmed %v", len(all), median(func(r restarted) time.Duration { return r.stop }),
		median(func(r restarted) time.Duration { return r.start }),
		median(func(r restarted) time.Duration { return r.outage }), lost, unconfirmed)
}
