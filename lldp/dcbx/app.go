package dcbx

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// Selectors say what the protocol of an AppEntry is.
const (
	SelectorEtherType = 0
	SelectorPort      = 1 // a TCP or UDP port
)

const appEntryLen = 6

// MaxAppEntries is what fits into a TLV beside control, PG and PFC.
const MaxAppEntries = (MaxPayload - 2 - controlLen - (2 + headerLen + pgLen) - (2 + headerLen + 2) - (2 +
	headerLen)) / appEntryLen

// AppEntry maps one protocol to priorities.
type AppEntry struct {
	Protocol   uint16 `json:"protocol"`   // EtherType or port
	OUI        uint32 `json:"oui"`        // 24 bits, of which the format drops the bits 17 and 16
	Selector   uint8  `json:"selector"`   // 2 bits
	Priorities uint8  `json:"priorities"` // bit i is priority i
}

// App is the Application feature of specification 1.01. The seed does not have
// it, every peer in the field sends it. It is shown, and sent if configured;
// nothing in the data plane operates by it.
type App struct {
	Entries []AppEntry `json:"entries"`
}

// appendBody appends 6 octets an entry. The second 16 bits begin with the six
// high bits of the OUI; the selector takes the place of the two after them.
func (c App) appendBody(b []byte) []byte {
	for _, e := range c.Entries {
		b = binary.BigEndian.AppendUint16(b, e.Protocol)
		b = append(b, uint8(e.OUI>>16)&^3|e.Selector&3)
		b = append(binary.BigEndian.AppendUint16(b, uint16(e.OUI)), e.Priorities)
	}
	return b
}

// decodeApp reads what follows the feature header.
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

// compatible: whom a protocol's priority suits is not for DCBX to judge.
func (c App) compatible(App) bool { return true }

func (c App) usable() bool     { return true }
func (c App) adopted(App) App  { return c }
func (c App) withoutPeer() App { return c }

// validate judges a configuration of our own.
func (c App) validate() error {
	if n := len(c.Entries); n > MaxAppEntries {
		return &ConfigError{FeatureApp, "entries", fmt.Sprintf("%d entries do not fit into the TLV, %d do", n, MaxAppEntries)}
	}
	for i, e := range c.Entries {
		switch {
		case e.Selector > SelectorPort:
			return &ConfigError{FeatureApp, "selector", fmt.Sprintf("entry %d: selectors are %d and %d, not %d", i,
				SelectorEtherType, SelectorPort, e.Selector)}
		case e.OUI>>24 != 0 || e.OUI>>16&3 != 0:
			return &ConfigError{FeatureApp, "oui", fmt.Sprintf("entry %d: %06x is not an OUI that the format can hold", i,
				e.OUI)}
		}
	}
	return nil
}
