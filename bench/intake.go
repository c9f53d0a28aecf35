package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"uelink/bench/kernel"
	"uelink/bench/report"
)

// What intake measures: rings of the edge port, how long the daemon polls before
// it sleeps, and what comes in.
func intakeRings() []int    { return []int{512, 1024, 2048, 4096} }
func intakeSpins() []string { return []string{"0s", "50us", "1ms"} }
func intakeOffers() []offer { return []offer{{200_000, 1}, {500_000, 1}, {800_000, 1}} }
func competitions() [2]bool { return [2]bool{false, true} }

// intakeOctets is the length of the frames, and intakeOver how long they come.
const (
	intakeOctets = 64
	intakeOver   = 800 * time.Millisecond
)

// intake measures how many frames an edge ring loses while the daemon has no CPU.
func (s *session) intake() error {
	t := report.Table{
		Name: "intake", Title: "Frames that find the edge ring full",
		Columns: report.Columns("ring_size", "%d", "spin", "%s", "kpps offered", "%d", "frames", "%d", "lost", "%d",
			"lost per million", "%.0f", "CPU %", "%.0f",
			"frames beside a competitor", "%d", "lost", "%d", "lost per million", "%.0f", "CPU %", "%.0f"),
		Notes: intakeNotes(),
	}
	for _, ring := range intakeRings() {
		for _, spin := range intakeSpins() {
			s.progress("  ring_size %d, spin %s", ring, spin)
			if err := s.intakeOf(&t, ring, spin); err != nil {
				return fmt.Errorf("ring_size %d, spin %s: %w", ring, spin, err)
			}
		}
	}
	s.report.Add(t)
	return nil
}

// intakeNotes says how the table was measured.
func intakeNotes() []string {
	return []string{
		fmt.Sprintf("One round of %v. Frames of %d octets, one by one, from edge to link with LLR (link Tx); "+
			"the partner answers one LLR_ACK for %d frames. Lost is exact: what was sent less what came to the "+
			"far end after the daemon had come to rest. Every one of them is in the edge port's `rx_ring_full` "+
			"and `rx_dropped`: no frame is lost behind the ring.", intakeOver, intakeOctets, ackEvery),
		fmt.Sprintf("The competitor is a thread of this program on the daemon's core, with its priority, that "+
			"works %v of every %v. ring_size is the edge port's, and its rx_ring_size.", competes, competesEvery),
		fmt.Sprintf("CPU %d is the daemon's and pays for the kernel's copy and skb of each frame and for the "+
			"XDP program of the partner; CPU %d has the generator, which always works, and pays for XDP on the "+
			"edge and the copy into the daemon's chunks. CPU %% is the daemon's share of its core.",
			deviceCPU, loadCPU),
	}
}

// intakeOf measures one daemon.
func (s *session) intakeOf(t *report.Table, ring int, spin string) (err error) {
	l := &lane{oneWay: oneWay{start: func(b *bed, dir string) (forwarder, error) {
		return startDaemon(b.device, deviceCPU, dir, s.uelinkds[0], daemonConfig{
			llr: "local: false, remote: true", profile: patient, top: "spin: " + spin,
			edge: fmt.Sprintf(", ring_size: %d, rx_ring_size: %d", ring, ring),
		})
	}}}
	defer func() { err = errors.Join(err, l.close()) }()
	if err := l.open(s.newDir()); err != nil {
		return err
	}
	for _, o := range intakeOffers() {
		row := []any{ring, spin, o.pps / 1000}
		for _, competed := range competitions() {
			if err := s.Err(); err != nil {
				return err
			}
			got, err := l.swallow(o, competed)
			if err != nil {
				return fmt.Errorf("%s: %w", o, err)
			}
			row = append(row, got.sent, got.lost, float64(got.lost)/float64(got.sent)*1e6, got.share*100)
		}
		t.Add(row...)
	}
	return nil
}

// swallowed is what a daemon took in of what was sent to it.
type swallowed struct {
	sent, lost uint64
	share      float64 // of its core
}

// swallow offers frames for a while.
func (l *lane) swallow(o offer, competed bool) (got swallowed, err error) {
	d := l.forwarder.(*daemon)
	load, err := l.bed.spread(l.bed.receiver(d), 1, o.spread(), kernel.Frame(intakeOctets), ackEvery)
	if err != nil {
		return got, err
	}
	defer func() { err = errors.Join(err, load.far.close()) }()
	if competed {
		stop, err := compete(deviceCPU)
		if err != nil {
			return got, err
		}
		defer stop()
	}
	full, err := d.overrun()
	if err != nil {
		return got, err
	}
	if got.share, err = load.busy(d); err != nil {
		return got, err
	}
	arrived, err := load.far.rest()
	if err != nil {
		return got, err
	}
	paced, err := load.far[0].Paced()
	if err != nil {
		return got, err
	}
	got.sent = paced.Frames
	now, err := d.overrun()
	if got.lost = got.sent - arrived; err == nil && got.lost != now-full {
		err = fmt.Errorf("%d of %d frames are missing, but %d found the edge ring full", got.lost, got.sent, now-full)
	}
	return got, err
}

// busy has frames sent and tells what share of its core a daemon has worked.
func (r *running) busy(d *daemon) (share float64, err error) {
	source, err := r.begin()
	if err != nil {
		return 0, err
	}
	before, err := r.mark(d, source)
	time.Sleep(intakeOver)
	after, problem := r.mark(d, source)
	err = errors.Join(err, problem, source.Stop(), d.failed())
	return float64(after.cpu-before.cpu) / float64(after.at.Sub(before.at)), err
}

// overrun is how many frames found the ring of edge0 full.
func (d *daemon) overrun() (frames uint64, err error) {
	ports, err := d.client.Ports(context.Background())
	for _, p := range ports {
		if p.Name == "edge0" {
			frames = p.Socket.RxRingFull + p.Socket.RxDropped
		}
	}
	return frames, err
}
