package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"uelink/control/api"
	"uelink/dataplane/model"
	"uelink/internal/history"
	"uelink/lldp"
	"uelink/lldp/agent"
)

// historyMost is the size in octets at which the file of events is rotated.
const historyMost = 1 << 20

// journal writes every event of the ports and of LLDP to the log and to a file, as far as the rate limit of its port
// and kind allows. A single goroutine writes; Events may be called from any.
type journal struct {
	log     *zap.Logger // without sampling: the journal limits by itself
	logs    logs
	past    *history.History
	broken  atomic.Pointer[error] // reason why the file cannot be written, already logged; nil: writable
	lost    bool                  // the log is not written, and an event has reported it
	limits  allowances
	running sync.WaitGroup
	stopped chan struct{}

	ports       <-chan model.Event
	lldp        <-chan agent.Event
	unsubscribe func() // ends both subscriptions
	before      []api.Event
	publish     func(kind, text string) // an event of the daemon itself
	missed      func() uint64           // events that came while this goroutine was busy
	reported    uint64                  // of missed
}

// newJournal returns a journal, subscribed to the events of the data plane (frames) and of LLDP (found). It writes
// them to the log and to the file of that name. past, the events of the daemon's start, are written first.
func newJournal(logs logs, file string, frames frames, found discovery, past []api.Event) *journal {
	j := &journal{
		log: logs.events, logs: logs, past: history.New(file, historyMost), limits: allowances{}, before: past,
		stopped: make(chan struct{}),
	}
	ports, leavePorts := frames.Subscribe()
	neighbours, leaveLLDP := found.Subscribe()
	j.ports, j.lldp, j.unsubscribe = ports, neighbours, func() { leavePorts(); leaveLLDP() }
	j.publish = func(kind, text string) { frames.Publish("", kind, text) }
	j.missed = func() uint64 { return frames.Missed(ports) + found.Missed(neighbours) }
	return j
}

// startEvents returns the events that the data plane and LLDP have published so far, while the interfaces were
// opened.
func startEvents(frames frames, found discovery) (all []api.Event) {
	for _, e := range frames.Recent() {
		all = append(all, api.PortEvent(e))
	}
	for _, e := range found.Recent() {
		all = append(all, api.LLDPEvent(e))
	}
	return all
}

// among returns the events of list that are also in all.
func among(list, all []api.Event) []api.Event {
	return slices.DeleteFunc(list, func(e api.Event) bool {
		return !slices.ContainsFunc(all, func(o api.Event) bool {
			return o.Time.Equal(e.Time) && o.Port == e.Port && o.Kind == e.Kind && o.Text == e.Text
		})
	})
}

// eventsFile returns the path of the file in which a daemon keeps its events. The name is made of the path of the
// daemon's control socket, because several daemons may share the state directory.
func eventsFile(socket string) string {
	name := "events"
	if socket != api.DefaultSocket {
		name = strings.ReplaceAll(strings.TrimPrefix(filepath.Clean(socket), "/"), "/", "-")
	}
	return filepath.Join(stateFolder(), "events", name)
}

// start starts the goroutine that writes events to the log and to disk.
func (j *journal) start() { j.running.Go(j.run) }

// stop lets the writing goroutine write the events that have arrived, and waits for its end.
func (j *journal) stop() {
	close(j.stopped)
	j.running.Wait()
}

// omittedEvery is the interval at which the log gets two counts: of events left out by the rate limit, if no event of
// the same port and kind was logged since, and of missed events.
const omittedEvery = 10 * time.Second

// run writes events until stop is called: those of the start first, then each as it comes. Each omittedEvery it logs
// how many events were left out or missed, and looks whether the log itself is still written.
func (j *journal) run() {
	defer func() { _ = j.past.Close() }() // each line was written at once
	defer j.unsubscribe()
	for _, e := range j.before {
		j.write(e, e.Time)
	}
	j.before = nil
	tick := time.NewTicker(omittedEvery)
	defer tick.Stop()
	for {
		select {
		case e, open := <-j.ports:
			if j.ports = whileOpen(j.ports, open); open {
				j.write(api.PortEvent(e), time.Now())
			}
		case e, open := <-j.lldp:
			if j.lldp = whileOpen(j.lldp, open); open {
				j.write(api.LLDPEvent(e), time.Now())
			}
		case now := <-tick.C:
			j.writeOmitted(now)
			j.writeMissed()
			j.watchLog(now)
		case <-j.stopped:
			j.rest()
			return
		}
	}
}

// whileOpen returns channel c if open, else nil. A select never chooses a nil channel, so a closed channel stops
// being read.
func whileOpen[E any](c <-chan E, open bool) <-chan E {
	if open {
		return c
	}
	return nil
}

// rest writes the events that still wait in the subscribed channels, and the counts of events left out and missed.
func (j *journal) rest() {
	for {
		select {
		case e, open := <-j.ports:
			if j.ports = whileOpen(j.ports, open); open {
				j.write(api.PortEvent(e), time.Now())
			}
		case e, open := <-j.lldp:
			if j.lldp = whileOpen(j.lldp, open); open {
				j.write(api.LLDPEvent(e), time.Now())
			}
		default:
			j.writeOmitted(time.Now().Add(omittedEvery)) // counts that are younger than omittedEvery, too
			j.writeMissed()
			return
		}
	}
}

// write writes an event to the log and the file. If its port has had too many events of this kind lately, the event
// is only counted as omitted.
func (j *journal) write(e api.Event, now time.Time) {
	a := j.limits.limitFor(e)
	if !a.allow(now) {
		return
	}
	e.Omitted, a.omitted = a.omitted, 0
	fields := []zap.Field{zap.String("port", e.Port), zap.String("reason", e.Text)}
	if e.Omitted > 0 {
		fields = append(fields, zap.Uint64("omitted", e.Omitted))
	}
	j.log.Log(logLevel(e), e.Kind, fields...)
	j.keep(e)
}

// logLevel returns the level of an event's line in the log. An update of a neighbour has the level debug: a neighbour
// may announce a new value, such as its load, in each LLDPDU.
func logLevel(e api.Event) zapcore.Level {
	level, err := zapcore.ParseLevel(e.Level)
	if err != nil || e.Kind == lldp.NeighborUpdated.String() {
		return zapcore.DebugLevel
	}
	return level
}

// writeOmitted logs, for each port and kind of event, how many events the rate limit has left out, if none of that
// kind was written for the time omittedEvery.
func (j *journal) writeOmitted(now time.Time) {
	for key, a := range j.limits {
		if a.omitted > 0 && now.Sub(a.last) >= omittedEvery {
			j.log.Warn("events were left out by the rate limit", zap.String("port", key.port), zap.String("event", key.kind),
				zap.Uint64("omitted", a.omitted))
			a.omitted = 0
		}
	}
	j.limits.forget(now)
}

// writeMissed logs how many events the journal has missed because the log or the disk was too slow to take earlier
// events.
func (j *journal) writeMissed() {
	if n := j.missed(); n > j.reported {
		j.log.Warn("events are missing in the log and on disk, which did not take the earlier ones in time",
			zap.Uint64("missed", n-j.reported))
		j.reported = n
	}
}

// watchLog publishes an event when lines of the log begin to be lost, and another when they are written again. So
// readers of the API and of the events on disk learn of the loss without the log.
func (j *journal) watchLog(now time.Time) {
	trouble := j.logs.trouble(now)
	switch {
	case trouble != "" && !j.lost:
		j.publish(model.EventLog, trouble)
	case trouble == "" && j.lost:
		j.publish(model.EventLog, fmt.Sprintf("the log is written again; lines lost since the start: %d",
			j.logs.spool.State().Lost))
	}
	j.lost = trouble != ""
}

// keep appends an event as a line of JSON to the file on disk. It logs and publishes the first error (a full disk,
// say), and later the first success again.
func (j *journal) keep(e api.Event) {
	var line bytes.Buffer
	if err := json.NewEncoder(&line).Encode(e); err != nil {
		panic("an event is no JSON: " + err.Error()) // impossible: its fields are texts, numbers and times
	}
	err, before := j.past.Append(line.Bytes()), j.broken.Load()
	if err != nil {
		j.broken.Store(&err)
	} else {
		j.broken.Store(nil)
	}
	switch {
	case err != nil && before == nil:
		j.log.Error("events cannot be written to disk, and only the latest are in memory: make room, or make the "+
			"directory writable", zap.Error(err))
		j.publish(model.EventState, j.unmet().Problem)
	case err == nil && before != nil:
		j.log.Info("events are written to disk again")
		j.publish(model.EventState, "over: events are written to disk again")
	}
}

// unmet returns the problem that events cannot be written to disk; the zero value if they can be, and of a nil journal.
func (j *journal) unmet() (u api.Unmet) {
	if j == nil {
		return u
	}
	if err := j.broken.Load(); err != nil {
		u = api.Unmet{What: api.WantedEvents,
			Problem: fmt.Sprintf("events cannot be written to disk, and only the latest are in memory: "+
				"%v: make room, or make the directory writable", *err)}
	}
	return u
}

// Events returns the events on disk, in the order of their arrival. A damaged line is left out.
func (j *journal) Events() (all []api.Event) {
	lines, err := j.past.Lines()
	if err != nil {
		j.log.Debug("events on disk cannot be read", zap.Error(err))
	}
	for _, line := range lines {
		var e api.Event
		if json.Unmarshal(line, &e) == nil && e.Kind != "" {
			all = append(all, e)
		}
	}
	return all
}
