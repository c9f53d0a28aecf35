package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/buffer"
	"go.uber.org/zap/zapcore"
	"golang.org/x/sys/unix"

	"uelink/config"
	"uelink/internal/printable"
	"uelink/internal/spool"
	"uelink/internal/table"
)

// Of equal messages within a second sampleFirst are logged, then one in sampleThen: a repeating fault cannot drown the
// log.
const (
	sampleFirst = 100
	sampleThen  = 100
)

// logs are the daemon's loggers to one file.
type logs struct {
	sampled *zap.Logger
	events  *zap.Logger // for the journal, which has a rate limit of its own
	level   zap.AtomicLevel
	spool   *spool.Spool // in front of the file
}

// newLogs returns the daemon's loggers and their shared level. The loggers write to a file by its spool. A request of
// the API or a reload can change the level. If the file has not taken lines, a line with their number stands in their
// place.
func newLogs(c config.Log, to *spool.Spool) logs {
	level := zap.NewAtomicLevelAt(c.Level)
	lines := lineEncoder{encoder(c.Format, to.File()), isJournald(to.File())}
	to.SetNotice(func(lost uint64) []byte {
		text, err := lines.EncodeEntry(zapcore.Entry{Level: zapcore.WarnLevel, Time: time.Now(), Message: lostLines},
			[]zapcore.Field{zap.Uint64("lost", lost)})
		if err != nil {
			return []byte(lostLines + "\n")
		}
		return bytes.Clone(text.Bytes())
	})
	core := zapcore.NewCore(lines, to, level)
	sampled := zapcore.NewSamplerWithOptions(core, time.Second, sampleFirst, sampleThen)
	return logs{sampled: zap.New(sampled), events: zap.New(core).Named("events"), level: level, spool: to}
}

// lostLines is the message in the place of lines that the log's file did not take.
const lostLines = "lines of the log are missing here: its reader stood still or was gone (uelink events has the events)"

// trouble returns in words why lines of the log are lost now, with the cause and the number of lines; "" if the log's
// file takes them.
func (l *logs) trouble(now time.Time) string {
	switch s := l.spool.State(); {
	case errors.Is(s.Fault, unix.EPIPE):
		return fmt.Sprintf("the reader of the log has gone, %d lines are lost so far: restart the daemon with a "+
			"reader of its standard error; until then see uelink events", s.Lost)
	case s.Fault != nil:
		return fmt.Sprintf("the log is not written (%v), %d lines are lost so far: mend that; until then see uelink "+
			"events",
			s.Fault, s.Lost)
	case !s.Since.IsZero() && now.Sub(s.Since) > standstill:
		return fmt.Sprintf("nothing has read the log since %s, %d lines are lost so far: resume the reader of the "+
			"daemon's standard error (systemctl restart systemd-journald, Ctrl-Q on a terminal); until then see "+
			"uelink events", s.Since.Format(time.TimeOnly), s.Lost)
	}
	return ""
}

// standstill is the time after which a reader that has not taken a line counts as standing still.
const standstill = 2 * time.Second

// encoder returns a log encoder of text for people or of JSON for programs. LogAuto is for people if the output is
// a terminal.
func encoder(format config.LogFormat, to *os.File) zapcore.Encoder {
	c := zapcore.EncoderConfig{
		TimeKey: "time", LevelKey: "level", NameKey: "logger", MessageKey: "msg",
		EncodeTime: zapcore.RFC3339NanoTimeEncoder, EncodeLevel: zapcore.LowercaseLevelEncoder,
		EncodeDuration: zapcore.StringDurationEncoder,
	}
	if format == config.LogConsole || format == config.LogAuto && table.IsTerminal(to) {
		c.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000 -0700")
		c.EncodeLevel = zapcore.CapitalLevelEncoder
		return zapcore.NewConsoleEncoder(c)
	}
	return zapcore.NewJSONEncoder(c)
}

// lineEncoder is an encoder of lines without control characters. For systemd-journald a line begins with its syslog
// priority, such as <3> (sd-daemon(3)).
type lineEncoder struct {
	zapcore.Encoder
	journald bool
}

// Clone returns a copy of the encoder. A logger with additional fields writes by its own copy.
func (e lineEncoder) Clone() zapcore.Encoder { return lineEncoder{e.Encoder.Clone(), e.journald} }

// EncodeEntry returns the line of a log entry, with control characters escaped, and for systemd-journald with the
// syslog priority ("<4>") in front.
func (e lineEncoder) EncodeEntry(entry zapcore.Entry, fields []zapcore.Field) (*buffer.Buffer, error) {
	line, err := e.Encoder.EncodeEntry(entry, fields)
	if err != nil {
		return nil, err
	}
	text := printable.Append(nil, line.Bytes())
	line.Reset()
	if e.journald {
		fmt.Fprintf(line, "<%d>", priority(entry.Level))
	}
	_, err = line.Write(text)
	return line, err
}

// priority returns the syslog priority of a log level: 3 for errors and worse, 4 for warnings, 6 for info, 7 for
// debug.
func priority(level zapcore.Level) int {
	switch {
	case level >= zapcore.ErrorLevel:
		return 3
	case level == zapcore.WarnLevel:
		return 4
	case level == zapcore.InfoLevel:
		return 6
	}
	return 7
}

// isJournald reports whether a file is the connection to systemd-journald that the environment variable
// JOURNAL_STREAM names (systemd.exec(5)).
func isJournald(f *os.File) bool {
	var s unix.Stat_t
	if unix.Fstat(int(f.Fd()), &s) != nil {
		return false
	}
	return os.Getenv("JOURNAL_STREAM") == fmt.Sprintf("%d:%d", s.Dev, s.Ino)
}
