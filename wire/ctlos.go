package wire

// CtlOSLen is the length of a control ordered set in octets.
// Clauses: UE-LINK/ctlos.1, UE-LINK/credit.1.
const CtlOSLen = 8

// CtlOSType is the message type of a control ordered set (UE-LINK §2, §4.1).
// Clauses: UE-LINK/ctlos.1, UE-LINK/phy.4.
type CtlOSType uint8

// The message types.
// Clauses: UE-LINK/credit.1, UE-LINK/cf.4.
const (
	LLRAck       CtlOSType = 0x01
	LLRNack      CtlOSType = 0x02
	LLRInit      CtlOSType = 0x03
	LLRInitEcho  CtlOSType = 0x04
	CFUpdate     CtlOSType = 0x10
	StationCtlOS CtlOSType = 0xF0 // private, see StationItem
	ChannelCtlOS CtlOSType = 0xF1 // private, see Channel
	GapCtlOS     CtlOSType = 0xF2 // private, see GapItem
)

// String returns the name of the type in UE-LINK; "STATION", "VC" and "GAP" for the private types.
func (t CtlOSType) String() string {
	switch t {
	case LLRAck:
		return "LLR_ACK"
	case LLRNack:
		return "LLR_NACK"
	case LLRInit:
		return "LLR_INIT"
	case LLRInitEcho:
		return "LLR_INIT_ECHO"
	case CFUpdate:
		return "CF_Update"
	case StationCtlOS:
		return "STATION"
	case ChannelCtlOS:
		return "VC"
	case GapCtlOS:
		return "GAP"
	}
	return "unknown CtlOS"
}

// View is the form of a control ordered set on a lane, XMII or PCS: it decides octet 0.
// Clauses: UE-LINK/block.2, UE-LINK/cf.3.
type View uint8

// The lane views: their values are octet 0.
// Clauses: UE-LINK/phy.1,3, UE-LINK/overview.4.
const (
	ViewXMII View = 0x5C // control character
	ViewPCS  View = 0x4B // 64B/66B block type
)

// ocode is the O-code of an ordered set, in the low nibble of octet 4 (D4).
const ocode = 0x6

// Credit is one half of a CF_Update: the low 15 bits of R_CF of one VC.
// Clauses: UE-LINK/overview.6, UE-LINK/cf.5,6.
type Credit struct {
	VC    uint8  // 0..31
	Count uint16 // 0..32767
}

// CtlOS is a decoded control ordered set. Seq is ack_nack_seq or init_seq.
// Clauses: UE-LINK/init.4, UE-LINK/cf.1.
type CtlOS struct {
	Type     CtlOSType
	InitData [2]byte   // LLR_INIT and LLR_INIT_ECHO, opaque: octets D5 and D6
	Seq      uint32    // LLR types: ack_nack_seq or init_seq, 0..SeqMask
	CF       [2]Credit // CF_Update

	Item StationItem // STATION, VC and GAP: the high nibble of D4
	Data [5]byte     // STATION, VC and GAP: octets D2, D3, D5, D6 and D7
}

// PutCtlOS writes c into the first CtlOSLen octets of b: octet 0 by the view v, octet 1 the type, and the six data
// octets by the type.
// Clauses: UE-LINK/overview.9, UE-LINK/block.2, UE-LINK/ack.1-4, UE-LINK/nack.1-4, UE-LINK/init.1-3,5, UE-LINK/echo.1,
// UE-LINK/cf.3,5-8, UE-LINK/phy.1.
func PutCtlOS(b []byte, v View, c CtlOS) {
	_ = b[7]
	b[0], b[1] = byte(v), byte(c.Type)
	b[5], b[6], b[7] = 0, 0, 0
	switch c.Type {
	case CFUpdate:
		putCredit(b[2:5], c.CF[0], ocode)
		putCredit(b[5:8], c.CF[1], 0)
		return
	case StationCtlOS, ChannelCtlOS, GapCtlOS:
		b[2], b[3], b[4] = c.Data[0], c.Data[1], byte(c.Item<<4)|ocode
		copy(b[5:8], c.Data[2:])
		return
	case LLRInit, LLRInitEcho:
		b[5], b[6] = c.InitData[0], c.InitData[1]
	case LLRAck, LLRNack:
	}
	b[2], b[3], b[4] = byte(c.Seq>>12), byte(c.Seq>>4), byte(c.Seq<<4)|ocode
}

// putCredit writes one half of a CF_Update into three octets of b: 5 bits of VC, 15 of count, and the nibble low.
func putCredit(b []byte, c Credit, low byte) {
	b[0], b[1], b[2] = c.VC<<3|byte(c.Count>>12)&7, byte(c.Count>>4), byte(c.Count<<4)|low
}

// ParseCtlOS reads the first CtlOSLen octets of b in the given view. Faults: FaultTruncated,
// FaultBlock, FaultType, FaultReserved.
// Clauses: UE-LINK/overview.9, UE-LINK/ack.1-4, UE-LINK/nack.1-4, UE-LINK/init.1-3,5, UE-LINK/echo.1, UE-LINK/cf.3-10,
// UE-LINK/phy.1.
func ParseCtlOS(b []byte, v View) (CtlOS, Fault) {
	if len(b) < CtlOSLen {
		return CtlOS{}, FaultTruncated
	}
	if b[0] != byte(v) || b[4]&0x0F != ocode {
		return CtlOS{}, FaultBlock
	}
	c := CtlOS{Type: CtlOSType(b[1])}
	reserved := b[5] | b[6] | b[7]
	switch c.Type {
	case LLRAck, LLRNack:
	case LLRInit, LLRInitEcho:
		c.InitData = [2]byte{b[5], b[6]}
		reserved = b[7]
	case CFUpdate:
		c.CF = [2]Credit{credit(b[2:5]), credit(b[5:8])}
		if b[7]&0x0F != 0 {
			return CtlOS{}, FaultReserved
		}
		return c, NoFault
	case StationCtlOS, ChannelCtlOS, GapCtlOS:
		c.Item, c.Data = StationItem(b[4]>>4), [5]byte{b[2], b[3], b[5], b[6], b[7]}
		return c, NoFault
	default:
		return CtlOS{}, FaultType
	}
	if reserved != 0 {
		return CtlOS{}, FaultReserved
	}
	c.Seq = uint32(b[2])<<12 | uint32(b[3])<<4 | uint32(b[4])>>4
	return c, NoFault
}

// credit reads one half of a CF_Update from three octets, as putCredit writes it.
func credit(b []byte) Credit {
	return Credit{VC: b[0] >> 3, Count: uint16(b[0]&7)<<12 | uint16(b[1])<<4 | uint16(b[2])>>4}
}
