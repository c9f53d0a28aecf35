package ieee

import (
	"fmt"
	"slices"

	"uelink/lldp/dcbx"
)

// The number of traffic classes, and the octets of the three tables of ETS and of the payload of an ETS TLV.
const (
	classes   = 8
	tablesLen = 4 + 8 + 8 // Class, Bandwidth, Algorithm
	etsLen    = 1 + tablesLen
)

// Transmission selection algorithms of a traffic class.
const (
	Strict       = 0   // strict priority
	CreditShaper = 1   // credit-based shaper
	Enhanced     = 2   // enhanced transmission selection: a share of the bandwidth
	Vendor       = 255 // an algorithm of the vendor
)

// ETS holds the three tables of enhanced transmission selection.
type ETS struct {
	Class [8]uint8 `json:"traffic_class"` // traffic class of each priority, 0 to 7
	// share of each traffic class of the bandwidth that strict and shaped classes leave, percent
	Bandwidth [classes]uint8 `json:"bandwidth"`
	// transmission selection algorithm of each class: 0 strict, 1 credit-based shaper, 2 ETS, 255 the vendor's
	Algorithm [classes]uint8 `json:"tsa"`
}

// OfGroups returns the tables for Priority Groups, with classes numbered from 0 without gaps: a class with ETS for
// each group of 0 to 7 that has priorities, and the next class, strict, for the priorities of group 15.
func OfGroups(pg dcbx.PG) ETS {
	var e ETS
	next, left := uint8(0), 100
	for group := range uint8(classes) {
		if !slices.Contains(pg.Group[:], group) {
			continue
		}
		e.Algorithm[next], e.Bandwidth[next] = Enhanced, pg.Percentage[group]
		left -= int(pg.Percentage[group])
		e.assign(pg, group, next)
		next++
	}
	if next > 0 && left > 0 {
		e.Bandwidth[0] += uint8(left) // the share of groups without priorities
	}
	e.assign(pg, dcbx.PGStrict, next)
	return e
}

// assign puts the priorities of a Priority Group into a traffic class.
func (e *ETS) assign(pg dcbx.PG, group, class uint8) {
	for priority, assigned := range pg.Group {
		if assigned == group {
			e.Class[priority] = class
		}
	}
}

// Groups returns the tables as Priority Groups: class n with ETS is group n, every other class is group 15. The
// tables must be usable.
func (e ETS) Groups(maxTCs uint8) dcbx.PG {
	pg := dcbx.PG{NumTCs: maxTCs}
	for priority, class := range e.Class {
		if pg.Group[priority] = class; e.Algorithm[class] != Enhanced {
			pg.Group[priority] = dcbx.PGStrict
		}
	}
	for class, share := range e.Bandwidth {
		if slices.Contains(pg.Group[:], uint8(class)) {
			pg.Percentage[class] = share
		}
	}
	return pg
}

// problem returns the reason why a scheduler cannot operate by the tables: a class out of range, an unknown algorithm,
// or shares of the classes with ETS that do not add up to 100. It returns no reason if there is none of these.
// Clauses: 802.1Qaz/ets.3.
func (e ETS) problem() dcbx.Reason {
	for priority, class := range e.Class {
		if class >= classes {
			return dcbx.Reason(fmt.Sprintf("priority %d is in traffic class %d, and there are classes 0 to 7", priority, class))
		}
	}
	sum, enhanced := 0, false
	for class, algorithm := range e.Algorithm {
		switch algorithm {
		case Strict, CreditShaper, Vendor:
		case Enhanced:
			enhanced = true
			sum += int(e.Bandwidth[class])
		default:
			return dcbx.Reason(fmt.Sprintf("traffic class %d has the unknown selection algorithm %d", class, algorithm))
		}
	}
	if enhanced && sum != 100 {
		return dcbx.Reason(fmt.Sprintf("the bandwidths of its ETS classes add up to %d, not to 100", sum))
	}
	return dcbx.ReasonNone
}

// adopted returns the tables e of a peer as an end with maxTCs traffic classes adopts them: unchanged if the classes
// exist, else as Priority Groups of which some are combined.
// Clauses: 802.1Qaz/ets.4.
func (e ETS) adopted(maxTCs uint8) ETS {
	if slices.Max(e.Class[:]) < maxTCs && e.spare(maxTCs) {
		return e
	}
	return OfGroups(e.Groups(maxTCs).Limited())
}

// spare reports whether no class from the number maxTCs on has a share.
func (e ETS) spare(maxTCs uint8) bool {
	for class := int(maxTCs); class < classes; class++ {
		if e.Algorithm[class] == Enhanced && e.Bandwidth[class] > 0 {
			return false
		}
	}
	return true
}

// append appends the octets of the tables. The class of an even priority is in the high half of its octet.
// Clauses: 802.1Qaz/octets.1.
func (e ETS) append(b []byte) []byte {
	for i := 0; i < len(e.Class); i += 2 {
		b = append(b, e.Class[i]<<4|e.Class[i+1]&0xf)
	}
	return append(append(b, e.Bandwidth[:]...), e.Algorithm[:]...)
}

// decodeETS reads the tables from at least tablesLen octets.
func decodeETS(b []byte) (e ETS) {
	for i := range e.Class {
		e.Class[i] = b[i/2] >> (4 * (1 - i%2)) & 0xf
	}
	copy(e.Bandwidth[:], b[4:])
	copy(e.Algorithm[:], b[12:])
	return e
}

// Configuration is the content of an ETS Configuration TLV.
type Configuration struct {
	Willing bool  `json:"willing"` // the sender adopts a recommendation of its peer
	CBS     bool  `json:"cbs"`     // the sender has the credit-based shaper
	MaxTCs  uint8 `json:"max_tcs"` // number of traffic classes that the sender has, 1 to 8
	ETS
}

// append appends the payload of ETS Configuration to b.
func (c Configuration) append(b []byte) []byte {
	first := c.MaxTCs & 7 // 8 is sent as 0
	if c.Willing {
		first |= willingBit
	}
	if c.CBS {
		first |= 0x40
	}
	return c.ETS.append(append(b, first))
}

// decodeConfiguration reads the payload of ETS Configuration.
// Clauses: 802.1Qaz/octets.2.
func decodeConfiguration(b []byte) Configuration {
	c := Configuration{Willing: b[0]&willingBit != 0, CBS: b[0]&0x40 != 0, MaxTCs: b[0] & 7, ETS: decodeETS(b[1:])}
	if c.MaxTCs == 0 {
		c.MaxTCs = classes
	}
	return c
}
