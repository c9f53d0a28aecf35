package ue

import (
	"encoding/binary"
	"fmt"
	"slices"

	"uelink/lldp"
)

// DefaultOUI is the company id of the Ultra Ethernet Consortium. UE-LINK does not give the OUI of the UE TLVs.
// Clauses: UE-LINK/link-tlv.3, UE-LINK/cbfc-tlv.3.
var DefaultOUI = lldp.OUI{0xFA, 0x7A, 0xCB}

// Version is the ue_version sent.
// Clauses: UE-LINK/link-tlv.7.
const Version = 1

// Subtypes of the organizationally specific TLVs.
// Clauses: UE-LINK/link-tlv.4, UE-LINK/cbfc-tlv.4.
const (
	SubtypeLink uint8 = 1 // UE-LINK §5.1
	SubtypeCBFC uint8 = 2 // UE-LINK §5.2
)

// The flags of the Link TLV, the lengths of the Link and CBFC TLVs after OUI and subtype in octets, and the largest
// number of channels.
// Clauses: UE-LINK/overview.6.
const (
	flagLLR  = 0x80
	flagCBFC = 0x40
	linkLen  = 2
	cbfcLen  = 9
	maxVCs   = 32
)

// Fault is the reason why a TLV is unusable; NoFault is 0. A Fault is an error.
type Fault uint8

// The faults of a TLV, or of a value in a TLV.
const (
	NoFault         Fault = iota
	FaultShort            // the TLV is too short for its fields
	FaultVCs              // num_vcs is not 1 to 32
	FaultPool             // credit_pool_size is 0
	FaultRepeated         // the TLV is present more than once
	FaultVersion          // the version is 0
	FaultCreditSize       // credit_size is not a power of two from 32 to 2048
	FaultOverhead         // packet_overhead is less than -16
)

// faultNames has the faults in the words of the API.
var faultNames = [...]string{"", "too short", "number of VCs is not 1 to 32", "credit pool is empty",
	"there more than once", "there is no version 0", "credit size is not a power of two from 32 to 2048",
	"packet overhead is less than -16", "unknown fault"}

// String returns the fault of a UE TLV in words.
func (f Fault) String() string { return faultNames[min(f, FaultOverhead+1)] }

// Error returns the fault of a UE TLV in words, as String does.
func (f Fault) Error() string { return f.String() }

// MarshalText returns the fault of a UE TLV in words, as octets. The error is always nil.
func (f Fault) MarshalText() ([]byte, error) { return []byte(f.String()), nil }

// UnmarshalText sets the fault from the words that MarshalText returns. Other words become an unknown fault; the
// error is always nil.
func (f *Fault) UnmarshalText(b []byte) error {
	*f = index[Fault](faultNames[:], b)
	return nil
}

// index returns the index of word in names, or the last index if word is not among them.
func index[T ~uint8](names []string, word []byte) T {
	i := slices.Index(names, string(word))
	if i < 0 {
		i = len(names) - 1
	}
	return T(i)
}

// Link is the UE Link Negotiation TLV. Reserved holds the flags without a meaning in this version:
// sent as 0, kept when received.
// Clauses: UE-LINK/link-tlv.6.
type Link struct {
	LLR      bool  `json:"llr_enabled"`
	CBFC     bool  `json:"cbfc_enabled"`
	Version  uint8 `json:"ue_version"` // number of the version
	Reserved uint8 `json:"reserved"`   // reserved bits as received
}

// Append appends the content of the UE Link TLV: the octets after OUI and subtype.
// Clauses: UE-LINK/link-tlv.1,2,5,6.
func (l Link) Append(b []byte) []byte {
	flags := byte(0)
	if l.LLR {
		flags |= flagLLR
	}
	if l.CBFC {
		flags |= flagCBFC
	}
	return append(b, flags, l.Version)
}

// ParseLink decodes a UE Link TLV from the octets after OUI and subtype. Later versions may add octets and use
// reserved bits; the fields of this version keep their places.
// Clauses: UE-LINK/link-tlv.2,5,7.
func ParseLink(info []byte) (Link, Fault) {
	if len(info) < linkLen {
		return Link{}, FaultShort
	}
	flags := info[0]
	return Link{LLR: flags&flagLLR != 0, CBFC: flags&flagCBFC != 0, Version: info[1],
		Reserved: flags &^ (flagLLR | flagCBFC)}, NoFault
}

// CBFC is the UE CBFC TLV. Bit N of Lossless is VC N. Reserved is sent as 0 and kept when received.
// Clauses: UE-LINK/cbfc-tlv.8.
type CBFC struct {
	VCs      uint8  `json:"num_vcs"`          // number of virtual channels
	Pool     uint16 `json:"credit_pool_size"` // credits of all channels together
	Lossless uint32 `json:"lossless_vcs"`     // bit i is virtual channel i
	Reserved uint16 `json:"reserved"`         // reserved bits as received
}

// Validate returns an error that names the first field of the CBFC TLV out of range; nil if all are right.
func (c CBFC) Validate() error {
	if fault := c.fault(); fault != NoFault {
		return fmt.Errorf("CBFC TLV: %w", fault)
	}
	return nil
}

// fault checks the values of the TLV, and returns NoFault if a partner can use them.
func (c CBFC) fault() Fault {
	switch {
	case c.VCs < 1 || c.VCs > maxVCs:
		return FaultVCs
	case c.Pool == 0:
		return FaultPool
	}
	return NoFault
}

// Append appends the content of the UE CBFC TLV: the octets after OUI and subtype.
// Clauses: UE-LINK/cbfc-tlv.1,2,5-8.
func (c CBFC) Append(b []byte) []byte {
	b = append(b, c.VCs)
	b = binary.BigEndian.AppendUint16(b, c.Pool)
	b = binary.BigEndian.AppendUint32(b, c.Lossless)
	return append(b, 0, 0)
}

// ParseCBFC decodes a UE CBFC TLV from the octets after OUI and subtype. Octets beyond the fields of this version
// are ignored.
// Clauses: UE-LINK/cbfc-tlv.2,5-7.
func ParseCBFC(info []byte) (CBFC, Fault) {
	if len(info) < cbfcLen {
		return CBFC{}, FaultShort
	}
	c := CBFC{VCs: info[0], Pool: binary.BigEndian.Uint16(info[1:]), Lossless: binary.BigEndian.Uint32(info[3:]),
		Reserved: binary.BigEndian.Uint16(info[7:])}
	if fault := c.fault(); fault != NoFault {
		return CBFC{}, fault
	}
	return c, NoFault
}
