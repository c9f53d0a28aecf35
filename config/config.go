// Package config reads the daemon's configuration: strict YAML in, a typed and validated Config out. It checks
// everything that the text alone shows. Facts of the host (whether an interface exists, its MTU) are checked by the
// data plane and the LLDP agents.
//
// The keys of a section, with their values, defaults and meaning, are one table in code (fields*.go), made of the
// parts in package schema. Decoding, defaults, Reference and JSONSchema are all made from the table, so that they
// cannot disagree.
package config

import (
	"os"

	"go.uber.org/zap/zapcore"

	"uelink/config/schema"
	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/lldp/station"
	"uelink/llr"
)

// Config is a configuration that passed every check.
type Config struct {
	Log      Log
	Control  Control
	Metrics  Metrics
	Web      Web
	Settings dataplane.Settings  // ports with role link or edge
	SAI      SAI                 `json:",omitzero"`
	Lanes    map[string][]uint32 `json:",omitempty"` // SAI's HW_LANE_LIST, by port; none: the place of the port in Settings
	LLDP     LLDP
	Labels   map[string]model.Labels `json:",omitempty"` // by port, of every role; none: the port has no labels
	// Files has the file of each port that is not in the configuration itself.
	Files map[string]string `json:",omitempty"`
}

// LLDP holds the settings of the LLDP agents: the station, and the ports that run LLDP. Edge ports with lldp.mode
// auto are left out.
type LLDP struct {
	System station.System
	Ports  []station.Port
}

// Log is the level and format of the daemon's log.
type Log struct {
	Level  zapcore.Level
	Format LogFormat
}

// LogFormat is the format of log lines: for people or for programs.
type LogFormat uint8

// The formats of the log.
const (
	LogAuto    LogFormat = iota // console on a terminal, JSON otherwise
	LogConsole                  // for people
	LogJSON                     // for programs
)

// String returns the log format's name in the configuration: auto, console or json; "?" for any other value.
func (f LogFormat) String() string {
	return [...]string{"auto", "console", "json", "?"}[min(f, LogJSON+1)]
}

// MarshalText returns the log format's name in the configuration (auto, console, json) as octets. The error is always
// nil.
func (f LogFormat) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// Control is the unix socket of the API.
type Control struct {
	Socket string      // absolute path; its lock file is beside it
	Mode   os.FileMode // permission bits of the socket
	Group  string      // owning group, name or decimal id; "" = the daemon's
	Ports  ControlPorts
}

// ControlPorts is who may add ports by the API, besides root and the daemon's user.
type ControlPorts struct {
	Group      string   // name or decimal id; "" = nobody
	Interfaces []string // patterns as of a shell: interfaces of these names alone
	Max        int      // largest number of ports that the API adds, for all callers together
}

// SAI is what clients of SAI may do.
type SAI struct {
	ManageInterfaces bool // set MTU and ADMIN_STATE of the ports' interfaces
}

// Metrics is the Prometheus listener.
type Metrics struct {
	Listen string // host:port, "" = off
}

// Web is the listener of the page.
type Web struct {
	Listen      string      // "unix:" and an absolute path, or host:port; "" = off
	Mode        os.FileMode // permission bits of a unix socket
	Group       string      // owning group of a unix socket, name or decimal id; "" = the daemon's
	AllowRemote bool        // the address need not be of loopback
	Hosts       []string    // names by which browsers may address this host, besides those of loopback
}

// Parse reads and checks data; name names the file in messages. An error is a *schema.Error with the problems found.
// Unlike Load, Parse does not look at the host.
func Parse(name string, data []byte) (*Config, error) {
	return readDocument(name, data, nil, func(checks, *document) {})
}

// readDocument parses and checks the file with the content data, and the files beside it, additions, as Parse
// does. It then calls last with the document for further checks.
func readDocument(
	name string, data []byte, additions []schema.Addition, last func(checks, *document),
) (*Config, error) {
	d := document{Config: Config{Settings: dataplane.Settings{Profiles: map[string]llr.Profile{}}}}
	w, readable := rootFields().DecodeAll(data, additions, lists, &d)
	if readable {
		checks{w}.check(&d)
		last(checks{w}, &d)
	}
	if err := w.Err(name); err != nil {
		return nil, err
	}
	d.finish()
	d.setFiles(w)
	return &d.Config, nil
}
