package rule

import (
	"math/bits"
	"strings"

	"uelink/wire"
	"uelink/wire/micropacket"
)

// Kind is what a frame, a control ordered set or a micropacket is.
type Kind uint8

// The kinds. A frame has one of the kinds of frames, and an LLDPDU with TLVs of DCBX two.
const (
	Data     Kind = iota // data frame with a sequence number
	Plain                // data frame without
	Native               // frame without a shim, or of no format of the link
	CCUpdate             // data frame with a CC_Update
	Control              // control frame as a whole
	PFC
	Pause
	LLDP
	DCBX  // LLDPDU with a TLV of DCBX, of either dialect
	Hippi // frame of micropackets as a whole

	Ack // control ordered sets
	Nack
	Init
	InitEcho
	CFUpdate
	Station
	VC
	Gap

	HippiReset // micropackets
	HippiResetAck
	HippiInitialize
	HippiInitializeAck
	HippiNull
	HippiData
	HippiHeader
	HippiCreditOnly
	HippiAdmin
	NumKinds // how many there are
)

var kindNames = [NumKinds]string{"data", "plain", "native", "cc_update", "control", "pfc", "pause", "lldp", "dcbx",
	"hippi", "ack", "nack", "init", "init_echo", "cf_update", "station", "vc", "gap", "hippi.reset", "hippi.reset_ack",
	"hippi.initialize", "hippi.initialize_ack", "hippi.null", "hippi.data", "hippi.header", "hippi.credit_only",
	"hippi.admin"}

// String returns the word of the kind in a rule.
func (k Kind) String() string { return kindNames[k] }

// kinds is a set of kinds, a bit for each.
type kinds uint32

// Sets of kinds: of frames, control ordered sets, micropackets, and data frames.
const (
	frameKinds       kinds = 1<<Ack - 1
	setKinds         kinds = 1<<HippiReset - 1<<Ack
	micropacketKinds kinds = 1<<NumKinds - 1<<HippiReset
	dataKinds        kinds = 1<<Data | 1<<Plain | 1<<CCUpdate
)

// first returns the first kind of a set that is not empty; for a set with DCBX it returns DCBX.
func (k kinds) first() Kind {
	if k&(1<<DCBX) != 0 {
		return DCBX
	}
	return Kind(bits.TrailingZeros32(uint32(k)))
}

// parseKind returns the kind with this name as a set, or the set of all kinds of frames for any; false: there is no
// such kind.
func parseKind(word string) (kinds, bool) {
	if word == "any" {
		return frameKinds, true
	}
	for k, name := range kindNames {
		if name == word {
			return 1 << k, true
		}
	}
	return 0, false
}

// KindOfSet returns the kind of a control ordered set by its message type; ok is false for unknown types.
func KindOfSet(t wire.CtlOSType) (k Kind, ok bool) {
	switch t {
	case wire.LLRAck:
		return Ack, true
	case wire.LLRNack:
		return Nack, true
	case wire.LLRInit:
		return Init, true
	case wire.LLRInitEcho:
		return InitEcho, true
	case wire.CFUpdate:
		return CFUpdate, true
	case wire.StationCtlOS:
		return Station, true
	case wire.ChannelCtlOS:
		return VC, true
	case wire.GapCtlOS:
		return Gap, true
	}
	return 0, false
}

// setTypes has the message types by the kinds from Ack on.
var setTypes = [...]wire.CtlOSType{wire.LLRAck, wire.LLRNack, wire.LLRInit, wire.LLRInitEcho, wire.CFUpdate,
	wire.StationCtlOS, wire.ChannelCtlOS, wire.GapCtlOS}

// micropacketTypes has the TYPEs by the kinds from HippiReset on.
var micropacketTypes = [...]micropacket.Type{micropacket.Reset, micropacket.ResetACK, micropacket.Initialize,
	micropacket.InitializeACK, micropacket.Null, micropacket.Data, micropacket.Header, micropacket.CreditOnly,
	micropacket.Admin}

// KindOfMicropacket returns the kind of a micropacket by its TYPE; ok is false for undefined TYPEs.
func KindOfMicropacket(t micropacket.Type) (k Kind, ok bool) {
	for i, candidate := range micropacketTypes {
		if candidate == t {
			return HippiReset + Kind(i), true
		}
	}
	return 0, false
}

// kindWords returns all words of kinds, for messages.
func kindWords() string { return strings.Join(kindNames[:], " ") + " any" }
