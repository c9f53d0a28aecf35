package controltest

import (
	"fmt"
	"time"

	"uelink/dataplane/model"
	"uelink/hippi"
	"uelink/wire"
)

// HIPPIPort returns a link port that speaks HIPPI-6400-PH and was shut down once.
func HIPPIPort() model.PortState {
	h := &model.HIPPIState{
		LinkState: hippi.Normal.String(), Ready: true, Activity: true, FCS: true, PartnerMAC: model.Address{2, 0, 0, 0, 0, 2},
		Outstanding: 17, LoopTime: 41 * time.Microsecond,
		Timeouts: model.HIPPITimeouts{
			ACK: time.Millisecond, Activity: time.Millisecond, Silence: 500 * time.Millisecond, Credit: 30 * time.Second,
			HoldOff: 10 * time.Second, DeadMan: 500 * time.Millisecond, Stall: 20 * time.Second, Recover: 5 * time.Second,
			Retries: 100,
		},
		Events:   model.HIPPIEvents{RetryCount: 7, RSEQMissingError: 7, RetryFailureError: 1, LCRCError: 2},
		Counters: hippi.Counters{TxMicropackets: 1234567, TxMessages: 98765, RxMessages: 87654, TxLostAtReset: 3, Shutdowns: 1},
		Frames:   model.HIPPICounters{TxMicropacketFrames: 45678, RxMicropacketFrames: 44444},
	}
	for vc := range hippi.VCs {
		h.Channels = append(h.Channels, model.HIPPIChannel{VC: vc, Credits: 255, Buffer: 255, FreeChunks: 128})
	}
	h.Channels[1].Credits, h.Channels[1].Leaving, h.Channels[1].CreditTimeoutError = 0, true, 1
	return model.PortState{
		Name: "link2", Interface: "eth3", Role: model.RoleLink, Protocol: model.HIPPI6400, OperStatus: model.OperUp,
		MTU: 1500,
		MAC: wire.MAC{2, 0, 0, 0, 0, 3}, Queues: 1, RingSize: 512, RxRingSize: 512, ChunkSize: 2048, XConnect: "edge2",
		VCs: hippi.VCs, HIPPI: h,
	}
}

// HIPPICommand records that it was called for a port, and changes nothing.
func (b *Backend) HIPPICommand(port string, c hippi.Command) error {
	return b.record(port, false, fmt.Sprintf("HIPPICommand %s %d", port, c))
}

// HIPPIAdmin records that it was called for a port, and changes nothing.
func (b *Backend) HIPPIAdmin(port string, vc uint8, data model.AdminData) error {
	return b.record(port, false, fmt.Sprintf("HIPPIAdmin %s %d %x", port, vc, data))
}
