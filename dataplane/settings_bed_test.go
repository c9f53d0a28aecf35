package dataplane

import (
	"time"

	"uelink/dataplane/model"
	"uelink/llr"
	"uelink/wire"
)

// linkAndEdge returns the settings of a link and an edge, with small rings, and the LLR profile "p" of the link.
func linkAndEdge() (lnk, edge model.PortSettings, p llr.Profile) {
	lnk = model.PortSettings{
		Name: "link0", Role: model.RoleLink, FCS: true, RingSize: 64,
		EtherTypeData: wire.EtherTypeData, EtherTypeControl: wire.EtherTypeControl,
		LLR: model.LLRSettings{Mode: model.LLRStatic, Local: true, Remote: true, Profile: "p"},
	}
	edge = model.PortSettings{Name: "edge0", Role: model.RoleEdge, RingSize: 64}
	return lnk, edge, llr.Profile{
		MaxOutstandingFrames: 256, MaxOutstandingBytes: 1 << 20, MaxReplayTimer: 2 * time.Millisecond,
		MaxReplayCount: llr.NoReplayLimit, InitAction: llr.Block, FlushAction: llr.Block,
		ReInitOnFlush: true, CtlOSSpacingBytes: 2048,
	}
}
