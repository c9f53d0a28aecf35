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

// ReloadUnit is the command that makes a daemon under systemd read its configuration again.
const ReloadUnit = "systemctl reload uelinkd"

// Status is the version, the process and the configuration file of the daemon.
type Status struct {
	Version string    `json:"version"`
	PID     int       `json:"pid"` // number of its process
	Started time.Time `json:"started"`
	Config  string    `json:"config"` // file that the daemon was started with
	Reload  string    `json:"reload"` // command that makes the daemon read the file again
	// time until an unconfirmed start or reload is taken back; 0: nothing to confirm
	Confirm float64 `json:"confirm_seconds_left"`
	// lines of the log that were not written, because the reader of standard error stood still or was gone
	LogLinesLost uint64   `json:"log_lines_lost"`
	Troubles     []string `json:"troubles"` // of the daemon itself, each with its likely cause
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
	Binary string `json:"binary,omitempty"` // program of the successor; empty: the daemon's own path
	Config string `json:"config,omitempty"` // configuration of the successor; empty: the daemon's
	By     string `json:"-"`                // who asks, in words
}

// DefaultSocket is the path of the control socket unless control.socket sets another.
const DefaultSocket = "/run/uelink/uelink.sock"
