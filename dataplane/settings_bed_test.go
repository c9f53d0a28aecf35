package dataplane

import (
	"time"

	"uelink/dataplane/path"
	"uelink/llr"
	"uelink/wire"
)

// linkAndEdge returns the settings of a link and an edge, with small rings, and the LLR profile "p" of the link.
func linkAndEdge() (lnk, edge path.PortSettings, p llr.Profile) {
	lnk = path.PortSettings{
		Name: "link0", Role: path.RoleLink, FCS: true, RingSize: 64,
		EtherTypeData: wire.EtherTypeData, EtherTypeControl: wire.EtherTypeControl,
		LLR: path.LLRSettings{Mode: path.LLRStatic, Local: true, Remote: true, Profile: "p"},
	}
	edge = path.PortSettings{Name: "edge0", Role: path.RoleEdge, RingSize: 64}
	return lnk, edge, llr.Profile{
		MaxOutstandingFrames: 256, MaxOutstandingBytes: 1 << 20, MaxReplayTimer: 2 * time.Millisecond,
		MaxReplayCount: llr.NoReplayLimit, InitAction: llr.Block, FlushAction: llr.Block,
		ReInitOnFlush: true, CtlOSSpacingBytes: 2048,
	}
}
