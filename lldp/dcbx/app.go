package dcbx

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Selectors of the protocol of an AppEntry.
const (
	SelectorEtherType = 0
	SelectorPort      = 1 // a TCP or UDP port
)

// appEntryLen is the number of octets of an entry in the Application sub-TLV.
const appEntryLen = 6

// MaxAppEntries is the number of entries that fit into a TLV beside control, PG and PFC.
// Clauses: DCBX/feature-tlv.3.
const MaxAppEntries = (MaxPayload - 2 - controlLen - (2 + headerLen + pgLen) - (2 + headerLen + 2) - (2 +
	headerLen)) / appEntryLen

// AppEntry maps one protocol to priorities.
type AppEntry struct {
	Protocol   uint16 `json:"protocol"`   // EtherType, or number of a TCP or UDP port
	OUI        uint32 `json:"oui"`        // 24 bits; the format drops bits 17 and 16
	Selector   uint8  `json:"selector"`   // 2 bits
	Priorities uint8  `json:"priorities"` // bit i is priority i
}

// App is the Application feature of DCBX specification 1.01. Specification 1.0 does not define the feature, but every
// peer in the field sends its sub-TLV. App is shown, and sent if configured; the data plane does not use it.
type App struct {
	Entries []AppEntry `json:"entries"`
}

// appendBody appends the parameters of the Application sub-TLV, 6 octets for each entry. Octet 3 holds the six
// high bits of the OUI; the selector replaces the two bits after them.
func (c App) appendBody(b []byte) []byte {
	for _, e := range c.Entries {
		b = binary.BigEndian.AppendUint16(b, e.Protocol)
		b = append(b, uint8(e.OUI>>16)&^3|e.Selector&3)
		b = append(binary.BigEndian.AppendUint16(b, uint16(e.OUI)), e.Priorities)
	}
	return b
}

// decodeApp reads the parameters of an Application sub-TLV, the octets after its feature header; false if they are
// malformed.
func decodeApp(body []byte) (App, bool) {
	if len(body)%appEntryLen != 0 {
		return App{}, false
	}
	c := App{Entries: make([]AppEntry, 0, len(body)/appEntryLen)}
	for e := range slices.Chunk(body, appEntryLen) {
		c.Entries = append(c.Entries, AppEntry{
			Protocol:   binary.BigEndian.Uint16(e),
			OUI:        uint32(e[2]&^3)<<16 | uint32(binary.BigEndian.Uint16(e[3:])),
			Selector:   e[2] & 3,
			Priorities: e[5],
		})
	}
	return c, true
}

func (c App) equal(other App) bool { return slices.Equal(c.Entries, other.Entries) }

// compatible returns true: DCBX does not compare the priorities of protocols.
func (c App) compatible(App) bool { return true }

func (c App) usable() bool     { return true }
func (c App) adopted(App) App  { return c }
func (c App) withoutPeer() App { return c }

// validate returns an error that names the mistake in a local Application configuration.
func (c App) validate() error {
	if n := len(c.Entries); n > MaxAppEntries {
		return &ConfigError{FeatureApp, "entries", fmt.Sprintf("%d entries do not fit into the TLV, %d do", n, MaxAppEntries)}
	}
	for i, e := range c.Entries {
		switch {
		case e.Selector > SelectorPort:
			return &ConfigError{FeatureApp, "selector", fmt.Sprintf("entry %d: selector %d is not valid: use %d "+
				"(EtherType) or %d (port)", i, e.Selector, SelectorEtherType, SelectorPort)}
		case e.OUI>>24 != 0 || e.OUI>>16&3 != 0:
			return &ConfigError{FeatureApp, "oui", fmt.Sprintf("entry %d: %06x is not an OUI that the format can hold", i,
				e.OUI)}
		}
	}
	return nil
}
