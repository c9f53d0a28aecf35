// Package api defines the objects of the API, which are its JSON, and makes them from the state of data plane and LLDP.
package api

import "time"

// Objects of the daemon. Objects of ports, LLR, bridges, trimming and LLDP have files of their own.

// LogLevel is the level of the daemon's log, one of LogLevels.
type LogLevel struct {
	Level string `json:"level"`
}

// LogLevels returns the levels that a client may set. A level above error would hide messages that the operator must
// see.
func LogLevels() []string { return []string{"debug", "info", "warn", "error"} }

// ReloadCommand makes a daemon read its configuration file again, however it was started.
const ReloadCommand = "uelink reload"

// Status is the version, the process and the configuration file of the daemon.
type Status struct {
	Version string    `json:"version"`
	PID     int       `json:"pid"` // number of its process
	Started time.Time `json:"started"`
	Config  string    `json:"config"` // file that the daemon was started with
	// time until an unconfirmed start or reload is taken back; 0: nothing to confirm
	Confirm float64 `json:"confirm_seconds_left"`
	// lines of the log that were not written, because the reader of standard error stood still or was gone
	LogLinesLost uint64   `json:"log_lines_lost"`
	Troubles     []string `json:"troubles"` // of the daemon itself, each with its likely cause
	// all that is wanted and not in force, of the daemon itself and of ports
	Unmet      []Unmet `json:"wanted_not_in_force"`
	LastReload *Reload `json:"last_reload"` // null: this process has read the file only once
	// the lines of uelink status: each problem of a port or of the daemon, or that a port has none; the worst first
	Lines []StatusLine `json:"lines"`
}

// Enable is the body of a request that switches one direction of LLR, or a virtual channel.
type Enable struct {
	Enabled *bool `json:"enabled"`
}

// SavedState is the state of a port's protocol machines, for a bug report.
type SavedState struct {
	Port  string `json:"port"`
	State string `json:"state"` // text: a line for each field that is not zero
}

// Upgrade asks a daemon to hand over to another process.
type Upgrade struct {
	Binary string `json:"binary,omitempty"` // program of the successor, an absolute path; empty: the daemon's own
	Config string `json:"config,omitempty"` // configuration of the successor, an absolute path; empty: the daemon's
	Check  bool   `json:"check,omitempty"`  // only try whether the program can take over; the daemon goes on
	By     string `json:"-"`                // the caller, in words
}

// Upgraded says who has taken over from whom.
type Upgraded struct {
	Former RunningProgram `json:"former"`
	New    RunningProgram `json:"new"` // the successor; after a check its process has ended
	// time in which no frame moved; 0 after a check
	Pause float64 `json:"pause_seconds"`
	// whether the configuration file differs from the one in force: the new daemon reads it then, as by a reload
	Changed bool `json:"config_changed"`
}

// RunningProgram is a program that runs as a daemon.
type RunningProgram struct {
	Version string `json:"version"`
	SHA256  string `json:"sha256"`  // of the program's file, hexadecimal
	Program string `json:"program"` // path that it was started by
	PID     int    `json:"pid"`     // number of its process
}

// Reload is the outcome of a reload.
type Reload struct {
	Time time.Time `json:"time"`
	// why the configuration was refused, so that the former one stays in force; empty: it is in force
	Errors []string `json:"errors"`
	// keys whose new values take effect at the next start of the daemon
	NextStart []string `json:"next_start"`
}

// DefaultSocket is the path of the control socket unless control.socket sets another.
const DefaultSocket = "/run/uelink/uelink.sock"
