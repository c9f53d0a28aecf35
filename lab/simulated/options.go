package simulated

import (
	"time"

	"uelink/dataplane/fault"
	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

// Options is the make-up of a bench.
type Options struct {
	Profile llr.Profile        // LLR profile of all links
	Link    model.PortSettings // settings of all links
	Edge    model.PortSettings // settings of all edges
	MTU     int                // MTU of the edges, octets
	Ring    int                // entries of each ring, a power of two
	Chunk   int                // octets of a chunk, a power of two
	Speed   int                // speed of the links as their devices report it, Mb/s
	Wire    fault.Config       // faults and delay of each direction of a wire
	Step    time.Duration      // how far the clock moves in a round with work
	Senders int                // number of ends with a link to B; 0 counts as 1. With more than one, B is a bridge
	Drain   uint64             // limit of the bits a second that leave by the edge of B; 0: no limit
	Seed    uint64
}

// Defaults returns the options of two ends with LLR on at both, over a good wire without delay or limit, for frames
// of 64 to 9234 octets with FCS.
func Defaults() Options {
	return Options{
		Profile: llr.Profile{
			MaxOutstandingFrames: 512, MaxOutstandingBytes: 8 << 20,
			MaxReplayTimer: 2 * time.Millisecond, MaxReplayCount: 100,
			InitAction: llr.Block, FlushAction: llr.Block, ReInitOnFlush: true, CtlOSSpacingBytes: 2048,
		},
		Link: model.PortSettings{
			Name: "link0", Role: model.RoleLink, FCS: true,
			EtherTypeData: wire.EtherTypeData, EtherTypeControl: wire.EtherTypeControl,
			LLR: model.LLRSettings{Mode: model.LLRStatic, Local: true, Remote: true, Profile: "default"},
		},
		Edge: model.PortSettings{Name: "edge0", Role: model.RoleEdge},
		MTU:  9216, Ring: 256, Chunk: 16384, Speed: 10_000, Step: time.Microsecond, Seed: 1,
	}
}
