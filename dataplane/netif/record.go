package netif

import (
	"encoding/json"
	"errors"
	"fmt"

	"uelink/bpf"
)

// recordVersion is the version of the layout of a record file. A file of another version is not read.
const recordVersion = 1

// record is the content of a record file: the changes of one interface.
type record struct {
	Version   int      `json:"version"`
	Process   int      `json:"process"` // number of the process that made the changes, as information for people
	Interface Identity `json:"changed"`
	MTU       *mtu     `json:"mtu,omitempty"`
	Offloads  []string `json:"offloads,omitempty"`      // offloads that this process has switched off
	Peer      []string `json:"peer_offloads,omitempty"` // offloads of the other end of a veth that were switched off

	GRO bool `json:"gro,omitempty"` // GRO was off, and this process has switched GRO on

	Guard   bool        `json:"guard,omitempty"`    // a program of tc drops what reaches the network stack
	GuardID bpf.GuardID `json:"guard_id,omitempty"` // number of the program, if TCX has attached it

	Down bool `json:"down,omitempty"` // the interface was up, and this process has set it down
	Up   bool `json:"up,omitempty"`   // the interface was down, and this process has set it up

	PeerQdisc    bool `json:"peer_qdisc,omitempty"`        // the other end of a veth got a queueing discipline
	PeerSegments *mtu `json:"peer_gso_max_segs,omitempty"` // gso_max_segs of the other end of a veth
}

// mtu is a change of an MTU, or of another number.
type mtu struct {
	Before int `json:"before"`
	Set    int `json:"set"`
}

// changed returns the record of an MTU change that follows an earlier change m; nil: no earlier change. The value
// before the first change is kept, unless somebody else has set another value in between.
func (m *mtu) changed(before, set int) *mtu {
	if m != nil && m.Set == before {
		before = m.Before
	}
	return &mtu{before, set}
}

// empty reports whether nothing has to be restored.
func (r *record) empty() bool {
	return r.MTU == nil && len(r.Offloads) == 0 && len(r.Peer) == 0 && !r.PeerQdisc && r.PeerSegments == nil && !r.Down &&
		!r.Up && !r.Guard && !r.GRO
}

// inherit takes over the changes of a record of the same interface.
func (r *record) inherit(old *record) {
	r.MTU, r.Offloads, r.Peer = old.MTU, old.Offloads, old.Peer
	r.PeerQdisc, r.PeerSegments, r.Down, r.Up = old.PeerQdisc, old.PeerSegments, old.Down, old.Up
	r.Guard, r.GuardID, r.GRO = old.Guard, old.GuardID, old.GRO
}

// text returns the record as JSON, the format of its file.
func (r *record) text() ([]byte, error) { return json.Marshal(r) }

// parseRecord parses the record file of the given name, and checks everything in it that is relied upon.
func parseRecord(name string, text []byte) (*record, error) {
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("the file is damaged, or no record: %w", err)
	}
	switch i := r.Interface; {
	case r.Version != recordVersion:
		return nil, fmt.Errorf("the record has version %d, want %d", r.Version, recordVersion)
	case i.Boot == "", i.Namespace == "", i.Index <= 0:
		return nil, errors.New("the record names no interface")
	case i.file() != name:
		return nil, fmt.Errorf("the record is of another interface, whose record belongs in the file %s", i.file())
	case r.MTU != nil && (r.MTU.Before <= 0 || r.MTU.Set <= 0):
		return nil, fmt.Errorf("the record has an MTU of %d before and %d after the change: want both above 0",
			r.MTU.Before, r.MTU.Set)
	case r.PeerSegments != nil && (r.PeerSegments.Before <= 0 || r.PeerSegments.Set <= 0):
		return nil, fmt.Errorf("the record has a gso_max_segs of %d before and %d after the change: want both above 0",
			r.PeerSegments.Before, r.PeerSegments.Set)
	}
	return &r, nil
}
