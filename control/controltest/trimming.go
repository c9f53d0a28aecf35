package controltest

import (
	"uelink/dataplane/model"
	"uelink/dataplane/trim"
)

// Trimming returns the state of packet trimming of NewBridged.
func (b *Backend) Trimming() model.TrimmingState {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.trimming
}

// trimming returns the packet trimming state of a switch whose port edge0 trims. Removed ports have trimmed
// frames, too.
func trimming() model.TrimmingState {
	return model.TrimmingState{
		Settings: model.TrimmingSettings{Class: 5, Settings: trim.Settings{
			Size: 256, Trimmable: trim.DSCPs(0).Including(8).Including(10), Control: trim.DSCPs(0).Including(46), DSCP: 16,
			RewriteIP: true, UDPPort: trim.DefaultUDPPort, Protocol: trim.DefaultProtocol,
		}},
		Counters: model.TrimCounters{TrimPackets: 54321, TxTrimPackets: 54000, DroppedTrimPackets: 321},
	}
}

// addTrimming adds two queues that trim, with their counters, to the state of a port.
func addTrimming(p *model.PortState) {
	counted := model.TrimCounters{TrimPackets: 4321, TxTrimPackets: 4300, DroppedTrimPackets: 21}
	p.Trimming = model.PortTrimming{Queues: 0b1001, DSCP: 18}
	p.Counters.TrimCounters = counted
	p.QueueStats = []model.QueueState{
		{Queue: 3, QueueCounters: model.QueueCounters{TxFrames: 1234567, Dropped: 5000, TrimCounters: counted}},
		{Queue: 5, QueuedFrames: 2, QueueCounters: model.QueueCounters{TxFrames: 4300}},
	}
}
