package dot

import (
	"encoding/binary"
	"fmt"
	"strings"
)

// dot3 are the TLVs of IEEE 802.3, table 79-1, by subtype.
var dot3 = map[uint8]reader{
	1: {"MAC/PHY", 5, physical},
	2: {"Power", 3, power},
	3: {"LinkAgg", 5, linkAggregation},
	4: {"MFS", 2, frameSize},
	5: {"EEE", 10, efficiency},
}

func frameSize(info []byte) string { return fmt.Sprint(binary.BigEndian.Uint16(info)) }

// physical describes a MAC/PHY Configuration/Status TLV in words: auto-negotiation and the MAU type.
func physical(info []byte) string {
	text := fmt.Sprintf("autoneg supported: %s, enabled: %s", yesNo(info[0]&1 != 0), yesNo(info[0]&2 != 0))
	if list := advertised(binary.BigEndian.Uint16(info[1:])); list != "" {
		text += ", advertised: " + list
	}
	return text + ", MAU type: " + mau(binary.BigEndian.Uint16(info[3:]))
}

// autonegNames are ifMauAutoNegCapAdvertisedBits (RFC 4836) from the highest bit on.
var autonegNames = [16]string{"other", "10BASE-T", "10BASE-T FD", "100BASE-T4", "100BASE-TX", "100BASE-TX FD",
	"100BASE-T2", "100BASE-T2 FD", "PAUSE", "asymmetric PAUSE", "symmetric PAUSE", "asymmetric and symmetric PAUSE",
	"1000BASE-X", "1000BASE-X FD", "1000BASE-T", "1000BASE-T FD"}

// advertised returns the names of the speeds in a set of auto-negotiation, the most significant bit first.
func advertised(set uint16) string {
	var list []string
	for i, name := range autonegNames {
		if set<<i&0x8000 != 0 {
			list = append(list, name)
		}
	}
	return strings.Join(list, ", ")
}

// mauNames are the values of dot3MauType in use (RFC 4836 and its successors).
var mauNames = map[uint16]string{
	0: "other or unknown", 10: "10BASE-T", 11: "10BASE-T FD", 15: "100BASE-TX", 16: "100BASE-TX FD", 17: "100BASE-FX",
	18: "100BASE-FX FD", 21: "1000BASE-X", 22: "1000BASE-X FD", 23: "1000BASE-LX", 24: "1000BASE-LX FD", 25: "1000BASE-SX",
	26: "1000BASE-SX FD", 29: "1000BASE-T", 30: "1000BASE-T FD", 31: "10GBASE-X", 32: "10GBASE-LX4", 33: "10GBASE-R",
	34: "10GBASE-ER", 35: "10GBASE-LR", 36: "10GBASE-SR", 54: "10GBASE-T",
}

// mau returns the name of a MAU type by its number, or the number of an unknown type.
func mau(n uint16) string {
	if name, ok := mauNames[n]; ok {
		return name
	}
	return fmt.Sprint(n)
}

// power describes a Power via MDI TLV in words, with the requested and allocated power of Type 2 devices in tenths
// of a watt if present.
func power(info []byte) string {
	device := "PD"
	if info[0]&1 != 0 {
		device = "PSE"
	}
	text := fmt.Sprintf("%s, supported: %s, enabled: %s, class %d",
		device, yesNo(info[0]&2 != 0), yesNo(info[0]&4 != 0), max(info[2], 1)-1)
	if len(info) >= 8 {
		requested, allocated := binary.BigEndian.Uint16(info[4:]), binary.BigEndian.Uint16(info[6:])
		text += fmt.Sprintf(", requested %d.%d W, allocated %d.%d W", requested/10, requested%10, allocated/10, allocated%10)
	}
	return text
}

// efficiency describes an Energy-Efficient Ethernet TLV in words: the wake times.
func efficiency(info []byte) string {
	us := func(at int) uint16 { return binary.BigEndian.Uint16(info[at:]) }
	return fmt.Sprintf("microseconds from low power idle to the first frame: tx %d, rx %d, fallback rx %d, "+
		"echo tx %d, echo rx %d", us(0), us(2), us(4), us(6), us(8))
}
