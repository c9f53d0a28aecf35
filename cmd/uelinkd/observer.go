package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"go.uber.org/zap"

	"uelink/control/api"
	"uelink/control/status"
	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
)

// observeEvery is the time between two looks of the observer.
const observeEvery = time.Second

// observer looks at the daemon every second: it records when each present problem began, and checks whether the files
// for the next process can be written to the state folder.
type observer struct {
	onsets status.Onsets
	file   string // keeps onsets for the next process of this boot
	failed bool   // the file could not be written
	unkept atomic.Pointer[unkept]
}

// unkept is the reasons why state is not kept, by kind of state; nil: kept.
type unkept struct {
	dataplane.Unkept
	starts error // of the file that counts starts
	ports  error // of the files of ports that the API has made
}

// onsetsFile returns the file in which a daemon with a control socket keeps the times at which problems began. Each
// boot has its own folder: no problem outlives a boot, which begins with other interfaces.
func onsetsFile(socket string) string {
	boot, _, err := netif.CurrentPlace()
	if err != nil {
		boot = "unknown"
	}
	return filepath.Join(stateFolder(), "problems", boot, filepath.Base(eventsFile(socket)))
}

// newObserver returns the observer of a daemon, with the problems that the process before this one has
// written to the file.
func newObserver(socket string) *observer {
	o := &observer{file: onsetsFile(socket)}
	if text, err := os.ReadFile(o.file); err == nil {
		o.onsets.Load(text, time.Now())
	}
	o.forgetBoots()
	return o
}

// forgetBoots removes the folders with the times of problems of earlier boots.
func (o *observer) forgetBoots() {
	own := filepath.Dir(o.file)
	folders, _ := os.ReadDir(filepath.Dir(own)) // an error means that no folder is there yet
	for _, f := range folders {
		if f.Name() != filepath.Base(own) {
			_ = os.RemoveAll(filepath.Join(filepath.Dir(own), f.Name())) // after an error, the next start tries again
		}
	}
}

// observe, at once and then each observeEvery until ctx ends, records what cannot be saved for the next process, makes
// the API's server note which problems are present, and saves the times at which they began.
func (d *daemon) observe(ctx context.Context) {
	tick := time.NewTicker(observeEvery)
	defer tick.Stop()
	for {
		d.observed.update(d.keep(), func(text string) { d.frames.Publish("", model.EventState, text) })
		d.control.Observe(time.Now())
		d.observed.save(d.log)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// update records which kinds of state cannot be saved now, and publishes an event for each problem that begins or is
// over.
func (o *observer) update(now *unkept, publish func(text string)) {
	before := o.unmet()
	o.unkept.Store(now)
	after := o.unmet()
	among := func(list []api.Unmet, what string) bool {
		return slices.ContainsFunc(list, func(u api.Unmet) bool { return u.What == what })
	}
	for _, u := range after {
		if !among(before, u.What) {
			publish(u.Problem)
		}
	}
	for _, u := range before {
		if problem, _, _ := strings.Cut(u.Problem, ": "); !among(after, u.What) {
			publish("over: " + problem)
		}
	}
}

// keep tries again to write state refused by the state folder, and returns the state still refused.
func (d *daemon) keep() *unkept {
	u := &unkept{Unkept: d.frames.Keep()}
	if d.begun.err != nil {
		d.begun.err = d.begun.write()
	}
	u.starts, u.ports = d.begun.err, portChanger{d}.try()
	return u
}

// save writes the times of the problems to the file if problems have begun or ended. Only the first failure is logged.
// Such a failure is no separate problem in the status: events cannot be written either, and the status shows that
// problem.
func (o *observer) save(log *zap.Logger) {
	text, changed := o.onsets.Save()
	if !changed && !o.failed {
		return
	}
	err := replace(o.file, text)
	if err != nil && !o.failed {
		log.Warn("the times at which problems began cannot be saved for the next process", zap.Error(err))
	}
	o.failed = err != nil
}

// replace replaces a file in one step, without waiting for the disk.
func replace(file string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	if err := os.WriteFile(file+".new", text, 0o600); err != nil {
		return err
	}
	return os.Rename(file+".new", file)
}

// unmet returns a problem for each kind of state that cannot be saved.
func (o *observer) unmet() (list []api.Unmet) {
	if o == nil || o.unkept.Load() == nil {
		return nil
	}
	u := o.unkept.Load()
	for _, c := range []struct {
		what, problem string
		err           error
	}{
		{api.WantedAddresses, "MAC addresses of hosts' interfaces cannot be saved, and are derived from those of the links",
			u.Addresses},
		{api.WantedRecords, "changes of interfaces cannot be recorded, and would stay after a kill of this process",
			u.Records},
		{api.WantedStarts, "starts cannot be counted, so a start after repeated crashes does not wait", u.starts},
		{api.WantedPorts, "ports that the API adds or changes cannot be saved, so a request was refused", u.ports},
	} {
		if c.err != nil {
			list = append(list, api.Unmet{What: c.what,
				Problem: fmt.Sprintf("%s: %v: make room, or make the directory "+
					"writable", c.problem, c.err)})
		}
	}
	return list
}
