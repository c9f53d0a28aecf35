package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"go.uber.org/zap"
	"uelink/control"
	"uelink/control/api"
	"uelink/dataplane/model"
	"uelink/internal/snapshot"
)

// An upgrade starts another uelinkd, and hands everything over to it without losing a frame:
//
//	daemon                                     successor
//	starts it                              ──► reads its configuration
//	                                       ◄── ready
//	describes its interfaces               ──► offer, with all descriptors
//	                                       ◄── mapped: everything but the state is there
//	stops between two batches, saves       ──► state
//	                                       ◄── adopted: nothing has begun
//	                                       ──► go
//	                                       ◄── running
//	closes the control socket, ends, and
//	puts nothing back
//
// After a failure before go, the daemon goes on where it was, within handOverTimeout. After go, the daemon goes on if
// the successor ends before it has moved a frame. If the daemon ends after it has sent the state, the successor goes
// on.

// The longest times of the steps of an upgrade.
const (
	startTimeout    = 10 * time.Second // of the successor, until ready: frames go on
	mapTimeout      = 5 * time.Second  // from the offer until mapped: frames go on, and requests of the API wait
	handOverTimeout = time.Second      // from the stop until adopted, and from go until running
	busyTimeout     = 2 * time.Second  // for the daemon to begin: it may reload, or have just begun itself
	leaveTimeout    = stopTimeout / 10 // for requests under way: those that wait for the data plane wait for ever
)

// upgradeRequest is a request to hand over, and its answer.
type upgradeRequest struct {
	api.Upgrade
	answer chan upgradeAnswer
}

type upgradeAnswer struct {
	done api.Upgraded
	err  error
}

// errChecked ends the handover of a check: the successor has everything, and would have begun.
var errChecked = errors.New("only a check")

// upgrader passes requests of the API to the daemon's own goroutine.
type upgrader struct {
	requests chan upgradeRequest
	left     chan struct{}   // closed once the daemon has handed over
	refusal  *upgradeRefusal // failure of the last upgrade
}

func newUpgrader() upgrader {
	return upgrader{make(chan upgradeRequest), make(chan struct{}), &upgradeRefusal{}}
}

// upgradeRefusal is the failure of the last upgrade. The zero value is none. Any goroutine may use it.
type upgradeRefusal struct{ last atomic.Pointer[api.Unmet] }

// record records the outcome of a request to upgrade. A failed check is no failed upgrade; one that succeeds shows that
// the cause is gone, and record then reports that it has ended.
func (r *upgradeRefusal) record(u api.Upgrade, err error, now time.Time) (ended bool) {
	switch {
	case err == nil:
		ended = r.last.Swap(nil) != nil
	case !u.Check:
		r.last.Store(&api.Unmet{What: api.WantedUpgrade, Command: "uelink upgrade",
			Problem: fmt.Sprintf("an upgrade failed at %s, and this daemon goes on: %v; mend the cause, and type: uelink "+
				"upgrade, or, to stay with this program and clear this problem, uelink upgrade --check",
				now.Format(time.DateTime), err)})
	}
	return ended
}

// unmet returns the upgrade that is wanted and was refused; the zero value if there is none.
func (r *upgradeRefusal) unmet() (u api.Unmet) {
	if last := r.last.Load(); last != nil {
		u = *last
	}
	return u
}

// Upgrade passes a request of the API to hand over to the daemon's main goroutine, and waits for its outcome. It
// returns an error if the daemon refuses, has already handed over, or is busy.
func (u upgrader) Upgrade(r api.Upgrade) (api.Upgraded, error) {
	q := upgradeRequest{r, make(chan upgradeAnswer, 1)}
	select {
	case u.requests <- q:
		a := <-q.answer
		return a.done, a.err
	case <-u.left:
		return api.Upgraded{},
			errors.New("the daemon has just handed over because of another request: see the event upgrade; if " +
				"the new daemon is not the wanted version, type uelink upgrade again")
	case <-time.After(busyTimeout):
		return api.Upgraded{}, errors.New("the daemon is busy with a reload, another upgrade, or its end: try again")
	}
}

// handOver starts a successor, the program and configuration file of u, and hands the ports over to it. It returns
// the successor as soon as the successor moves frames; this process then only has to end. After an error, and after a
// check, this daemon goes on as before, and came are the signals that arrived meanwhile.
func (d *daemon) handOver(
	u api.Upgrade, signals <-chan os.Signal,
) (s *successor, done api.Upgraded, came []os.Signal, err error) {
	began := time.Now()
	if d.confirm.pending() {
		return nil, done, nil, errors.New("the start or a reload waits for confirmation: type uelink confirm, and " +
			"upgrade then")
	}
	path, file := cmp.Or(u.Binary, d.program), cmp.Or(u.Config, d.file)
	binary, err := openBinary(path)
	if err != nil {
		return nil, done, nil, err
	}
	defer binary.Close()
	if done, err = programs(d.program, binary, path); err != nil {
		return nil, done, nil, err
	}
	if s, err = startSuccessor(binary, path, file); err != nil {
		return nil, done, nil, err
	}
	s.signals = s.relay.collect(signals)
	cause := fmt.Sprintf("program %s, SHA-256 %s, asked for by %s", binary.Name(), done.New.SHA256, u.By)
	if done.New.Version, done.Pause, err = d.handOverTo(s, cause, u.Check); err != nil {
		s.end()
		s.relay.close()
		if errors.Is(err, errChecked) {
			done.Pause, err = 0, nil
		} else {
			err = refusal(s.name, done.New.Version, err)
		}
		return nil, done, s.signals(), err
	}
	done.New.PID = s.Pid
	d.log.Info("handed over", zap.String("to", s.name), zap.String("sha256", done.New.SHA256),
		zap.String("version", done.New.Version), zap.Int("process", s.Pid), zap.String("asked_by", u.By),
		zap.Duration("took", time.Since(began)), zap.Float64("pause_seconds", done.Pause))
	_, text, err := loadTexts(file)
	done.Changed = err == nil && string(text) != d.files.String() // the successor compares the same texts
	return s, done, nil, nil
}

// refusal returns the error of a successor, a program of a version, that does not take over for the reason err. Where
// it is too old for the state, the error begins with the choices that are left.
func refusal(program, version string, err error) error {
	refused := fmt.Errorf("the successor %s does not take over: %w; this daemon goes on", program, err)
	if !strings.Contains(err.Error(), snapshot.ErrUnknown.Error()) {
		return refused
	}
	return fmt.Errorf("version %s is too old to take over the state of version %s; no frame is lost. To stay with "+
		"version %[2]s, install it again. To change to version %[1]s, type uelink upgrade a little later, when the "+
		"state may no longer have the unknown field, or restart the daemon: counters begin at 0, frames that hosts "+
		"send here until the daemon is ready (some 0.2 s) are lost, and frames of the partner wait at the partner. "+
		"The cause: %[3]w",
		version, api.Version(), refused)
}

// upgrade handles a request to hand over to another process, and sends the outcome to the requester. After a
// successful handover it ends this process. After a failure or a check it returns the signals that arrived meanwhile.
func (d *daemon) upgrade(q upgradeRequest, signals <-chan os.Signal) (came []os.Signal) {
	s, done, came, err := d.handOver(q.Upgrade, signals)
	if s != nil {
		close(d.upgrades.left)
	}
	// The status and the events have the refusal before the requester has its answer.
	ended := d.upgrades.refusal.record(q.Upgrade, err, time.Now())
	switch { // the journal writes the event to the log
	case err != nil && !q.Check:
		d.frames.Publish("", model.EventError, fmt.Sprintf("the upgrade asked for by %s has failed: %v", q.By, err))
	case ended && q.Check:
		d.frames.Publish("", model.EventUpgrade, fmt.Sprintf("over: an upgrade is possible again: %s can take over (check "+
			"asked for by %s)", done.New.Program, q.By))
	}
	q.answer <- upgradeAnswer{done, err}
	if s == nil {
		return came
	}
	d.control.Upgraded()
	d.stopServers(leaveTimeout) // with the answer
	d.journal.stop()
	_ = d.log.Sync()
	os.Exit(d.leave(s))
	return nil
}

// handOverTo hands everything over to a successor that was started: it awaits its readiness, offers interfaces and
// listeners, hands the state over, and makes the successor begin. It returns the successor's version, and the time in
// which no frame moved, in seconds. cause says who has asked and for which program. After an error this daemon goes on;
// errChecked is that of a check, in which all went well.
func (d *daemon) handOverTo(s *successor, cause string, check bool) (version string, pause float64, err error) {
	ready, err := s.relay.expect(wordReady, startTimeout)
	if errors.Is(err, io.EOF) {
		return "", 0, fmt.Errorf("%w: the successor has ended without a message: the program is no uelinkd, or of a version "+
			"that hands over in another way: restart the daemon to change to that program", err)
	}
	if err == nil {
		err = sameHandover(ready)
	}
	if err != nil {
		return ready.Version, 0, err
	}
	m := message{
		Word: wordOffer, Version: api.Version(), Handover: handoverVersion, Text: d.files.String(),
		Confirm: int64(d.confirm.limit), Cause: cause,
	}
	if err := d.listeners(&m); err != nil {
		return ready.Version, 0, err
	}
	d.objects.Freeze() // before the data plane is frozen: calls of SAI wait for it
	h, err := d.frames.HandOver()
	if err != nil {
		d.objects.Thaw()
		return ready.Version, 0, err
	}
	defer func() {
		if err != nil {
			s.end() // first: a successor goes on if this process ends
			d.frames.Resume()
			d.objects.Thaw()
		}
	}()
	m.Ports, m.SAI, m.fds = h.Ports, d.objects.Save(), append(m.fds, h.FDs...)
	if err := s.relay.send(m); err != nil {
		return ready.Version, 0, err
	}
	if _, err := s.relay.expect(wordMapped, mapTimeout); err != nil {
		return ready.Version, 0, err
	}
	began := time.Now()
	err = d.passState(s, check)
	return ready.Version, time.Since(began).Seconds(), err
}

// passState stops data plane and LLDP, hands their state over to a successor that has mapped everything, and makes the
// successor begin. After an error, and in a check, the successor has ended, and LLDP goes on; the caller resumes the
// data plane.
func (d *daemon) passState(s *successor, check bool) (err error) {
	d.lldp.Freeze()
	defer func() {
		if err != nil {
			s.end()
			d.lldp.Thaw()
		}
	}()
	m := message{Word: wordState, LLDP: snapshot.Save("lldp", d.lldp)}
	end := time.Now().Add(handOverTimeout)
	if m.State, err = d.frames.Stop(); err != nil {
		return err
	}
	if err := s.relay.send(m); err != nil {
		return err
	}
	if _, err := s.relay.expect(wordAdopted, time.Until(end)); err != nil {
		return err
	}
	if check {
		return errChecked
	}
	if err := s.relay.commit(); err != nil {
		return err
	}
	return d.letGo(s)
}

// letGo tells the successor to begin, and waits until it moves frames. After an error the successor has ended without
// moving a frame, and this daemon goes on. If the successor has moved a frame and then ended, letGo ends this process
// too.
func (d *daemon) letGo(s *successor) error {
	if err := s.relay.send(message{Word: wordGo}); err != nil {
		return err
	}
	_, err := s.relay.expect(wordRunning, handOverTimeout)
	if err == nil {
		control.Leave(d.api)
		control.Leave(d.http.pages.boundListener())
		return nil
	}
	s.end()
	if d.frames.Untouched() {
		return err
	}
	d.log.Error("the successor has ended after it had begun: this daemon cannot go on with frames that are no longer "+
		"its own, and ends as if it were killed", zap.Error(err))
	_ = d.log.Sync()
	os.Exit(exitFailed)
	return nil
}

// listeners adds the file descriptors of the control socket, the metrics listener and the page's listener to message m
// for a successor.
func (d *daemon) listeners(m *message) error {
	api, err := control.HandOver(d.api)
	if err != nil {
		return err
	}
	m.fds, m.API = append(m.fds, api...), len(api)
	if l := d.http.scrapes.boundListener(); l != nil {
		scrapes, err := control.Descriptor(l)
		if err != nil {
			return err
		}
		m.fds, m.Metrics = append(m.fds, scrapes), 1
	}
	page, err := d.handOverWeb()
	m.fds, m.Web = append(m.fds, page...), len(page)
	return err
}

// leave prepares the end of this process after a handover and returns the exit code. Signals that arrived meanwhile
// are passed on to the successor. In a container, which would end with it, this process does not end, but becomes a
// reaper of child processes.
func (d *daemon) leave(s *successor) (code int) {
	for _, sig := range s.signals() {
		n, _ := sig.(syscall.Signal)
		_ = s.relay.send(message{Word: wordSignal, Signal: int(n)}) // an error means that the successor has ended
	}
	d.report(fmt.Sprintf("MAINPID=%d", s.Pid))
	if !stays() {
		return 0
	}
	err := becomeReaper(s.Pid)
	d.log.Error("this process cannot become the reaper of the container, and ends, and the container with it",
		zap.Error(err))
	return exitFailed
}
