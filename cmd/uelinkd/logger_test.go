package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"uelink/config"
	"uelink/internal/spool"
)

// logOf is what a logger of this configuration writes to a file.
func logOf(t *testing.T, c config.Log, say func(*zap.Logger)) []string {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	out := spool.Start(f)
	defer out.Close()
	say(newLogs(c, out).sampled)
	if err := out.Sync(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(text)), "\n")
}

func TestLogFormats(t *testing.T) {
	hello := func(log *zap.Logger) {
		log.Debug("not at this level")
		log.Named("control").Info("hello", zap.String("port", "link0"))
	}
	for _, c := range []struct {
		format        config.LogFormat
		begins, holds string
	}{
		{config.LogAuto, "{", `"logger":"control","msg":"hello","port":"link0"}`}, // a file is no terminal
		{config.LogJSON, "{", `"msg":"hello"`},
		{config.LogConsole, "", "INFO\tcontrol\thello\t{\"port\": \"link0\"}"},
	} {
		lines := logOf(t, config.Log{Level: zapcore.InfoLevel, Format: c.format}, hello)
		if len(lines) != 1 || !strings.HasPrefix(lines[0], c.begins) || !strings.Contains(lines[0], c.holds) {
			t.Errorf("%s: %q", c.format, lines)
		}
	}
}

// A message that repeats does not drown the others.
func TestLogIsSampled(t *testing.T) {
	lines := logOf(t, config.Log{Level: zapcore.InfoLevel, Format: config.LogJSON}, func(log *zap.Logger) {
		for range 5000 {
			log.Warn("again")
		}
		log.Info("another")
	})
	if len(lines) >= 1000 || !strings.Contains(lines[len(lines)-1], "another") {
		t.Errorf("%d lines, the last %s", len(lines), lines[len(lines)-1])
	}
}

// For systemd-journald a line begins with its priority.
func TestLinesForJournald(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	stat := info.Sys().(*syscall.Stat_t)
	say := func() {
		out := spool.Start(f)
		defer out.Close()
		l := newLogs(config.Log{Level: zapcore.DebugLevel, Format: config.LogJSON}, out)
		l.sampled.With(zap.Int("pid", 1)).Debug("a")
		l.sampled.Info("b")
		l.events.Warn("c")
		l.events.Error("d")
	}
	t.Setenv("JOURNAL_STREAM", fmt.Sprintf("%d:%d", stat.Dev, stat.Ino))
	say()
	t.Setenv("JOURNAL_STREAM", fmt.Sprintf("%d:%d", stat.Dev, stat.Ino+1)) // of another stream
	say()
	text, err := os.ReadFile(f.Name())
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	for i, want := range []string{`<7>{"`, `<6>{"`, `<4>{"`, `<3>{"`, `{"`, `{"`, `{"`, `{"`} {
		if !strings.HasPrefix(lines[i], want) {
			t.Errorf("line %d, want %s: %s", i, want, lines[i])
		}
	}
}

// Nothing that a stranger has put into a text controls the terminal that shows the log.
func TestLogHasNoControlCharacters(t *testing.T) {
	evil := "\x1b[2J\u009b31m\r\u202e"
	for _, format := range []config.LogFormat{config.LogJSON, config.LogConsole} {
		lines := logOf(t, config.Log{Level: zapcore.InfoLevel, Format: format}, func(log *zap.Logger) {
			log.Info("message "+evil, zap.String("reason", evil))
		})
		if len(lines) != 1 || strings.ContainsAny(lines[0], evil[:1]+"\u009b\r\u202e") ||
			!strings.Contains(lines[0], "[2J") {
			t.Errorf("%s: %q", format, lines)
		}
		if format != config.LogJSON {
			continue
		}
		var line struct{ Reason string }
		if err := json.Unmarshal([]byte(lines[0]), &line); err != nil || line.Reason != evil {
			t.Errorf("%q, %v", line.Reason, err)
		}
	}
}
