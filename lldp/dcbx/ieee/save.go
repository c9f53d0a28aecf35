package ieee

import (
	"uelink/internal/snapshot"
	"uelink/lldp/dcbx"
)

// PassState saves to snapshot s, or restores from it, the exchange of a port: the peer's TLVs and the counters. The
// configuration is not saved, because the owner sets it.
func (p *Port) PassState(s *snapshot.State) {
	s.Bool("running", &p.running)
	snapshot.Numbers(s, "mac", p.mac[:])
	s.Struct("remote", &p.remote)
	snapshot.Numbers(s, "remote_mac", p.remoteMAC[:])
	snapshot.Text(s, "peer", &p.peer)
	snapshot.Text(s, "lost", &p.lost)
	snapshot.Text(s, "fault", &p.fault)
	s.Struct("counters", &p.count)
	if s.Restoring() {
		if p.peer == "" {
			p.peer, p.lost = dcbx.PeerUnknown, dcbx.ReasonOff // the snapshot is of a version without this dialect
		}
		p.outcome = p.decide()
	}
}
