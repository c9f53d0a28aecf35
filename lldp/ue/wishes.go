package ue

import (
	"uelink/lldp"
	"uelink/wire"
)

// SubtypeWishes is a private TLV under the OUI of the UE TLVs, by which two uelinkd know each other and each other's
// wishes for DCBX, on ports of any role. A station that does not know the TLV ignores it.
const SubtypeWishes uint8 = 129

// wishesVersion is the version sent. A later version may add octets and use reserved bits; the fields of this version
// keep their places.
const (
	wishesVersion = 1
	wishesLen     = 3 // after OUI and subtype
)

// Flags of the TLV of wishes, one for each field of Wishes with the same name.
const (
	flagDCBX    = 0x80
	flagPFC     = 0x40
	flagWilling = 0x20
	flagAsks    = 0x10
)

// Wishes are the settings of DCBX in the configuration of a port, also while DCBX is off. The TLVs of DCBX do not show
// them: an end that has given way to its peer sends the values of the peer.
type Wishes struct {
	DCBX       bool  `json:"dcbx"`       // DCBX is on
	PFC        bool  `json:"pfc"`        // PFC takes part in the exchange: it is enabled and advertised
	Willing    bool  `json:"willing"`    // PFC adopts the settings of a peer that is not willing
	Asks       bool  `json:"asks"`       // the configuration asks for PFC: for its priorities, or for those that result from the exchange
	Priorities uint8 `json:"priorities"` // PFC of this configuration: bit i is priority i
}

// Append appends the content of the TLV of wishes, the octets after OUI and subtype: version, flags, priorities.
func (w Wishes) Append(b []byte) []byte {
	flags := byte(0)
	set := func(flag byte, on bool) {
		if on {
			flags |= flag
		}
	}
	set(flagDCBX, w.DCBX)
	set(flagPFC, w.PFC)
	set(flagWilling, w.Willing)
	set(flagAsks, w.Asks)
	return append(b, wishesVersion, flags, w.Priorities)
}

// ParseWishes decodes a TLV of wishes from the octets after OUI and subtype.
func ParseWishes(info []byte) (Wishes, Fault) {
	if len(info) < wishesLen {
		return Wishes{}, FaultShort
	}
	if info[0] < wishesVersion {
		return Wishes{}, FaultVersion
	}
	flags := info[1]
	return Wishes{DCBX: flags&flagDCBX != 0, PFC: flags&flagPFC != 0, Willing: flags&flagWilling != 0,
		Asks: flags&flagAsks != 0, Priorities: info[2]}, NoFault
}

// Announcer sends the wishes of a port, and counts the UE TLVs of neighbours that are of no use. It is an
// lldp.Provider.
type Announcer struct {
	codec  Codec
	own    Wishes
	faulty uint64
	buf    []byte // scratch of AppendTLVs
}

// NewAnnouncer returns the announcer of a port with these wishes; c has the OUI of the UE TLVs.
func NewAnnouncer(c Codec, own Wishes) *Announcer { return &Announcer{codec: c, own: own} }

// SetOwn replaces the wishes. It reports whether they have changed, so that an LLDPDU must be sent.
func (a *Announcer) SetOwn(own Wishes) (localChange bool) {
	changed := own != a.own
	a.own = own
	return changed
}

// Own returns the wishes of the port.
func (a *Announcer) Own() Wishes { return a.own }

// Faulty returns the counter of received UE TLVs that were of no use: too short, repeated, or with values out of range.
func (a *Announcer) Faulty() *uint64 { return &a.faulty }

// FindWishes returns the wishes in a neighbour's TLVs; ok is false without the TLV, or if it is of no use.
func (a *Announcer) FindWishes(list []lldp.Org) (w Wishes, ok bool) {
	found := a.codec.Parse(list)
	return found.Wishes, found.HasWishes
}

// Recognizes reports whether a TLV is the TLV of wishes; it implements lldp.Provider.
func (a *Announcer) Recognizes(oui lldp.OUI, subtype uint8) bool {
	return oui == a.codec.OUI && subtype == SubtypeWishes
}

// PortChanged implements lldp.Provider. The TLV does not depend on the state of the port.
func (a *Announcer) PortChanged(lldp.PortStatus, wire.Time) bool { return false }

// AppendTLVs appends the TLV of wishes; it implements lldp.Provider.
func (a *Announcer) AppendTLVs(list []lldp.Org) []lldp.Org {
	list, a.buf = a.codec.Append(list, Advertisement{HasWishes: true, Wishes: a.own}, a.buf[:0])
	return list
}

// NeighborSeen counts the UE TLVs of an LLDPDU that are of no use; it implements lldp.Provider.
func (a *Announcer) NeighborSeen(s lldp.Sighting, _ wire.Time) bool {
	if s.Gone == lldp.NotGone {
		found := a.codec.Parse(s.Subject.Org)
		for _, fault := range []Fault{found.LinkFault, found.CBFCFault, found.CreditSizeFault, found.WishesFault} {
			if fault != NoFault {
				a.faulty++
			}
		}
	}
	return false
}
