package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"go.uber.org/zap"
)

// stopTimeout bounds the wait of a stopping daemon for requests under way.
const stopTimeout = 2 * time.Second

// serveUntilEnd serves until a signal or a failure, and ends all parts but the data plane and LLDP.
func (d *daemon) serveUntilEnd(signals <-chan os.Signal, stopRun func() error) (err error) {
	err = d.wait(signals)
	d.confirm.stop()
	d.report("STOPPING=1", "STATUS=delivering what is held")
	if err == nil {
		d.frames.Leave()     // the partners hold back their frames for this end, and keep LLR on without LLDP
		err = d.lldp.Close() // the partners switch LLR off while this end still answers
		d.drain(signals)
	}
	d.stopServers(stopTimeout)
	err = errors.Join(err, stopRun())
	d.journal.stop()
	return err
}

// wait reloads at each SIGHUP, carries out upgrades and other requests of the API in their turn, and takes back what
// was not confirmed in time. It returns nil after another signal, sent to this process or passed on by the former
// process, and the error of a part that fails or of a start that nobody has confirmed.
func (d *daemon) wait(signals <-chan os.Signal) error {
	for {
		select {
		case err := <-d.failed:
			return err
		case q := <-d.upgrades.requests:
			for _, s := range d.upgrade(q, signals) {
				if d.ends(s) {
					return nil
				}
			}
		case turn := <-d.turns.requests:
			turn()
		case <-d.confirm.over():
			if d.before == nil {
				d.frames.Withdraw()
				return d.confirm.refused()
			}
			d.revert()
		case s := <-d.former.passed:
			if d.former.passedOn = d.ends(s); d.former.passedOn {
				return nil
			}
		case s := <-signals:
			if d.ends(s) {
				return nil
			}
		}
	}
}

// ends handles a signal and reports whether the daemon must end: SIGHUP reloads the configuration and returns false,
// any other signal returns true.
func (d *daemon) ends(s os.Signal) bool {
	if s == syscall.SIGHUP {
		d.reload()
		return false
	}
	d.log.Info("stopping", zap.Stringer("signal", s), zap.Duration("drain_timeout", d.config.Settings.DrainTimeout))
	return true
}

// drain waits until the data plane has delivered the frames it holds, its time limit has passed, or another signal
// comes.
func (d *daemon) drain(signals <-chan os.Signal) {
	drained := make(chan bool, 1)
	go func() { drained <- d.frames.Drain() }()
	for {
		select {
		case all := <-drained:
			if all {
				d.log.Info("drained")
			} else {
				d.log.Warn("drain_timeout passed: the frames that LLR still held are lost")
			}
			return
		case <-d.failed:
			return
		case s := <-signals:
			switch {
			case s == syscall.SIGHUP:
			case d.former.passedOn: // the service manager signals both processes, so the signal comes twice here
				d.former.passedOn = false
			default:
				d.log.Warn("stopping at once: the frames that LLR still held are lost", zap.Stringer("signal", s))
				return
			}
		}
	}
}

// stopServers stops the servers of API, metrics and page; the end of a server removes its unix socket. A request
// that does not end in time is cut off, without an error of the daemon.
func (d *daemon) stopServers(within time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), within)
	defer cancel()
	if err := errors.Join(d.control.Shutdown(ctx), d.stopMetrics(ctx), d.stopWeb(ctx)); err != nil {
		d.log.Warn("requests cut off", zap.Error(err))
	}
	d.http.running.Wait()
}

// waitBeforeStart counts the start, and waits if several processes in a row have ended early. It returns false if a
// signal other than SIGHUP ends the wait.
func (d *daemon) waitBeforeStart(f starts, signals <-chan os.Signal) bool {
	n, wait, err := f.count(time.Now())
	d.begun = counted{f, n, err}
	if err != nil {
		d.log.Warn("starts cannot be counted, so a start after repeated crashes does not wait", zap.Error(err))
	}
	if wait == 0 {
		return true
	}
	d.log.Warn("this start waits, because the last processes of the daemon ended early: see their last lines in the log",
		zap.Int("processes", n.InARow), zap.Duration("wait", wait))
	d.report(fmt.Sprintf("STATUS=waits %v: the last %d processes of the daemon ended early", wait, n.InARow))
	over := time.After(wait)
	for {
		select {
		case <-over:
			return true
		case s := <-signals:
			if d.ends(s) {
				f.ended(0)
				return false
			}
		}
	}
}
