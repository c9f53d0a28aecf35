package traffic

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"uelink/dataplane/frame"
	"uelink/dataplane/pfc"
	"uelink/wire"
	"uelink/wire/uet"
)

// Times of a run.
const (
	linger        = 50 * time.Millisecond  // quiet time after the last frame, in which a late copy would show
	lingerMax     = time.Second            // longest linger, when frames keep arriving
	progressEvery = 200 * time.Millisecond // time between two calls of progress
)

// engine drives both ends, on one goroutine. The path of a frame:
//
//  1. port.send asks its flows how many frames may leave. The limit is the window between sender and receiver
//     (closed loop) or the clock (open loop), and PFC from the other end.
//  2. flow.put writes number, time, payload and CRC straight into a TX slot.
//  3. One kick for a batch; completed slots return to the pool.
//  4. port.receive at the other end passes each frame to the same flow. The flow's format checks every octet, and its
//     arrivals record every number. At a slow sink a frame first waits in a queue; port.drain removes it, and the
//     sink sends PFC.
//  5. The chunk is recycled, and the window moves.
type engine struct {
	ports [2]*port
	flows []*flow // flows[i] is from ports[i%2] to ports[1-i%2]
	clock func() wire.Time

	planned uint64        // frames to send each way, of each priority and kind; 0 = no limit
	spin    time.Duration // time of polling after the last frame, before the thread sleeps
	giveUp  time.Duration // time without an arrival after which a direction ends
	until   wire.Time     // when sending ends; wire.Never: after the planned frames
	fds     []unix.PollFd

	idleSince wire.Time // when a frame last moved
	settledAt wire.Time // since when no direction expects more frames; 0: one does
}

// newEngine prepares a run between two ends; nothing is sent yet. devices are the sockets of each end, one an RX
// queue; mtu is the smaller MTU of the two ends; clock returns the time.
func newEngine(c Config, devices [2][]frame.Device, mtu int, clock func() wire.Time) (*engine, error) {
	e := &engine{
		clock: clock, planned: c.Frames, spin: c.Spin, giveUp: c.GiveUp, until: wire.Never,
	}
	if c.Duration > 0 {
		e.until = clock().Add(c.Duration)
	}
	ends, stations := [2]End{c.From, c.To}, [2]wire.MAC{c.FromMAC, c.ToMAC}
	for i := range e.ports {
		var err error
		if e.ports[i], err = newPort(ends[i].String(), stations[i], c.PFCRate, devices[i]); err != nil {
			return nil, err
		}
		for _, d := range devices[i] {
			e.fds = append(e.fds, unix.PollFd{Fd: int32(d.FD()), Events: unix.POLLIN})
		}
	}
	err := e.addFlows(c, mtu)
	if err != nil {
		return nil, usageError(err)
	}
	to := e.ports[1]
	to.pauser, err = newSink(c, to.ends, devices[1][0].Geometry().RX, clock())
	return e, err
}

// addFlows makes the flows of every configured priority and kind of UET packet, both ways.
func (e *engine) addFlows(c Config, mtu int) error {
	kinds, err := c.UET.kinds()
	if err != nil {
		return err
	}
	stream := rand.Uint32() &^ (maxFlows - 1) // random, so that late frames of an earlier run are foreign
	for _, priority := range c.priorities() {
		for _, kind := range kinds {
			for from := range e.ports {
				if err := e.addFlow(c, mtu, from, priority, kind, stream+uint32(len(e.flows))); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// addFlow makes the flow of one priority and one kind of UET packet (nil: plain frames), and adds it to the engine and
// to both ports. begin is the number of the sending end, 0 or 1. stream is the number that the flow's frames carry.
func (e *engine) addFlow(c Config, mtu, begin int, priority uint8, kind *uet.Format, stream uint32) error {
	from, to, tags := e.ports[begin], e.ports[1-begin], c.tags(priority)
	form := newFormat(to.address, from.address, tags, stream, mtu+maxHead)
	if kind != nil {
		form = newUETFormat(to.address, from.address, tags, stream, mtu+maxHead, c.UET, kind, begin)
	}
	sizes, err := parseSizes(c.Size, mtu, form.least())
	if err != nil {
		return err
	}
	f := newFlow(c, form, priority, sizes, e.clock())
	if kind != nil {
		f.kind = kind.Name
	}
	e.flows, from.begins, to.ends = append(e.flows, f), append(from.begins, f), append(to.ends, f)
	return nil
}

// step receives arrived frames, drains slow sinks and sends the frames that may leave, at most a batch of each at both
// ends. worked reports whether any frame moved.
func (e *engine) step(now wire.Time) (worked bool, err error) {
	for _, p := range e.ports {
		if p.receive(now) {
			worked = true
		}
		if p.drain(now) {
			worked = true
		}
	}
	for _, p := range e.ports {
		p.complete()
		if p.send(now) {
			worked = true
		}
		if worked || p.sending() { // frames of an earlier step may still wait for a kick
			if err := p.kick(); err != nil {
				return worked, err
			}
		}
	}
	return worked, nil
}

// run sends and receives until every frame has arrived or was given up, and returns the counts. When ctx ends, it
// sends no more frames, waits for frames in flight and returns. While no frame moves for the time spin, it sleeps.
// progress, which may be nil, is called a few times a second.
func (e *engine) run(ctx context.Context, progress func(Progress)) (Result, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	start := e.clock()
	e.idleSince = start
	report := start.Add(progressEvery)
	for now := start; !e.over(now); now = e.clock() {
		e.govern(ctx, now)
		worked, err := e.step(now)
		if err != nil {
			r, _ := e.result() // reading the sockets may fail too
			return r, err
		}
		if worked {
			e.idleSince = now
		} else if now.Sub(e.idleSince) > e.spin {
			e.sleep(now)
		}
		if now >= report && progress != nil {
			r, err := e.result()
			if err != nil {
				return r, err
			}
			progress(Progress{Result: r, Planned: e.planned, Seconds: float64(now.Sub(start)) / 1e9})
			report = now.Add(progressEvery)
		}
	}
	r, err := e.result()
	for i, f := range e.flows {
		d := &r.Directions[i]
		d.LostSizes, d.longest = f.lostSizes()
	}
	return r, errors.Join(err, e.silence())
}

// govern ends the sending of all flows when the duration is over or ctx has ended, and of each flow whose frames
// have not arrived for too long.
func (e *engine) govern(ctx context.Context, now wire.Time) {
	stop := now >= e.until || ctx.Err() != nil
	for _, f := range e.flows {
		if f.silent(now, e.giveUp) {
			f.gaveUp = true
		}
		f.stopped = f.stopped || stop || f.gaveUp
	}
}

// over reports whether the run has ended: no flow expects more frames, and no frame has arrived for the time
// linger, in which late copies would show. After lingerMax, arrivals no longer delay the end.
func (e *engine) over(now wire.Time) bool {
	quietSince := wire.Time(0)
	for _, f := range e.flows {
		if !f.settled(now) {
			e.settledAt = 0
			return false
		}
		quietSince = max(quietSince, f.lastArrived)
	}
	if e.settledAt == 0 {
		e.settledAt = now
	}
	return now.Sub(quietSince) > linger || now.Sub(e.settledAt) > lingerMax
}

// sleep blocks until a frame arrives at a socket, or until an end may have to send, at most 5 ms.
func (e *engine) sleep(now wire.Time) {
	wait := 5 * time.Millisecond
	for _, p := range e.ports {
		wait = min(wait, max(p.deadline().Sub(now), 50*time.Microsecond))
	}
	timeout := unix.NsecToTimespec(int64(wait))
	// Ppoll only fails when a signal interrupts it: a short sleep.
	_, _ = unix.Ppoll(e.fds, &timeout, nil)
}

// silence returns an error that names the first direction whose sending was given up because no frame arrived; nil
// if there is none.
func (e *engine) silence() error {
	for i, f := range e.flows {
		if !f.gaveUp {
			continue
		}
		from, to := e.ports[i%2], e.ports[1-i%2]
		hint := fmt.Sprintf("is the path up, and does it carry frames of %d octets?", slices.Min(f.sizes))
		if from.stuck>>f.priority&1 == 1 {
			hint = fmt.Sprintf("a pause has stopped priority %d of %s for more than %v", f.priority, from.name, pfc.StuckAfter)
		}
		return fmt.Errorf("nothing sent by %s arrived at %s for %v: %s", from.name, to.name, e.giveUp, hint)
	}
	return nil
}

// result returns the counts of all directions so far. Counters of closed sockets are 0, with an error.
func (e *engine) result() (Result, error) {
	r := Result{OtherFrames: e.ports[0].foreign + e.ports[1].foreign}
	var problems []error
	now := e.clock()
	for i, f := range e.flows {
		from, to := e.ports[i%2], e.ports[1-i%2]
		d := f.direction()
		d.From, d.To = from.name, to.name
		from.addPauses(&d, now)
		if to.pauser != nil {
			sent := to.pauser.Counters()[f.priority]
			d.PausesSent, d.ResumesSent = sent.TxPause+sent.TxRefresh, sent.TxResume
		}
		if i < len(e.ports) { // the first flow each way has the count of the sockets, for all flows
			overrun, err := to.overrun()
			problems = append(problems, err)
			d.EdgeOverrun = overrun
		}
		r.Directions = append(r.Directions, d)
	}
	return r, errors.Join(problems...)
}
