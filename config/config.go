// Package config reads the daemon's configuration: strict YAML in, a typed and
// validated Config out. It checks everything that the text alone can tell; what
// only the host knows (whether an interface is there, its MTU) is the data
// plane's and the LLDP agents' to refuse.
//
// The keys of a section, with their values, defaults and meaning, are one table
// in code (fields*.go), made of the parts in package schema. Decoding, defaults, Reference and
// JSONSchema all come from it, so that they cannot disagree.
package config

import (
	"os"

	"go.uber.org/zap/zapcore"

	"uelink/dataplane"
	"uelink/lldp/agent"
	"uelink/llr"
)

// Config is a configuration that passed every check.
type Config struct {
	Log      Log
	Control  Control
	Metrics  Metrics
	Settings dataplane.Settings // ports of role link and edge
	LLDP     LLDP
}

// LLDP is what the LLDP agents are opened with: the station, and every port but
// edge ports that do not ask for LLDP.
type LLDP struct {
	System agent.System
	Ports  []agent.Port
}

// Log is how the daemon logs.
type Log struct {
	Level  zapcore.Level
	Format LogFormat
}

// LogFormat is whom the log is written for.
type LogFormat uint8

// The formats of the log.
const (
	LogAuto    LogFormat = iota // console on a terminal, JSON otherwise
	LogConsole                  // for people
	LogJSON                     // for programs
)

// String is the format's word in the configuration.
func (f LogFormat) String() string {
	return [...]string{"auto", "console", "json", "?"}[min(f, LogJSON+1)]
}

// MarshalText is String.
func (f LogFormat) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// Control is the unix socket of the API.
type Control struct {
	Socket string      // absolute path; its lock file is beside it
	Mode   os.FileMode // permission bits of the socket
	Group  string      // owning group, name or decimal id; "" = the daemon's
}

// Metrics is the Prometheus listener.
type Metrics struct {
	Listen string // host:port, "" = off
}

// Parse checks data; name stands for the file in messages. An error is a *schema.Error
// that holds the problems found. Unlike Load it does not look at the host.
func Parse(name string, data []byte) (*Config, error) {
	return readDocument(name, data, func(checks, *document) {})
}

// readDocument is Parse with a last check of a document that is right by itself.
func readDocument(name string, data []byte, last func(checks, *document)) (*Config, error) {
	d := document{Config: Config{Settings: dataplane.Settings{Profiles: map[string]llr.Profile{}}}}
	w, readable := rootFields().Decode(data, &d)
	if readable {
		checks{w}.check(&d)
		last(checks{w}, &d)
	}
	if err := w.Err(name); err != nil {
		return nil, err
	}
	d.finish()
	return &d.Config, nil
}
