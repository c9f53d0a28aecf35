package ue

import (
	"encoding/binary"
	"fmt"
)

// SubtypeCreditSize is a private TLV under the same OUI. It is sent with the CBFC TLV, which does
// not define how credits are counted. A station that does not know the TLV ignores it.
const SubtypeCreditSize uint8 = 128

// creditSizeVersion is the version sent. A later version may add octets; the fields of this version
// keep their places.
const (
	creditSizeVersion = 1
	creditSizeLen     = 4 // after OUI and subtype
)

// The range of a CreditSize.
const (
	leastCreditSize = 32
	mostCreditSize  = 2048
	leastOverhead   = -16
)

// CreditSize is how a station counts credits. The zero CreditSize means unknown.
type CreditSize struct {
	Octets   uint16 `json:"octets"`          // per credit: a power of two, 32 to 2048
	Overhead int8   `json:"packet_overhead"` // octets added to each frame, -16 to 127
}

// Validate returns an error that names the first field of the credit size TLV out of range; nil if all are right.
func (c CreditSize) Validate() error {
	if fault := c.fault(); fault != NoFault {
		return fmt.Errorf("credit size TLV: %w", fault)
	}
	return nil
}

// fault checks the values of the TLV, and returns NoFault if a partner can use them.
func (c CreditSize) fault() Fault {
	switch {
	case c.Octets < leastCreditSize || c.Octets > mostCreditSize || c.Octets&(c.Octets-1) != 0:
		return FaultCreditSize
	case c.Overhead < leastOverhead:
		return FaultOverhead
	}
	return NoFault
}

// Append appends the content of the credit size TLV, the octets after OUI and subtype: version, credit size,
// overhead.
func (c CreditSize) Append(b []byte) []byte {
	b = append(b, creditSizeVersion)
	b = binary.BigEndian.AppendUint16(b, c.Octets)
	return append(b, byte(c.Overhead))
}

// ParseCreditSize decodes a credit size TLV from the octets after OUI and subtype.
func ParseCreditSize(info []byte) (CreditSize, Fault) {
	if len(info) < creditSizeLen {
		return CreditSize{}, FaultShort
	}
	if info[0] < creditSizeVersion {
		return CreditSize{}, FaultVersion
	}
	c := CreditSize{Octets: binary.BigEndian.Uint16(info[1:]), Overhead: int8(info[3])}
	if fault := c.fault(); fault != NoFault {
		return CreditSize{}, fault
	}
	return c, NoFault
}
