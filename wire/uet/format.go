package uet

import (
	"uelink/wire"
	"uelink/wire/layout"
)

// Layer is the sublayer of a header.
type Layer uint8

// The layers, in the order of their headers in a packet.
const (
	LayerEntropy   Layer = iota // entropy header: before PDS if UET is directly over IP
	LayerTSS                    // transport security: all later octets are encrypted
	LayerPDS                    // packet delivery
	LayerSES                    // semantics
	LayerExtension              // extension of an SES header
)

// Dialects is a set of dialects.
type Dialects uint8

// The sets of dialects.
const (
	Seed  Dialects = 1 << wire.DialectSeed
	UE1   Dialects = 1 << wire.DialectUE1
	Every          = Seed | UE1
)

// Contains reports whether the dialect d is in the set.
func (s Dialects) Contains(d wire.Dialect) bool { return s>>d&1 != 0 }

// Opcodes is a set of operation codes 0 to 63: bit n is code n.
type Opcodes uint64

// opcodes returns the set of the listed operation codes.
func opcodes(list ...uint) (s Opcodes) {
	for _, o := range list {
		s |= 1 << o
	}
	return s
}

// span returns the set of the operation codes from first to last.
func span(first, last uint) Opcodes { return ^Opcodes(0) >> (63 - last) &^ (1<<first - 1) }

// Contains reports whether the operation code o is in the set.
func (s Opcodes) Contains(o uint64) bool { return o < 64 && s>>o&1 != 0 }

// NextHeaders is a set of values of next_hdr: bit n is value n.
type NextHeaders uint16

// Format is the layout of a UET header with the conditions for choosing the format.
type Format struct {
	layout.Format
	Layer    Layer
	Dialects Dialects

	// When is a condition on the first 16 bits of the header, besides Type, for a header to have this format.
	When layout.When

	// PDS and TSS: the packet type, and the next headers that may follow in each dialect.
	Type    uint8
	Carries [2]NextHeaders // by wire.Dialect

	// SES: the next header that announces the format, and the format's operation codes. Of the
	// formats of a next header, the first of the dialect also covers unknown codes.
	NextHeader uint8
	Opcodes    Opcodes

	// Extension: the format follows requests with the operation codes Opcodes; if Atomic is not
	// empty, only for the atomic operations in Atomic.
	Atomic Opcodes
}

// DialectName returns the dialect that has the format: "seed", "ue1", or "both".
func (f *Format) DialectName() string {
	switch f.Dialects {
	case Seed:
		return wire.DialectSeed.String()
	case UE1:
		return wire.DialectUE1.String()
	default: // Every
		return "both"
	}
}

// Formats returns every header format of UET, in the order of the layers. The caller must not change them.
func Formats() []Format { return formats }

// formats are the header formats of UET, in the order of the layers.
var formats = append(append(append(append(outer(), pds()...), seedSES()...), ue1SES()...), extensions()...)

// FormatByName returns the header format with a name in a dialect, or nil.
func FormatByName(d wire.Dialect, name string) *Format {
	for i := range formats {
		if f := &formats[i]; f.Name == name && f.Dialects.Contains(d) {
			return f
		}
	}
	return nil
}
