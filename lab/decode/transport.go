package decode

import (
	"uelink/wire/uet"
)

// trimmedTitle is the title of the layer for the part that a switch has cut off.
const trimmedTitle = "Trimmed"

// uet decodes the UET packet in Ethernet frame b, if there is one, and adds a layer for each header. Octet i of b
// is octet shift+i of the outermost frame.
func (w *walker) uet(b []byte, shift int) {
	o := w.options
	s := o.UET.Classify(b)
	if s.Class == uet.NotUET {
		return
	}
	at := int(s.Start)
	var p uet.Packet
	fault := p.Parse(b[at:s.End], uet.Options{Dialect: o.Dialect, Entropy: s.Entropy, Trimmed: s.Trimmed,
		Rendezvous: o.Rendezvous})
	for _, h := range p.Headers() {
		l := w.header(ProtocolUET, h.Header, shift+at)
		for i := range l.Fields {
			if f := &l.Fields[i]; f.Name == "ueuet.pds.next_hdr" {
				f.Text = h.Of.NextHeaderName(o.Dialect, f.Value)
			}
		}
		at += h.Of.Len
	}
	if s.Trimmed {
		w.layer(ProtocolUET, trimmedTitle, shift+at, 0).add("ueuet.trimmed", 1, "")
	}
	if fault.Wrong() {
		w.fault(ProtocolUET, fault.Code())
	}
}
