package dot

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"

	"uelink/lldp"
)

// dot1 are the TLVs of IEEE 802.1Q, table D-1, by subtype.
var dot1 = map[uint8]reader{
	1:  {"PVID", 2, vlan},
	2:  {"PPVID", 3, protocolVLAN},
	3:  {"VLAN", 3, vlanName},
	4:  {"PI", 1, protocolIdentity},
	5:  {"VIDDigest", 4, hex.EncodeToString},
	6:  {"MgmtVID", 2, vlan},
	7:  {"LinkAgg", 5, linkAggregation},
	8:  {"CN", 2, congestion},
	9:  {"ETS", 21, etsConfiguration},
	10: {"ETSRec", 21, ets},
	11: {"PFC", 2, flowControl},
	12: {"APP", 1, application},
	13: {"EVB", 1, hex.EncodeToString},
	14: {"CDCP", 1, hex.EncodeToString},
	16: {"APPVLAN", 0, applicationVLAN},
}

// vlan returns the VLAN number in a TLV as text, "none" for 0.
func vlan(info []byte) string {
	if n := binary.BigEndian.Uint16(info); n != 0 {
		return fmt.Sprint(n)
	}
	return "none"
}

// protocolVLAN describes a Port And Protocol VLAN ID TLV.
func protocolVLAN(info []byte) string {
	return fmt.Sprintf("%s, supported: %s, enabled: %s", vlan(info[1:]), yesNo(info[0]&2 != 0), yesNo(info[0]&4 != 0))
}

// vlanName describes a VLAN Name TLV: number and name of a VLAN.
func vlanName(info []byte) string {
	name, whole := counted(info[2:])
	if !whole {
		return "malformed: the name is longer than the TLV"
	}
	return fmt.Sprintf("%s, name: %s", vlan(info), lldp.Text(name))
}

// protocolIdentity describes a Protocol Identity TLV: the first octets of the protocol's frames, in hexadecimal.
func protocolIdentity(info []byte) string {
	octets, whole := counted(info)
	if !whole {
		return "malformed: the identity is longer than the TLV"
	}
	return hex.EncodeToString(octets)
}

// counted returns the octets after the first octet of b, whose value is their number; whole is false if b is shorter
// than that.
func counted(b []byte) (octets []byte, whole bool) {
	n := int(b[0])
	if n > len(b)-1 {
		return nil, false
	}
	return b[1 : 1+n], true
}

// linkAggregation describes a Link Aggregation TLV in words, in the version of 802.1 or the older one of 802.3.
func linkAggregation(info []byte) string {
	return fmt.Sprintf("supported: %s, enabled: %s, port: %d",
		yesNo(info[0]&1 != 0), yesNo(info[0]&2 != 0), binary.BigEndian.Uint32(info[1:]))
}

// congestion describes a Congestion Notification TLV: the priorities, and those that are ready.
func congestion(info []byte) string {
	return fmt.Sprintf("priorities %s, ready %s", priorities(info[0]), priorities(info[1]))
}

// priorities returns the priorities in a bitmap as "3,4", or "none".
func priorities(set uint8) string {
	var list []string
	for i := range 8 {
		if set>>i&1 != 0 {
			list = append(list, fmt.Sprint(i))
		}
	}
	if list == nil {
		return "none"
	}
	return strings.Join(list, ",")
}

// etsConfiguration describes an ETS Configuration TLV (enhanced transmission selection, 802.1Qaz) in words.
func etsConfiguration(info []byte) string {
	most := info[0] & 7
	if most == 0 {
		most = 8
	}
	return fmt.Sprintf("willing: %s; %d TCs; %s", yesNo(info[0]&0x80 != 0), most, ets(info))
}

// ets describes in words the octets that an ETS Configuration and an ETS Recommendation TLV have in common, after
// their first octet.
func ets(info []byte) string {
	var classes, shares, algorithms []string
	for i := range 8 {
		classes = append(classes, fmt.Sprint(info[1+i/2]>>(4*(1-i%2))&0xF))
		shares = append(shares, fmt.Sprint(info[5+i]))
		algorithms = append(algorithms, algorithm(info[13+i]))
	}
	return fmt.Sprintf("classes of priorities 0 to 7: %s; bandwidth in %%: %s; selection: %s",
		strings.Join(classes, " "), strings.Join(shares, " "), strings.Join(algorithms, " "))
}

// algorithm returns the name of a transmission selection algorithm by its number (802.1Q, table 8-6).
func algorithm(n uint8) string {
	switch n {
	case 0:
		return "strict"
	case 1:
		return "cbs"
	case 2:
		return "ets"
	case 255:
		return "vendor"
	}
	return fmt.Sprint(n)
}

// flowControl describes a PFC TLV.
func flowControl(info []byte) string {
	return fmt.Sprintf("willing: %s; priorities %s; %d TCs", yesNo(info[0]&0x80 != 0), priorities(info[1]), info[0]&0xF)
}

// application describes the entries of an Application Priority TLV, three octets each: priority, selector and
// protocol.
func application(info []byte) string {
	var list []string
	for entry := info[1:]; len(entry) >= 3; entry = entry[3:] {
		protocol := binary.BigEndian.Uint16(entry[1:])
		list = append(list, fmt.Sprintf("%s at priority %d", selected(entry[0]&7, protocol), entry[0]>>5))
	}
	if list == nil {
		return "none"
	}
	return strings.Join(list, ", ")
}

// applicationVLAN describes the entries of an Application VLAN TLV, four octets each: 12 bits of VLAN, a reserved bit,
// selector and protocol.
func applicationVLAN(info []byte) string {
	var list []string
	for entry := info; len(entry) >= 4; entry = entry[4:] {
		first := binary.BigEndian.Uint16(entry)
		protocol := selected(uint8(first&7), binary.BigEndian.Uint16(entry[2:]))
		list = append(list, fmt.Sprintf("%s in VLAN %d", protocol, first>>4))
	}
	if list == nil {
		return "none"
	}
	return strings.Join(list, ", ")
}

// selected returns the protocol of an entry in words, by its selector.
func selected(selector uint8, protocol uint16) string {
	switch selector {
	case 1:
		return fmt.Sprintf("EtherType %04X", protocol)
	case 2:
		return fmt.Sprintf("TCP port %d", protocol)
	case 3:
		return fmt.Sprintf("UDP port %d", protocol)
	case 4:
		return fmt.Sprintf("port %d", protocol)
	case 5:
		return fmt.Sprintf("DSCP %d", protocol)
	}
	return fmt.Sprintf("selector %d protocol %d", selector, protocol)
}
