package model

// TrimmingState is a snapshot of packet trimming of all ports.
type TrimmingState struct {
	Settings TrimmingSettings
	Counters TrimCounters // includes removed ports
}
