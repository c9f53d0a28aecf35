package decode

import (
	"encoding/binary"

	"uelink/wire"
)

// data decodes a link's data frame b, with its shim and either the carried frame or micropackets, and adds their
// layers. Octet i of b is octet shift+i of the outermost frame. depth is how many levels of carried frames may still
// be decoded.
func (w *walker) data(b []byte, shift, depth int) {
	if hasMark(b) {
		w.micropackets(b, shift)
		return
	}
	dialect, format := wire.DialectSeed, &preambleSeed
	if len(b) > wire.HeaderLen && b[wire.HeaderLen] == 0xFB {
		dialect, format = wire.DialectUE1, &preambleUE1
	}
	p, fault := wire.ParseData(b, dialect)
	l := w.table(ProtocolLink, format, b[wire.HeaderLen:], shift+wire.HeaderLen)
	if fault != wire.NoFault {
		w.fault(ProtocolLink, fault.String())
		return
	}
	l.add("uelink.sequenced", flag(p.Sequenced), "")
	l.add("uelink.vc", uint64(p.VC), "")
	if p.FCS {
		status := wire.CheckFCS(b)
		l.add("uelink.fcs", uint64(binary.LittleEndian.Uint32(b[len(b)-wire.FCSLen:])), "")
		l.add("uelink.fcs_status", uint64(status), [...]string{"good", "poisoned", "bad"}[status])
	}
	if p.Sequenced {
		w.layer(ProtocolLLR, "Link layer retry", shift+wire.HeaderLen, wire.PreambleLen).add("uellr.seq",
			uint64(p.Seq), "")
	}
	carried := make([]byte, p.CarriedLen(len(b)))
	wire.Carried(carried, b, p, false)
	// The carried frame from its EtherType on begins at octet rest of b.
	_, rest := p.CarriedParts()
	shift += rest - wire.AddressesLen
	if p.Partner && wire.EtherType(carried) == w.options.Control {
		w.ccUpdate(carried, shift)
		return
	}
	w.ethernet(carried, shift, depth-1)
}

// ccUpdate decodes a CC_Update of dialect seed, carried in frame b: messages until a message of type 0. It adds a
// layer for each message. Octet i of b is octet shift+i of the outermost frame.
func (w *walker) ccUpdate(b []byte, shift int) {
	var u wire.CCUpdate
	fault := wire.ParseCCUpdate(b[2*wire.AddrLen:], w.options.Control, wire.DialectSeed, &u)
	for at := wire.HeaderLen; at < len(b) && b[at] != 0; at += ccUpdateSeed.Len {
		if w.table(ProtocolCBFC, &ccUpdateSeed, b[at:], shift+at) == nil {
			break
		}
	}
	if fault != wire.NoFault {
		w.fault(ProtocolCBFC, fault.String())
	}
}

// flag returns a flag as the value of a field: 1 or 0.
func flag(on bool) uint64 {
	if on {
		return 1
	}
	return 0
}

// control decodes a control frame b and adds layers for its header and its control ordered sets, even if it has a
// fault; a receiver discards such a frame as a whole. Octet i of b is octet shift+i of the outermost frame.
func (w *walker) control(b []byte, shift int) {
	at := wire.HeaderLen
	l := w.table(ProtocolLink, &controlHeader, b[at:], shift+at)
	var into [wire.MaxCtlOS]wire.CtlOS
	if _, _, fault := wire.ParseControl(b, &into); fault != wire.NoFault {
		w.fault(ProtocolLink, fault.String())
	}
	if l == nil {
		return
	}
	at += controlHeader.Len
	for range min(int(b[at-1]), wire.MaxCtlOS) {
		if len(b) < at+wire.CtlOSLen {
			return
		}
		w.ctlos(b[at:], shift+at)
		at += wire.CtlOSLen
	}
	if len(b) >= at+wire.FCSLen {
		w.layer(ProtocolLink, "Check sequence", shift+at, wire.FCSLen).
			add("uelink.control.crc", uint64(binary.LittleEndian.Uint32(b[at:])), "")
	}
}

// ctlos decodes the control ordered set at the beginning of b and adds its layer. It is at octet at of the frame.
func (w *walker) ctlos(b []byte, at int) {
	if len(b) < wire.CtlOSLen {
		return
	}
	f := ctlosFormat(b)
	protocol := ProtocolLink
	switch f.Prefix {
	case ProtocolLLR:
		protocol = ProtocolLLR
	case "uecbfc.cf", "uecbfc.vc":
		protocol = ProtocolCBFC
	}
	w.table(protocol, f, b, at)
}
