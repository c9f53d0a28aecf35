package uet

import (
	"uelink/wire"
	"uelink/wire/layout"
)

// Layer is a sublayer that a header belongs to.
type Layer uint8

// The layers, in the order in which their headers stand in a packet.
const (
	LayerEntropy   Layer = iota // before PDS where UET is directly over IP
	LayerTSS                    // transport security: what follows is encrypted
	LayerPDS                    // packet delivery
	LayerSES                    // semantics
	LayerExtension              // of an SES header
)

// Dialects is a set of dialects.
type Dialects uint8

// The sets.
const (
	Seed  Dialects = 1 << wire.DialectSeed
	UE1   Dialects = 1 << wire.DialectUE1
	Every          = Seed | UE1
)

// Has tells whether a dialect is in the set.
func (s Dialects) Has(d wire.Dialect) bool { return s>>d&1 != 0 }

// Opcodes is a set of operation codes 0 to 63: bit n is code n.
type Opcodes uint64

// opcodes makes a set.
func opcodes(list ...uint) (s Opcodes) {
	for _, o := range list {
		s |= 1 << o
	}
	return s
}

// span is the set of the codes from first to last.
func span(first, last uint) Opcodes { return ^Opcodes(0) >> (63 - last) &^ (1<<first - 1) }

// Has tells whether a code is in the set.
func (s Opcodes) Has(o uint64) bool { return o < 64 && s>>o&1 != 0 }

// NextHeaders is a set of values of next_hdr: bit n is value n.
type NextHeaders uint16

// Format is the layout of a UET header and what it is chosen by.
type Format struct {
	layout.Format
	Layer    Layer
	Dialects Dialects

	// When is what else the first 16 bits have to be for the format to be chosen.
	When layout.When

	// PDS and TSS: the packet type, and which next headers may follow in each dialect.
	Type    uint8
	Carries [2]NextHeaders // by wire.Dialect

	// SES: the next header that announces it, and the operation codes that it is for. Of the
	// formats of a next header the first of the dialect also takes the unknown codes.
	NextHeader uint8
	Opcodes    Opcodes

	// Extension: the operation codes of requests (Opcodes) that it follows, and those of atomic
	// operations, if not all of them.
	Atomic Opcodes
}

// DialectName is "seed", "ue1", or "both".
func (f *Format) DialectName() string {
	switch f.Dialects {
	case Seed:
		return wire.DialectSeed.String()
	case UE1:
		return wire.DialectUE1.String()
	}
	return "both"
}

// Formats is every format, in the order of the layers. It is not to be changed.
func Formats() []Format { return formats }

var formats = append(append(append(append(outer(), pds()...), seedSES()...), ue1SES()...), extensions()...)

// FormatByName is the format with that name in a dialect, or nil.
func FormatByName(d wire.Dialect, name string) *Format {
	for i := range formats {
		if f := &formats[i]; f.Name == name && f.Dialects.Has(d) {
			return f
		}
	}
	return nil
}
