package control

import "time"

// The objects that are about the daemon. Those of ports, LLR, bridges, trimming and LLDP have
// files of their own.

// LogLevel is how much the daemon logs: one of LogLevels.
type LogLevel struct {
	Level string `json:"level"`
}

// LogLevels are the levels that may be asked for; the ones above error would silence
// what the operator must see.
func LogLevels() []string { return []string{"debug", "info", "warn", "error"} }

// Status is what the daemon says of itself.
type Status struct {
	Version string    `json:"version"`
	PID     int       `json:"pid"`
	Started time.Time `json:"started"`
	Config  string    `json:"config"` // file that the daemon was started with
	// time until an unconfirmed start or reload is taken back; 0: nothing to confirm
	Confirm float64 `json:"confirm_seconds_left"`
}

// Enable is the body that switches one direction of LLR.
type Enable struct {
	Enabled *bool `json:"enabled"`
}
