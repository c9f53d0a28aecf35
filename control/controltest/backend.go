// Package controltest provides a data plane and LLDP agents that are only state, for tests of the API, the tool and
// the metrics.
package controltest

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"uelink/dataplane"
	"uelink/dataplane/attach"
	"uelink/dataplane/frame"
	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

// Backend is a control.Backend in memory. The zero value has no ports.
type Backend struct {
	hub[model.Event]

	mu       sync.Mutex
	ports    []model.PortState
	profiles map[string]llr.Profile
	bridges  []model.BridgeState
	fdb      []model.FDBEntry
	trimming model.TrimmingState
	calls    []string
	failure  error
	watched  *Watched
	traced   bool
}

// New returns a backend, a data plane for tests that only has state, with ports and LLR profiles.
func New(ports []model.PortState, profiles map[string]llr.Profile) *Backend {
	return &Backend{ports: ports, profiles: profiles}
}

// Fail makes the backend's methods that return an error return err from now on. With nil, calls succeed again.
func (b *Backend) Fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failure = err
}

// Calls returns the recorded calls that change something, as "SetLLRLocal link0 true".
func (b *Backend) Calls() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.calls)
}

// Ports returns the states of the ports given to New.
func (b *Backend) Ports() []model.PortState {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.ports)
}

// Workers returns two workers that have run for a while.
func (b *Backend) Workers() []model.WorkerState {
	return []model.WorkerState{{Worker: 0, CPU: 90 * time.Second}, {Worker: 1, CPU: time.Second}}
}

// Profiles returns the LLR profiles given to New.
func (b *Backend) Profiles() map[string]llr.Profile { return maps.Clone(b.profiles) }

// SetLLRLocal records that it was called for a link port, and changes nothing.
func (b *Backend) SetLLRLocal(port string, on bool) error {
	return b.change(port, fmt.Sprintf("SetLLRLocal %s %t", port, on))
}

// SetLLRRemote records that it was called for a link port, and changes nothing.
func (b *Backend) SetLLRRemote(port string, on bool) error {
	return b.change(port, fmt.Sprintf("SetLLRRemote %s %t", port, on))
}

// ReinitLLR records that it was called for a link port, and changes nothing.
func (b *Backend) ReinitLLR(port string) error { return b.change(port, "ReinitLLR "+port) }

// ClearCounters records that it was called for a port, and changes nothing.
func (b *Backend) ClearCounters(port string) error {
	return b.record(port, false, "ClearCounters "+port)
}

// change records the call of a method for a link port; for another port it returns an error.
func (b *Backend) change(port, call string) error { return b.record(port, true, call) }

// record records a call for a port; "" is every port. It refuses an unknown port and, with link, a port without LLR.
// After Fail, it records nothing and returns the error given to Fail.
func (b *Backend) record(port string, link bool, call string) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.failure != nil {
		return b.failure
	}
	i := slices.IndexFunc(b.ports, func(p model.PortState) bool { return p.Name == port })
	switch {
	case port != "" && i < 0:
		return fmt.Errorf("port %s: %w", port, dataplane.ErrNoPort)
	case link && b.ports[i].LLR == nil:
		return fmt.Errorf("port %s: %w", port, dataplane.ErrNotLink)
	}
	b.calls = append(b.calls, call)
	return nil
}

// Ports returns a link port in ADVANCE, a flushed link port, and an edge port, not in the order of their names.
func Ports() []model.PortState {
	ports := []model.PortState{link1(), edge0(), link0()}
	addQoS(&ports[1])
	addCBFC(&ports[2])
	return ports
}

// Profiles returns two LLR profiles by name, for tests.
func Profiles() map[string]llr.Profile {
	return map[string]llr.Profile{
		"default": {
			MaxOutstandingFrames: 4096, MaxOutstandingBytes: 8 << 20, MaxReplayTimer: 2 * time.Millisecond,
			MaxReplayCount: 8, HoldTimeout: 2 * time.Second, InitAction: llr.BestEffort, FlushAction: llr.BestEffort,
			ReInitOnFlush: true, CtlOSSpacingBytes: 2048,
		},
		"careful": {
			MaxOutstandingFrames: 264, MaxOutstandingBytes: 135000, MaxReplayTimer: 500 * time.Microsecond,
			MaxReplayCount: llr.NoReplayLimit, PCSLostTimeout: 50 * time.Millisecond, DataAgeTimeout: time.Second,
			InitAction: llr.Block, FlushAction: llr.Discard, CtlOSSpacingBytes: 400,
		},
	}
}

// link0 returns a link in ADVANCE whose partner is known.
func link0() model.PortState {
	return model.PortState{
		Name: "link0", Interface: "eth1", Role: model.RoleLink, OperStatus: model.OperUp, MTU: 1514, Speed: 10_000,
		MAC: wire.MAC{2, 0, 0, 0, 0, 1}, Queues: 1, RingSize: 512, RxRingSize: 512, ChunkSize: 4096, XConnect: "edge0", QueuedFrames: 5,
		Counters: model.PortCounters{
			RxFrames: 1234567, RxOctets: 1851850500, TxFrames: 7654321, TxOctets: 11481481500, TxControl: 4242,
		},
		QueueStats: []model.QueueState{
			{Queue: 0, QueueCounters: model.QueueCounters{TxFrames: 7650000, Dropped: 17}},
			{Queue: 5, QueuedFrames: 5, Occupancy: 7012, Watermark: 64_123, Bound: 65_536,
				QueueCounters: model.QueueCounters{TxFrames: 79}},
		},
		Sockets: &model.SocketState{
			XDPMode: attach.ModeDriver, BindMode: attach.BindCopy, Opener: attach.OpenerNative, TxPath: attach.PathLive,
			Reason: "the driver has no zero copy", Stats: frame.Stats{RxDropped: 3}, RxQueues: []int{0},
		},
		LLR: &model.LLRState{
			Mode: model.LLRStatic, Local: true, Remote: true, Profile: "default", FCS: true,
			TxStatus: llr.TxAdvance, RxStatus: llr.RxSendAcks, PartnerKnown: true, PartnerMAC: model.Address{2, 0, 0, 0, 0, 2},
			Encapsulation: model.Addressed, Sends: model.Addressed, OtherStation: model.Address{2, 0, 0, 0, 0, 9},
			OutstandingFrames: 12, OutstandingBytes: 18000,
			LoopTime: &llr.LoopTime{Min: 21_500, P50: 40_959, P99: 122_879, Max: 1_179_647},
			TxSeq:    79_823, RxNextSeq: 17_202,
			StateTimes: llr.StateTimes{TxOffTime: 1_100_000, TxInitTime: 42_000, TxAdvanceTime: 61 * time.Second,
				TxReplayTime: 3_100_000, RxSendAcksTime: 60 * time.Second, RxSendNackTime: 71_000, RxNackSentTime: 812_000},
			TxAckSpacing:                 &llr.Spacing{Min: 2_300, P50: 11_263, P99: 98_303, Max: 1_179_647},
			RecommendedOutstandingFrames: 675, RecommendedReplayTimer: 600 * time.Microsecond, RecommendedCreditLimit: 717,

			MaxOutstandingFrames: 4096, MaxReplayTimer: 2 * time.Millisecond,
			ReplayTimer: 6 * time.Millisecond, ReplayTimerReason: string(llr.TimerSlow),
			Replay: llr.Auto, ReplayTx: llr.Selective, ReplayRx: llr.Selective, KeptFrames: 3, RecommendedReplay: llr.Auto,
			Counters: llr.Counters{
				TxOK: 7650079, RxOK: 1230325, RxExpectedSeqGood: 1230325, TxReplay: 17, RxInitCtlOS: 1, TxInitCtlOS: 1,
			},
		},
	}
}

// link1 returns a link that has given up (FLUSH) and whose partner is silent.
func link1() model.PortState {
	const lost = "1514 octets from 02:00:00:00:00:21 to 02:00:00:00:00:22"
	return model.PortState{
		Name: "link1", Interface: "eth2", Role: model.RoleLink, OperStatus: model.OperDown, MTU: 1514,
		MAC: wire.MAC{2, 0, 0, 0, 0, 0x11}, Queues: 2, RingSize: 512, RxRingSize: 512, ChunkSize: 4096,
		ErrorStatus:          []model.ErrorStatus{model.ErrorLLRTxFlush},
		ErrorText:            "llr_tx_flush: replay count: a frame of " + lost + " was not acknowledged",
		PartnerProblemReason: "silent",
		Sockets: &model.SocketState{
			XDPMode: attach.ModeGeneric, BindMode: attach.BindCopy, Opener: attach.OpenerAsavie, TxPath: attach.PathAFXDP,
			TxWhy:    "opener: asavie",
			RxQueues: []int{1, 3}, TxQueue: 3, NoSocket: []int{0},
		},
		LLR: &model.LLRState{
			Mode: model.LLRStatic, Remote: true, Profile: "careful", Dialect: wire.DialectUE1, TxStatus: llr.TxFlush,
			MaxOutstandingFrames: 264, MaxReplayTimer: 500 * time.Microsecond,
			ReplayTimer: 500 * time.Microsecond, ReplayTimerReason: string(llr.TimerConfigured),
			ReplayReason: string(llr.ReplayConfigured), RecommendedReplay: llr.Selective, GoBackNGoodput: 0.625,
			SelectiveGoodput: 0.96875,
			FlushReason:      "replay count", FlushFrame: lost, PartnerProblem: "silent", PartnerBusy: true, PartnerAway: true,
			Counters: llr.Counters{TxFlush: 1, TxFlushedFrames: 264},
		},
	}
}

// edge0 returns an edge that takes no frames.
func edge0() model.PortState {
	return model.PortState{
		Name: "edge0", Interface: "veth1", Role: model.RoleEdge, OperStatus: model.OperUp, MTU: 1500,
		MAC: wire.MAC{2, 0, 0, 0, 0, 3}, Queues: 1, RingSize: 512, RxRingSize: 4096, ChunkSize: 4096, XConnect: "link0", StandsStill: true,
		Counters: model.PortCounters{RxFrames: 7654321, TxFrames: 1234567, RxRunt: 2},
		Sockets: &model.SocketState{
			XDPMode: attach.ModeDriver, BindMode: attach.BindCopy, Opener: attach.OpenerAsavie, RxQueues: []int{0},
			TxPath: attach.PathAFXDP,
		},
	}
}

// SavedStates returns an empty state of the first port.
func (b *Backend) SavedStates() (list []dataplane.SavedState) {
	for _, p := range b.Ports()[:min(1, len(b.Ports()))] {
		list = append(list, dataplane.SavedState{Port: p.Name, Text: "uelink-state 1 port\nend 20 00000000\n"})
	}
	return list
}
