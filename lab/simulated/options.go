package simulated

import (
	"time"

	"uelink/dataplane/fault"
	"uelink/dataplane/path"
	"uelink/llr"
	"uelink/wire"
)

// Options is the make-up of a bench.
type Options struct {
	Profile llr.Profile       // of both links
	Link    path.PortSettings // of both links
	Edge    path.PortSettings // of both edges
	MTU     int               // of the edges, octets
	Ring    int               // entries of each ring, a power of two
	Chunk   int               // octets, a power of two
	Speed   int               // of the links as their devices report it, Mb/s
	Wire    fault.Config      // of each direction
	Step    time.Duration     // time for a round with work
	Senders int               // ends with a link to B; with more than one B is a bridge. 0 counts as 1
	Drain   uint64            // most bits a second that leave by the edge of B; 0: no limit
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
		Link: path.PortSettings{
			Name: "link0", Role: path.RoleLink, FCS: true,
			EtherTypeData: wire.EtherTypeData, EtherTypeControl: wire.EtherTypeControl,
			LLR: path.LLRSettings{Mode: path.LLRStatic, Local: true, Remote: true, Profile: "default"},
		},
		Edge: path.PortSettings{Name: "edge0", Role: path.RoleEdge},
		MTU:  9216, Ring: 256, Chunk: 16384, Speed: 10_000, Step: time.Microsecond, Seed: 1,
	}
}
