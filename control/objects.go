package control

import (
	"slices"
	"strings"
	"time"

	"uelink/dataplane"
	"uelink/llr"
)

// LLRInterface is the LLR side of one link port.
type LLRInterface struct {
	Port        string   `json:"port"`
	Interface   string   `json:"interface"`
	OperStatus  string   `json:"oper_status"`
	ErrorStatus []string `json:"error_status"`
	dataplane.LLRState
	Note string `json:"note"` // what an operator has to know beyond the states, in words; mostly empty
}

// LLRCounters are the LLR counters of one link port, flat.
type LLRCounters struct {
	Port      string `json:"port"`
	Interface string `json:"interface"`
	TxStatus  string `json:"tx_status"`
	RxStatus  string `json:"rx_status"`
	llr.Counters
}

// LLRProfile is one profile under SONiC's names. Times are in nanoseconds, as
// SAI's are; 0 is off for the two timeouts.
type LLRProfile struct {
	Name                 string        `json:"name"`
	MaxOutstandingFrames int           `json:"max_outstanding_frames"`
	MaxOutstandingBytes  int64         `json:"max_outstanding_bytes"`
	MaxReplayTimer       time.Duration `json:"max_replay_timer"`
	MaxReplayCount       uint8         `json:"max_replay_count"`
	PCSLostTimeout       time.Duration `json:"pcs_lost_timeout"`
	DataAgeTimeout       time.Duration `json:"data_age_timeout"`
	InitAction           string        `json:"init_action"`
	FlushAction          string        `json:"flush_action"`
	ReInitOnFlush        bool          `json:"re_init_on_flush"`
	CtlOSSpacingBytes    int           `json:"ctlos_spacing_bytes"`
}

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
	Config  string    `json:"config"` // the file that it was started with
}

// Enable is the body that switches one direction of LLR.
type Enable struct {
	Enabled *bool `json:"enabled"`
}

// sortedPorts is ports by name, with no nil in it where JSON has an array.
func sortedPorts(ports []dataplane.PortState) []dataplane.PortState {
	sorted := make([]dataplane.PortState, len(ports))
	copy(sorted, ports)
	for i := range sorted {
		if sorted[i].ErrorStatus == nil {
			sorted[i].ErrorStatus = []string{}
		}
	}
	slices.SortFunc(sorted, func(a, b dataplane.PortState) int { return strings.Compare(a.Name, b.Name) })
	return sorted
}

func llrInterface(p dataplane.PortState) LLRInterface {
	return LLRInterface{
		Port: p.Name, Interface: p.Interface, OperStatus: p.OperStatus,
		ErrorStatus: p.ErrorStatus, LLRState: *p.LLR, Note: llrNote(p),
	}
}

func llrCounters(p dataplane.PortState) LLRCounters {
	return LLRCounters{
		Port: p.Name, Interface: p.Interface, TxStatus: p.LLR.TxStatus,
		RxStatus: p.LLR.RxStatus, Counters: p.LLR.Counters,
	}
}

func llrProfile(name string, p llr.Profile) LLRProfile {
	return LLRProfile{
		Name:                 name,
		MaxOutstandingFrames: p.MaxOutstandingFrames,
		MaxOutstandingBytes:  p.MaxOutstandingBytes,
		MaxReplayTimer:       p.MaxReplayTimer,
		MaxReplayCount:       p.MaxReplayCount,
		PCSLostTimeout:       p.PCSLostTimeout,
		DataAgeTimeout:       p.DataAgeTimeout,
		InitAction:           p.InitAction.String(),
		FlushAction:          p.FlushAction.String(),
		ReInitOnFlush:        p.ReInitOnFlush,
		CtlOSSpacingBytes:    p.CtlOSSpacingBytes,
	}
}
