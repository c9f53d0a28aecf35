package decode

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"

	"uelink/wire"
	"uelink/wire/micropacket"
)

// markFlips is how many bits of the mark of a frame of micropackets may be wrong: every LLR preamble image differs from
// the mark by six bits or more.
const markFlips = 2

// micropacketMark is the mark by which a frame of micropackets is known: the two octets behind the EtherType.
const micropacketMark = 0x4836

// hasMark reports whether a data frame has the mark of micropackets, undamaged or with up to markFlips wrong bits.
func hasMark(b []byte) bool {
	return len(b) >= wire.HeaderLen+2 &&
		bits.OnesCount16(binary.BigEndian.Uint16(b[wire.HeaderLen:])^micropacketMark) <= markFlips
}

// micropackets decodes a frame b of HIPPI-6400-PH micropackets, and adds a layer for the frame's head and one for
// each micropacket. Octet i of b is octet shift+i of the outermost frame.
func (w *walker) micropackets(b []byte, shift int) {
	h, fault := micropacket.ParseFrame(b)
	if fault != wire.NoFault {
		w.fault(ProtocolHIPPI, fault.String())
	}
	head := w.table(ProtocolHIPPI, &hippiFrame, b[wire.HeaderLen:], shift+wire.HeaderLen)
	if fault != wire.NoFault && fault != wire.FaultCRC && fault != wire.FaultReserved {
		return // the length, or the layout, is not known to be good
	}
	if h.FCS {
		end := micropacket.FrameLen(int(h.N), false)
		status, text := wire.FCSGood, "good"
		if fault == wire.FaultCRC {
			status, text = wire.FCSBad, "bad"
		}
		head.add("uehippi.fcs", uint64(binary.LittleEndian.Uint32(b[end:])), "")
		head.add("uehippi.fcs_status", uint64(status), text)
	}
	first, runs, ecrcs := len(w.Layers)-1, runs{}, ecrcs{} // first is the layer of the head
	for i := range int(h.N) {
		var m micropacket.Micropacket
		m.Parse(micropacket.At(b, i))
		w.micropacket(&m, &ecrcs, shift+micropacket.FrameHeadLen+i*micropacket.Len)
		runs.add(m.Control)
	}
	w.Layers[first].Title = fmt.Sprintf("micropackets %s", strings.Join(runs.text, " "))
}

// micropacket adds a layer with the fields of micropacket m, which begins at octet at of the outermost frame, and
// faults for wrong CRCs; for a Header micropacket it adds a layer with the Header. e follows the ECRCs of the frame.
func (w *walker) micropacket(m *micropacket.Micropacket, e *ecrcs, at int) {
	var octets [micropacket.Len]byte
	m.Put(octets[:])
	l := w.table(ProtocolHIPPI, &hippiControl, octets[micropacket.DataLen:], at+micropacket.DataLen)
	l.Title, l.At, l.Len = m.Control.Type().String(), at, micropacket.Len
	check := m.CheckLCRC()
	l.add("uehippi.lcrc_status", uint64(check), [...]string{"good", "stomped", "bad"}[check])
	if check == micropacket.Bad {
		w.fault(ProtocolHIPPI, "wrong LCRC")
	}
	if good, ok := e.check(m, check); ok {
		l.add("uehippi.ecrc_status", flag(!good), map[bool]string{true: "good", false: "bad"}[good])
		if !good {
			w.fault(ProtocolHIPPI, "wrong ECRC")
		}
	}
	if m.Control.Type() == micropacket.Header {
		w.table(ProtocolHIPPI, &hippiHeader, octets[:], at)
	}
}

// ecrcs follows the ECRC of the Messages in one frame. The ECRC of a Data micropacket can be checked if its Message has
// its Header in the same frame, and no micropacket between is missing.
type ecrcs struct {
	register [micropacket.VCs]uint16
	valid    [micropacket.VCs]bool
	next     uint8 // TSEQ expected next; after another TSEQ, no ECRC of a begun Message can be checked
}

// check follows micropacket m, whose link CRC was judged as lcrc. good reports whether its ECRC is right, and ok
// whether that can be judged.
func (e *ecrcs) check(m *micropacket.Micropacket, lcrc micropacket.Check) (good, ok bool) {
	c := m.Control
	if lcrc != micropacket.Good {
		e.valid = [micropacket.VCs]bool{}
		return false, false
	}
	if c.Type().Sequenced() {
		if c.TSEQ() != e.next {
			e.valid = [micropacket.VCs]bool{}
		}
		e.next = uint8((int(c.TSEQ()) + 1) % 255)
	}
	if !c.Type().Accumulates() {
		return m.ECRC(micropacket.ECRCInit) == c.ECRC(), !c.Error()
	}
	vc := c.VC()
	if c.Type() == micropacket.Header {
		e.register[vc], e.valid[vc] = micropacket.ECRCInit, true
	}
	ok = e.valid[vc]
	e.register[vc] = m.ECRC(e.register[vc])
	e.valid[vc] = ok && !c.Tail()
	return e.register[vc] == c.ECRC(), ok && !c.Error()
}

// runs is the text of micropackets: those of one TYPE and virtual channel in a row are one word.
type runs struct {
	text []string
	last string
	n    int
}

// add appends the type and virtual channel of a micropacket to the summary of a frame, in which equal micropackets in
// a row are shown as one, with their number: "3xData/VC1".
func (r *runs) add(c micropacket.Control) {
	name := c.Type().String()
	if c.Type().Buffered() {
		name += fmt.Sprintf("/VC%d", c.VC())
	}
	if name != r.last {
		r.last, r.n, r.text = name, 1, append(r.text, name)
		return
	}
	r.n++
	r.text[len(r.text)-1] = fmt.Sprintf("%dx%s", r.n, name)
}
