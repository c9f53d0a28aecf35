package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/zap"

	"uelink/control/api"
	"uelink/dataplane/model"
	"uelink/internal/events"
)

// stopped ends a daemon and checks its exit code.
func (r *running) stopped() {
	r.t.Helper()
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 {
		r.t.Errorf("exit %d", code)
	}
}

// happen emits an event of the data plane.
func (r *running) happen(level events.Level, kind, text string) {
	r.t.Helper()
	e := model.Event{Time: time.Now(), Port: "link0", Kind: kind, Text: text, Level: level}
	if !r.Emit(e, patience) {
		r.t.Fatal("the journal does not read")
	}
}

// Every event is a line of the log with level, port and reason, and the next daemon has the events of this one.
func TestEventsAreLoggedAndKept(t *testing.T) {
	r := begin(t, newFakeFrames(), nil)
	r.logged("ready")
	for _, c := range []struct {
		level      events.Level
		kind, text string
	}{
		{events.Error, model.EventLLRTxStatus, "FLUSH: replay count"},
		{events.Warning, model.EventPartner, "forgotten"},
		{events.Info, model.EventOperStatus, "up"},
	} {
		r.happen(c.level, c.kind, c.text)
		line := r.logged(c.kind)
		if line["level"] != c.level.String() || line["port"] != "link0" || line["reason"] != c.text ||
			line["logger"] != "events" {
			t.Errorf("%v", line)
		}
	}
	r.stopped()

	next := beginWith(t, newFakeFrames(), r.config, r.socket, nil)
	next.logged("ready")
	next.happen(events.Info, model.EventOperStatus, "down")
	next.logged(model.EventOperStatus)
	list, err := next.client().Events(t.Context())
	if err != nil || len(list) != 4 || list[0].Text != "FLUSH: replay count" || list[0].Level != "error" ||
		list[3].Text != "down" {
		t.Errorf("%+v, %v", list, err)
	}
	next.stopped()
}

// Of a storm some lines are written, the rest is counted, and the other events of the port are not drowned.
func TestStormOfEvents(t *testing.T) {
	const storm = 5000
	r := begin(t, newFakeFrames(), nil)
	r.logged("ready")
	for n := range storm {
		r.happen(events.Warning, model.EventPartner, fmt.Sprint("news ", n))
	}
	r.happen(events.Error, model.EventLLRTxStatus, "FLUSH")
	r.logged(model.EventLLRTxStatus)
	r.stopped()
	omitted, _ := r.logged("events were left out by the rate limit")["omitted"].(float64)
	if omitted < storm-2*journalBurst || omitted > storm-journalBurst {
		t.Errorf("%v events of %d were told as omitted", omitted, storm)
	}
	kept := newKept(r.socket).Events()
	if len(kept) > 2*journalBurst || kept[len(kept)-1].Text != "FLUSH" {
		t.Errorf("%d events are kept, the last %+v", len(kept), kept[len(kept)-1])
	}
}

// Events for which the journal had no time are told by their number.
func TestMissedEventsAreCounted(t *testing.T) {
	r := begin(t, newFakeFrames(), nil)
	r.logged("ready")
	r.missed.Store(7)
	r.stopped()
	if n := r.logged("events are missing in the log and on disk")["missed"]; n != 7.0 {
		t.Errorf("%v were told as missed", n)
	}
}

// newKept returns a journal that only reads the events on disk.
func newKept(socket string) *journal {
	return newJournal(logs{events: zap.NewNop()}, eventsFile(socket), newFakeFrames(), newFakeFrames().lldp, nil)
}

// A disk without room is told once, and so is its end; the latest events are there all the same.
func TestEventsCannotBeKept(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	t.Setenv("STATE_DIRECTORY", state)
	if err := os.WriteFile(state, nil, 0o600); err != nil { // no folder can be made there
		t.Fatal(err)
	}
	r := begin(t, newFakeFrames(), nil)
	r.logged("ready")
	r.happen(events.Info, model.EventOperStatus, "up")
	if line := r.logged("events cannot be written to disk"); line["level"] != "error" {
		t.Errorf("%v", line)
	}
	wanted := func() string {
		status, err := r.client().Status(t.Context())
		if err != nil {
			t.Error(err)
		}
		return unmetIn(status, api.WantedEvents)
	}
	if told := wanted(); !strings.Contains(told, state) {
		t.Errorf("wanted and not in force: %q", told)
	}
	r.happen(events.Info, model.EventOperStatus, "down")
	for line := range r.log { // the records of problems are not kept either, and say so in their own time
		if line["msg"] == "events cannot be written to disk" {
			t.Errorf("told twice: %v", line)
		}
		if line["msg"] == model.EventOperStatus {
			break
		}
	}
	if list, err := r.client().Events(t.Context()); err != nil || len(list) != 2 || list[1].Text != "down" {
		t.Errorf("%+v, %v", list, err)
	}
	if err := os.Remove(state); err != nil {
		t.Fatal(err)
	}
	r.happen(events.Info, model.EventOperStatus, "up again")
	r.logged("events are written to disk again")
	if told := wanted(); told != "" {
		t.Errorf("wanted and not in force: %q", told)
	}
	if list, err := r.client().Events(t.Context()); err != nil || len(list) != 3 || list[2].Text != "up again" {
		t.Errorf("%+v, %v", list, err)
	}
	r.stopped()
}

// A line of the file that is damaged costs no other line.
func TestDamagedEventsOnDisk(t *testing.T) {
	t.Setenv("STATE_DIRECTORY", t.TempDir())
	file := eventsFile(api.DefaultSocket)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	text := `{"event":"drops","text":"a"}` + "\n\x00\x00{\n[]\n\n" + `{"event":"drops","text":"b"}` +
		"\n{\"event\":\"dr"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if list := newKept(api.DefaultSocket).Events(); len(list) != 2 || list[1].Text != "b" {
		t.Errorf("%+v", list)
	}
}

// The rate is that of the clock, also where the clock is set back.
func TestAllowance(t *testing.T) {
	now := time.Date(2026, 11, 26, 8, 0, 0, 0, time.UTC)
	var a allowance
	take := func(n int) (taken int) {
		for range n {
			if a.allow(now) {
				taken++
			}
		}
		return taken
	}
	if n := take(1000); n != journalBurst || a.omitted != 1000-journalBurst {
		t.Errorf("%d taken at once, %d omitted", n, a.omitted)
	}
	now = now.Add(3 * journalEvery)
	if n := take(1000); n != 3 {
		t.Errorf("%d taken after three times", n)
	}
	now = now.Add(-time.Hour)
	if n := take(1000); n != 0 {
		t.Errorf("%d taken when the clock was set back", n)
	}
	now = now.Add(journalEvery)
	if n := take(1000); n != 1 {
		t.Errorf("%d taken after the clock was set back", n)
	}
}
