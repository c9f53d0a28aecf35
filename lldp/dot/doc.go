// Package dot puts the organizationally specific TLVs of IEEE 802.1 and IEEE 802.3 into words, for
// display only.
package dot

import (
	"fmt"

	"uelink/lldp"
)

// The OUIs of the two standards.
var (
	OUI1 = lldp.OUI{0x00, 0x80, 0xC2} // IEEE 802.1Q, annex D
	OUI3 = lldp.OUI{0x00, 0x12, 0x0F} // IEEE 802.3, clause 79
)

// TLV is a TLV in words.
type TLV struct {
	Name string // a short name such as "MFS"
	Text string // the content
}

// reader puts the octets after OUI and subtype into words. least is the minimum number of octets
// for text.
type reader struct {
	name  string
	least int
	text  func(info []byte) string
}

// Words describes a TLV of IEEE 802.1 or 802.3 by a name and a text in words. ok is false for a TLV of another
// organization or of an unknown subtype.
func Words(o lldp.Org) (tlv TLV, ok bool) {
	var r reader
	switch o.OUI {
	case OUI1:
		r, ok = dot1[o.Subtype]
	case OUI3:
		r, ok = dot3[o.Subtype]
	}
	if !ok {
		return TLV{}, false
	}
	if len(o.Info) < r.least {
		return TLV{r.name, fmt.Sprintf("malformed: %d octets, not %d", len(o.Info), r.least)}, true
	}
	return TLV{r.name, r.text(o.Info)}, true
}

// The first and the last subtype of IEEE 802.1Qaz DCBX: ETS Configuration and Application Priority.
const (
	subtypeETS         = 9
	subtypeApplication = 12
)

// IsDCBX reports whether a TLV belongs to the IEEE version of DCBX (802.1Qaz).
func IsDCBX(oui lldp.OUI, subtype uint8) bool {
	return oui == OUI1 && subtype >= subtypeETS && subtype <= subtypeApplication
}

func yesNo(value bool) string {
	if value {
		return "yes"
	}
	return "no"
}
