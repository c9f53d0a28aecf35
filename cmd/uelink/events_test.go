package main

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"uelink/control/controltest"
	"uelink/dataplane/model"
	"uelink/internal/events"
)

// happenedBefore emits twelve events, and the last has texts that would control a terminal.
func happenedBefore(b *controltest.Backend) {
	e := happened()
	for n := range 12 {
		e.Time, e.Text = e.Time.Add(time.Hour), fmt.Sprintf("FLUSH %d", n)
		e.Level = events.Error
		if n == 11 {
			e.Text = "label \x1b[2J\u009b31m\u202e"
		}
		b.Emit(e, 0)
	}
}

func TestEvents(t *testing.T) {
	b, socket := startDaemon(t, controltest.Ports())
	happenedBefore(b)
	for _, c := range []struct {
		args        string
		first, last string
		lines       int
	}{
		{"events", "2026-11-21 09:00:00.000001 +0000  error  link0  llr_tx_status              FLUSH 0",
			`label \u001b[2J\u009b31m\u202e`, 12},
		{"events --last 3", "FLUSH 9", "label", 3},
		{"events --since 2026-11-21T18:30:00Z", "FLUSH 10", "label", 2},
		{"events --since 1h", "", "", 0},
		{"events --last 1 -o json", `"level":"error"`, `"text":"label \u001b[2J\u009b31m\u202e"`, 1},
	} {
		var stdout, stderr bytes.Buffer
		code := run(t.Context(), append([]string{"--socket", socket}, strings.Fields(c.args)...), &stdout, &stderr)
		lines := strings.FieldsFunc(stdout.String(), func(r rune) bool { return r == '\n' })
		if code != 0 || len(lines) != c.lines {
			t.Errorf("%s: exit %d, %d lines, %s%s", c.args, code, len(lines), &stdout, &stderr)
			continue
		}
		if c.lines > 0 && (!strings.Contains(lines[0], c.first) || !strings.Contains(lines[len(lines)-1], c.last)) {
			t.Errorf("%s: %s", c.args, &stdout)
		}
	}
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"--socket", socket, "events", "--since", "soon"}, &stderr,
		&stderr); code != 2 ||
		!strings.Contains(stderr.String(), "how long ago") {
		t.Errorf("exit %d, %s", code, &stderr)
	}
}

// A watch for people begins with the last ten events, one for programs with none.
func TestWatchBeginsWithThePast(t *testing.T) {
	for args, want := range map[string]int{
		"watch": 10, "watch --last 2": 2, "watch -o json": 0, "watch -o json --last 3": 3,
	} {
		b, socket := startDaemon(t, controltest.Ports())
		happenedBefore(b)
		var stdout, stderr bytes.Buffer
		code := make(chan int, 1)
		go func() {
			code <- run(t.Context(), append([]string{"--socket", socket}, strings.Fields(args)...), &stdout, &stderr)
		}()
		watching(t, b)
		b.Emit(model.Event{Time: happened().Time, Port: "link0", Kind: model.EventOperStatus, Text: "the news"},
			time.Second)
		b.Drop()
		<-code
		past, news := strings.Count(stdout.String(), model.EventLLRTxStatus), strings.Count(stdout.String(), "the news")
		if past != want || news != 1 {
			t.Errorf("%s: %d past events, %d new:\n%s%s", args, past, news, &stdout, &stderr)
		}
	}
}
