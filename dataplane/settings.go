// Package dataplane gives the ports of the frame path (package path) their sockets, and keeps them in step with their
// interfaces and with the operator's settings.
package dataplane

import (
	"time"

	"uelink/dataplane/model"
	"uelink/llr"
)

// Settings is the whole configuration of the data plane. Package config has validated the values.
type Settings struct {
	Workers      int           // OS threads that own ports; links are spread over the threads, 0 = 1
	Spin         time.Duration // time a worker polls after its last work before a sleep
	RealTime     bool          // the workers may run in the classes SCHED_FIFO and SCHED_RR
	DrainTimeout time.Duration // most time that Drain waits for LLR to deliver its frames
	Profiles     map[string]llr.Profile
	Ports        []model.PortSettings
	XConnects    []XConnect
	Bridges      []BridgeSettings
	Trimming     model.TrimmingSettings `json:",omitzero"`
}

// XConnect ties one edge port to one link port.
type XConnect struct {
	Edge string
	Link string

	LinkLoss      model.LinkLoss `json:",omitempty"`
	LinkLossDelay time.Duration  `json:",omitempty"` // with LinkLossForward: time without carrier or partner
}
