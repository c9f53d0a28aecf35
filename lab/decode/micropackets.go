package decode

import (
	"fmt"
	"strings"

	"uelink/wire"
	"uelink/wire/micropacket"
)

// micropackets decodes a frame of micropackets b (HIPPI-6400-PH), and adds a layer for its head and for each
// micropacket. Octet i of b is octet shift+i of the outermost frame.
func (w *walker) micropackets(b []byte, shift int) {
	h, fault := micropacket.ParseFrame(b)
	if fault != wire.NoFault {
		w.fault(ProtocolHIPPI, fault.String())
	}
	if fault == wire.FaultTruncated || fault == wire.FaultVersion {
		return // the length, or the layout, is not known to be good
	}
	head := w.layer(ProtocolHIPPI, "", shift+wire.HeaderLen, micropacket.FrameHeadLen-wire.HeaderLen)
	head.add("uehippi.frame.count", uint64(h.N), "")
	head.add("uehippi.frame.number", uint64(h.Number), "")
	head.add("uehippi.frame.from", uint64(h.From), "")
	head.add("uehippi.frame.to", uint64(h.To), "")
	at, runs := len(w.Layers)-1, runs{}
	for i := range int(h.N) {
		var m micropacket.Micropacket
		m.Parse(micropacket.At(b, i))
		w.micropacket(&m, shift+micropacket.FrameHeadLen+i*micropacket.Len)
		runs.add(m.Control)
	}
	w.Layers[at].Title = fmt.Sprintf("micropackets %s", strings.Join(runs.text, " "))
}

// micropacket adds the layer of a micropacket at an octet of the outermost frame.
func (w *walker) micropacket(m *micropacket.Micropacket, at int) {
	f := m.Control.Fields()
	l := w.layer(ProtocolHIPPI, f.Type.String(), at, micropacket.Len)
	l.add("uehippi.vc", uint64(f.VC), "")
	l.add("uehippi.type", uint64(f.Type), f.Type.String())
	l.add("uehippi.tail", flag(f.Tail), "")
	l.add("uehippi.error", flag(f.Error), "")
	l.add("uehippi.vcr", uint64(f.VCR), "")
	l.add("uehippi.cr", uint64(f.CR), "")
	l.add("uehippi.rseq", uint64(f.RSEQ), "")
	l.add("uehippi.tseq", uint64(f.TSEQ), "")
	l.add("uehippi.ecrc", uint64(m.Control.ECRC()), "")
	check := m.CheckLCRC()
	l.add("uehippi.lcrc", uint64(m.Control.LCRC()), [...]string{"good", "stomped", "bad"}[check])
	if check == micropacket.Bad {
		w.fault(ProtocolHIPPI, "wrong LCRC")
	}
	if f.Type == micropacket.Header {
		head := micropacket.ParseHead(&m.Data)
		l.add("uehippi.m_len", uint64(head.MLen), "")
		if t, ok := head.EtherType(); ok {
			l.add("uehippi.ethertype", uint64(t), "")
		}
	}
}

// runs is the text of micropackets: those of one TYPE and virtual channel in a row are one word.
type runs struct {
	text []string
	last string
	n    int
}

// add adds a micropacket.
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
