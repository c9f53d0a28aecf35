package main

import (
	"os"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"golang.org/x/sys/unix"

	"uelink/config"
)

// Of equal messages within a second the first sampleFirst are logged, then one in sampleThen: a fault that repeats
// cannot drown the log.
const (
	sampleFirst = 100
	sampleThen  = 100
)

// newLogger returns the daemon's logger to a file, and its level, which control and reload change.
func newLogger(c config.Log, to *os.File) (*zap.Logger, zap.AtomicLevel) {
	level := zap.NewAtomicLevelAt(c.Level)
	core := zapcore.NewCore(encoder(c.Format, to), zapcore.Lock(to), level)
	return zap.New(zapcore.NewSamplerWithOptions(core, time.Second, sampleFirst, sampleThen)), level
}

// encoder returns a log encoder of text for people or of JSON for programs. LogAuto is for people if the output is
// a terminal.
func encoder(format config.LogFormat, to *os.File) zapcore.Encoder {
	c := zapcore.EncoderConfig{
		TimeKey: "time", LevelKey: "level", NameKey: "logger", MessageKey: "msg",
		EncodeTime: zapcore.RFC3339NanoTimeEncoder, EncodeLevel: zapcore.LowercaseLevelEncoder,
		EncodeDuration: zapcore.StringDurationEncoder,
	}
	if format == config.LogConsole || format == config.LogAuto && isTerminal(to) {
		c.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000")
		c.EncodeLevel = zapcore.CapitalLevelEncoder
		return zapcore.NewConsoleEncoder(c)
	}
	return zapcore.NewJSONEncoder(c)
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}
