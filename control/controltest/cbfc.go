package controltest

import (
	"fmt"
	"slices"

	"uelink/cbfc"
	"uelink/dataplane/model"
	"uelink/dataplane/path"
	"uelink/dataplane/qos"
	"uelink/dataplane/sched"
	"uelink/wire/uet"
)

// SetVC records the call. It returns an error if the port has no CBFC or not that channel.
func (b *Backend) SetVC(port string, vc int, lossless bool) error {
	b.mu.Lock()
	i := slices.IndexFunc(b.ports, func(p model.PortState) bool { return p.Name == port })
	var refused error
	switch {
	case i < 0 || b.ports[i].LLR == nil:
	case b.ports[i].CBFC == nil:
		refused = fmt.Errorf("%s: %w", port, path.ErrNoCBFC)
	case vc >= b.ports[i].VCs:
		refused = fmt.Errorf("%s: VC %d: %w", port, vc, path.ErrNoVC)
	}
	b.mu.Unlock()
	if refused != nil {
		return refused
	}
	return b.change(port, fmt.Sprintf("SetVC %s %d %t", port, vc, lossless))
}

// addCBFC adds eight virtual channels to the state of a link: on one, a frame waits for credits; another failed to
// start; a third has credits in the receiving direction only.
func addCBFC(p *model.PortState) {
	size := cbfc.Size{Credit: 256, Overhead: 4}
	p.VCs = 8
	p.Credits = &model.CreditState{
		Settings: cbfc.Settings{
			On: true, Size: size, Lossless: 0b1010, CCTimer: 10_000_000, CFMinSpacing: 6400, CFMaxSpacing: 262144,
			Timeout: 1_000_000_000, Reset: true,
		},
		Dynamic: true, Differ: 1 << 5,
		Agreed: model.NegotiatedCBFC{On: true, VCs: 8, Lossless: 0b101010, Pool: 2048, Size: size},
	}
	p.CBFC = &cbfc.State{
		On: true, Partner: true, Size: size, Used: 512, Watermark: 513,
		Pool:     cbfc.PoolState{Size: 2000, Shared: 1800, Used: 700},
		Counters: cbfc.PortCounters{CCUpdateTx: 100, CFUpdateTx: 200, CCUpdateRx: 300, CFUpdateRx: 400},
		VCs: []cbfc.VCState{
			{
				VC: 1, Wanted: true, Phase: cbfc.Lossless, Profile: cbfc.Profile{Reserved: 200, Static: 312},
				Sender:   cbfc.SenderState{Consumed: 1000, Freed: 488, Used: 512, Limit: 512, Watermark: 512, Blocked: 1_234_567_890},
				Receiver: cbfc.ReceiverState{Enabled: true, Consumed: 77, Freed: 70, Held: 7, Limit: 512},
				Counters: cbfc.Counters{BlockedFrames: 42, BlockedTime: 5_000_000, Starts: 1, Timeouts: 1},
			},
			{
				VC: 3, Wanted: true, Failure: cbfc.NoAnswer, Retry: 4_000_000_000, Profile: cbfc.Profile{NoShared: true},
				Receiver: cbfc.ReceiverState{Limit: 128}, Counters: cbfc.Counters{Refused: 3},
			},
			{
				VC:       5,
				Receiver: cbfc.ReceiverState{Enabled: true, Consumed: 9, Freed: 9, Limit: 256},
				Counters: cbfc.Counters{Repaired: 12, Overruns: 1},
			},
		},
	}
}

// addQoS adds QoS maps to the state of a port.
func addQoS(p *model.PortState) {
	m := &p.QoS
	m.Trust = qos.TrustUET
	m.UET = [qos.UETKinds]uint8{
		qos.UETRequest: qos.ByDSCP, qos.UETAcknowledgement: 5, qos.UETControl: 5, qos.UETTrimmed: 4,
	}
	m.Classifier = uet.Classifier{Port: uet.DefaultPort, Protocol: uet.DefaultProtocol, Trimmed: 1<<16 | 1<<18}
	for i := range m.DSCP {
		m.DSCP[i] = uint8(i / 8)
	}
	for i := range m.Dot1pDEI {
		m.Dot1pDEI[i] = uint8(i / 2)
	}
	m.Dot1pDEI[5<<1|1] = 7
	for i := range uint8(qos.EdgeQueues) {
		m.Queue[i] = i
	}
	p.Scheduler = sched.Settings{Rate: 2_500_000_000, Burst: 312500}
	p.Scheduler.Queues[3].Weight = 3
	p.Scheduler.Queues[5].Group = 1
}
