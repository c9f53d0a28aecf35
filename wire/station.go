package wire

import "encoding/binary"

// StationItem is the kind of a STATION control ordered set, by which an end describes itself to its
// partner. STATION is private: a partner that does not know it ignores it. The data is D2, D3, D5,
// D6 and D7; the high nibble of D4 is the item.
type StationItem uint8

// The items of STATION, 0 to 15.
const (
	// D2, D3 longest link frame that the end accepts; D5, D6 longest control frame received; D7
	// flags.
	StationFrames StationItem = 0
	StationStart  StationItem = 1 // D2, D3 EtherType of data; D5 to D7 start id
	// D2 more flags; D3 number of virtual channels; D5, D6 number of control frames received; D7 Keeps.
	StationServices StationItem = 2
	// D2, D3, D5, D6 duplicate sequenced frames received, modulo 2^32; D7 number of the last LLR_NACK: see Received.
	StationTwice  StationItem = 3
	StationLeaves StationItem = 4 // D2, D3 milliseconds within which the end is back: it stops now
	// D2, D3, upper half of D5: init_seq of the partner's transmitter that the end's previous start
	// used; rest of D5, D6, D7: next_rx_seq of the previous start.
	StationResumes StationItem = 5
	StationTrouble StationItem = 6 // D2 number of the trouble; D3, D5 its first operand; D6, D7 its second
)

// StartMask is the largest start id: 24 bits.
const StartMask = 1<<24 - 1

// Flags of item 0 in D7, each for the field of Station of that name.
const (
	stationLocal = 1 << iota
	stationRemote
	stationLive
	stationDynamic
	stationFCS
	stationAddressed
	stationUE1
	stationSeenShim
)

// Flags of item 2 in D2.
const (
	stationNacks   = 1 << 0 // the end recognises a repeated LLR_NACK by the number in item 3
	stationHolds   = 1 << 1 // frames for the partner, which leaves, wait at this end
	stationHeld    = 1 << 2 // frames wait so, and every frame sent is acknowledged
	stationBusy    = 1 << 3 // no data frames are accepted now
	stationVCs     = 1 << 4 // frames on virtual channels above 0 are accepted
	stationPartner = 1 << 5 // data frames for this end itself are accepted
	stationTakes   = 1 << 6 // addressed data frames are accepted
	stationCBFC    = 1 << 7 // CBFC is on
)

// Trouble is a problem between the two ends of a link, as one end sees it. Package dataplane/partner has the numbers
// (Problem) and the meaning of the operands. The zero value is no trouble.
type Trouble struct {
	Number uint8  // number of the Problem; 0: no trouble
	A, B   uint16 // its operands
}

// Station is an end's description of itself, sent as the items 0 to 2 of STATION. Items 4 to 6 are
// sent only when Leaves, Resumes or Trouble is set.
type Station struct {
	Largest   uint16 // longest link frame that the end accepts, octets
	Longest   uint16 // longest control frame received lately, octets
	Local     bool   // LLR_MODE_LOCAL is on
	Remote    bool   // LLR_MODE_REMOTE is on
	Live      bool   // the LLR receiver is initialised
	Dynamic   bool   // LLR goes on and off by negotiation
	FCS       bool   // data frames have an FCS image, sent and received
	Addressed bool   // data frames sent have outer addresses of the link, if the partner accepts such frames
	UE1       bool   // the dialect is ue1
	SeenShim  bool   // a data frame with a shim was received from this partner
	EtherType uint16 // EtherType of data frames sent
	Start     uint32 // start id, 0..StartMask: random, new at each start
	Busy      bool   // the end accepts no data frames now: the partner must wait
	TakesVCs  bool   // the end accepts frames on virtual channels above 0
	VCs       uint8  // number of virtual channels of the end
	Partner   bool   // the end accepts data frames for itself, such as a CC_Update
	Takes     bool   // the end accepts addressed data frames
	CBFC      bool   // CBFC is on
	Nacks     bool   // the end recognises a repeated LLR_NACK by the number in item 3; older versions do not
	Keeps     uint8  // log2 of the frames that the end keeps behind a gap (GAP), 1..KeepsMost; 0: go-back-N
	Controls  uint16 // control frames received from this partner, modulo 2^16; older versions do not count
	Holds     bool   // frames for the partner, which leaves, wait at this end
	Held      bool   // Holds is true, and every frame sent is acknowledged
	Leaves    uint16 // milliseconds within which the end is back after stopping now; 0: the end stays
	Resumes   bool   // the end continues its previous start at Origin and Next
	Origin    uint32 // init_seq of the partner's transmitter that the previous start used, 0..SeqMask
	Next      uint32 // next_rx_seq of the previous start, 0..SeqMask
	Trouble   Trouble
}

// Items appends to out the STATION control ordered sets that carry s: the one with the start id first, then items 0 and
// 2, and items 4 to 6 as far as they are set.
func (s *Station) Items(out []CtlOS) []CtlOS {
	frames := stationData(StationFrames, s.Largest, uint32(s.Longest)<<8|uint32(s.flags()))
	start := stationData(StationStart, s.EtherType, s.Start&StartMask)
	services := uint16(s.services())<<8 | uint16(s.VCs)
	out = append(out, start, frames, stationData(StationServices, services, uint32(s.Controls)<<8|uint32(s.Keeps)))
	if s.Leaves > 0 {
		out = append(out, stationData(StationLeaves, s.Leaves, 0))
	}
	if s.Resumes {
		both := uint64(s.Origin&SeqMask)<<SeqBits | uint64(s.Next&SeqMask)
		out = append(out, stationData(StationResumes, uint16(both>>24), uint32(both)&0xFFFFFF))
	}
	if t := s.Trouble; t.Number != 0 {
		out = append(out, stationData(StationTrouble, uint16(t.Number)<<8|t.A>>8, uint32(t.A&0xFF)<<16|uint32(t.B)))
	}
	return out
}

// Update stores the content of a STATION control ordered set, one item of a station's state, in s. It reports
// false for a control ordered set other than STATION, and for items other than 0, 1, 2, 4, 5 and 6.
func (s *Station) Update(c CtlOS) bool {
	if c.Type != StationCtlOS {
		return false
	}
	first, rest := binary.BigEndian.Uint16(c.Data[:]), uint32(c.Data[2])<<16|uint32(c.Data[3])<<8|uint32(c.Data[4])
	switch c.Item {
	case StationFrames:
		s.Largest, s.Longest = first, uint16(rest>>8)
		s.setFlags(byte(rest))
	case StationStart:
		s.EtherType, s.Start = first, rest
	case StationServices:
		s.VCs, s.Controls, s.Keeps = byte(first), uint16(rest>>8), byte(rest)
		if s.Keeps > KeepsMost {
			s.Keeps = 0
		}
		s.setServices(byte(first >> 8))
	case StationLeaves:
		s.Leaves = first
	case StationResumes:
		both := uint64(first)<<24 | uint64(rest)
		s.Resumes, s.Origin, s.Next = true, uint32(both>>SeqBits), uint32(both)&SeqMask
	case StationTrouble:
		s.Trouble = Trouble{byte(first >> 8), first<<8 | uint16(rest>>16), uint16(rest)}
	default:
		return false
	}
	return true
}

// stationData returns a STATION control ordered set with an item, whose data are first in D2 and D3, and the low 24
// bits of rest in D5 to D7.
func stationData(item StationItem, first uint16, rest uint32) CtlOS {
	return CtlOS{Type: StationCtlOS, Item: item,
		Data: [5]byte{byte(first >> 8), byte(first), byte(rest >> 16), byte(rest >> 8), byte(rest)}}
}

// flags returns the octet of flags of the item StationFrames, as setFlags reads it.
func (s *Station) flags() (f byte) {
	for _, b := range [...]struct {
		on  bool
		bit byte
	}{
		{s.Local, stationLocal}, {s.Remote, stationRemote}, {s.Live, stationLive}, {s.Dynamic, stationDynamic},
		{s.FCS, stationFCS}, {s.Addressed, stationAddressed}, {s.UE1, stationUE1}, {s.SeenShim, stationSeenShim},
	} {
		if b.on {
			f |= b.bit
		}
	}
	return f
}

// setFlags sets the fields of s from the octet of flags of the item StationFrames.
func (s *Station) setFlags(f byte) {
	s.Local, s.Remote = f&stationLocal != 0, f&stationRemote != 0
	s.Live, s.Dynamic = f&stationLive != 0, f&stationDynamic != 0
	s.FCS, s.Addressed = f&stationFCS != 0, f&stationAddressed != 0
	s.UE1, s.SeenShim = f&stationUE1 != 0, f&stationSeenShim != 0
}

// services returns the octet of flags of the item StationServices, as setServices reads it.
func (s *Station) services() (f byte) {
	for _, b := range [...]struct {
		on  bool
		bit byte
	}{
		{s.Busy, stationBusy}, {s.TakesVCs, stationVCs}, {s.Partner, stationPartner}, {s.Takes, stationTakes},
		{s.CBFC, stationCBFC}, {s.Holds, stationHolds}, {s.Held, stationHeld}, {s.Nacks, stationNacks},
	} {
		if b.on {
			f |= b.bit
		}
	}
	return f
}

// setServices sets the fields of s from the octet of flags of the item StationServices.
func (s *Station) setServices(f byte) {
	s.Busy, s.TakesVCs = f&stationBusy != 0, f&stationVCs != 0
	s.Partner, s.Takes, s.CBFC = f&stationPartner != 0, f&stationTakes != 0, f&stationCBFC != 0
	s.Holds, s.Held, s.Nacks = f&stationHolds != 0, f&stationHeld != 0, f&stationNacks != 0
}

// NackMask is the largest number of an LLR_NACK in item 3.
const NackMask = 0x7F

// nackAgain is the flag of Received.Again in D7.
const nackAgain = 0x80

// Received is item 3 of STATION, which stands in front of each LLR_ACK and LLR_NACK.
type Received struct {
	Twice uint32 // sequenced frames that the end has received twice, modulo 2^32
	Nack  uint8  // number of the last LLR_NACK, 1..NackMask, in a copy too; 0: none, or an older version
	Again bool   // the last LLR_NACK asks again for the frames of the LLR_NACK before, because no answer came
}

// Item returns the STATION control ordered set (item 3) that carries r.
func (r Received) Item() CtlOS {
	nack := r.Nack & NackMask
	if r.Again {
		nack |= nackAgain
	}
	return stationData(StationTwice, uint16(r.Twice>>16), r.Twice&0xFFFF<<8|uint32(nack))
}

// Received returns the content of a STATION control ordered set with item 3; ok is false for any other control ordered
// set.
func (c CtlOS) Received() (r Received, ok bool) {
	return Received{binary.BigEndian.Uint32(c.Data[:]), c.Data[4] & NackMask, c.Data[4]&nackAgain != 0},
		c.Type == StationCtlOS && c.Item == StationTwice
}
