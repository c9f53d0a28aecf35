package netif

import (
	"encoding/json"
	"errors"
	"fmt"
)

// recordVersion is of the layout. A file of another version is not read.
const recordVersion = 1

// record is what was changed on an interface, as its file has it.
type record struct {
	Version   int      `json:"version"`
	Process   int      `json:"process"` // that changed it, for people
	Interface Identity `json:"changed"`
	MTU       *mtu     `json:"mtu,omitempty"`
	Offloads  []string `json:"offloads,omitempty"`      // that were switched off
	Peer      []string `json:"peer_offloads,omitempty"` // the same, of the other end of a veth
}

// mtu is an MTU that was changed.
type mtu struct {
	Before int `json:"before"`
	Set    int `json:"set"`
}

// changed takes a change of the MTU in. Of several in a row the first value is kept,
// unless somebody else has set another in between.
func (m *mtu) changed(before, set int) *mtu {
	if m != nil && m.Set == before {
		before = m.Before
	}
	return &mtu{before, set}
}

// empty says that nothing has to be put back.
func (r *record) empty() bool { return r.MTU == nil && len(r.Offloads) == 0 && len(r.Peer) == 0 }

// text is the record as its file has it.
func (r *record) text() ([]byte, error) { return json.Marshal(r) }

// parseRecord reads a file of a name and checks all that is relied upon.
func parseRecord(name string, text []byte) (*record, error) {
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("it is damaged, or no record: %w", err)
	}
	switch i := r.Interface; {
	case r.Version != recordVersion:
		return nil, fmt.Errorf("it is a record of version %d, not %d", r.Version, recordVersion)
	case i.Boot == "", i.Namespace == "", i.Index <= 0:
		return nil, errors.New("it does not say which interface it is about")
	case i.file() != name:
		return nil, fmt.Errorf("it is about the interface of %s", i.file())
	case r.MTU != nil && (r.MTU.Before <= 0 || r.MTU.Set <= 0):
		return nil, fmt.Errorf("it has an MTU of %d that was set to %d", r.MTU.Before, r.MTU.Set)
	}
	return &r, nil
}
