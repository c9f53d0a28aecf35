package decode

import (
	"uelink/lldp"
	"uelink/lldp/ue"
	"uelink/wire"
	"uelink/wire/layout"
	"uelink/wire/uet"
)

// Options is everything about the link that a frame itself does not show.
type Options struct {
	Dialect    wire.Dialect   // dialect of UET; a shim shows its own dialect
	Data       uint16         // EtherType of data frames
	Control    uint16         // EtherType of control frames
	OUI        lldp.OUI       // OUI of the TLVs of Ultra Ethernet
	UET        uet.Classifier // finds the UET packet in a frame
	Rendezvous uint8          // see uet.Options
}

// Defaults returns the options that the Wireshark plugin has by default.
func Defaults() Options {
	return Options{Dialect: wire.DialectUE1, Data: wire.EtherTypeData, Control: wire.EtherTypeControl,
		OUI: ue.DefaultOUI, UET: uet.NewClassifier()}
}

// Field is one value in a frame.
type Field struct {
	Name  string `json:"name"` // name in Wireshark's display filters, such as "ueuet.pds.psn"
	Value uint64 `json:"value"`
	Text  string `json:"text"`      // meaning of the value in words, or ""
	At    int    `json:"first_bit"` // number of the first bit in the frame, from 0; -1 if the value is computed
	Bits  int    `json:"bits"`      // length in bits; 0 if the value is computed
}

// Layer is a header or a message.
type Layer struct {
	Protocol string  `json:"protocol"` // such as "ueuet"
	Format   string  `json:"format"`   // such as "rud_req"; empty if no table of fields describes the layer
	Title    string  `json:"title"`
	At       int     `json:"at"`     // octet of the frame at which the layer begins
	Len      int     `json:"octets"` // length in octets
	Fields   []Field `json:"fields"`
}

// Fault is an error in a part of a frame.
type Fault struct {
	Protocol string `json:"protocol"` // the protocol whose rule is broken
	Text     string `json:"text"`
}

// Frame is a decoded frame, the outermost layer first.
type Frame struct {
	Layers []Layer
	Faults []Fault
}

// carriedMax is how many levels of carried frames are decoded.
const carriedMax = 3

// Decode decodes an Ethernet frame without FCS into its layers, fields and faults. Octets of unknown formats are
// left out.
func Decode(frame []byte, o Options) *Frame {
	w := walker{Frame: &Frame{}, options: &o}
	w.ethernet(frame, 0, carriedMax)
	return w.Frame
}

// DecodeCtlOS decodes a single control ordered set, in either view (64B/66B or xMII), into its fields and faults.
func DecodeCtlOS(octets []byte) *Frame {
	w := walker{Frame: &Frame{}}
	view := wire.ViewPCS
	if len(octets) > 0 && octets[0] == byte(wire.ViewXMII) {
		view = wire.ViewXMII
	}
	w.ctlos(octets, 0)
	if _, fault := wire.ParseCtlOS(octets, view); fault != wire.NoFault && fault != wire.FaultType {
		w.fault(ProtocolLink, fault.String())
	}
	return w.Frame
}

// DecodePreambleBlock decodes a single LLR preamble in 64B/66B into its fields and faults.
func DecodePreambleBlock(octets []byte) *Frame {
	w := walker{Frame: &Frame{}}
	w.table(ProtocolLink, &preambleBlock, octets, 0)
	if _, fault := wire.ParsePreambleBlock(octets); fault != wire.NoFault {
		w.fault(ProtocolLink, fault.String())
	}
	return w.Frame
}

// walker decodes one frame, layer by layer.
type walker struct {
	*Frame
	options *Options
}

func (w *walker) fault(protocol, text string) { w.Faults = append(w.Faults, Fault{protocol, text}) }

// layer appends a layer without fields to the decoded frame and returns it. The layer has length octets and begins
// at octet at of the frame.
func (w *walker) layer(protocol, title string, at, length int) *Layer {
	w.Layers = append(w.Layers, Layer{Protocol: protocol, Title: title, At: at, Len: length, Fields: []Field{}})
	return &w.Layers[len(w.Layers)-1]
}

// add appends a field with a computed value to the layer; the field has no place in the frame. text is the meaning
// of the value, or "".
func (l *Layer) add(name string, v uint64, text string) {
	l.Fields = append(l.Fields, Field{Name: name, Value: v, Text: text, At: -1})
}

// table decodes a header of format f at the beginning of octets, and appends it as a layer with its fields. The
// header is at octet at of the frame. table returns nil, and appends nothing, if octets is shorter than the
// header.
func (w *walker) table(protocol string, f *layout.Format, octets []byte, at int) *Layer {
	h, fault := f.Over(octets)
	if fault.Wrong() {
		return nil
	}
	return w.header(protocol, h, at)
}

// header appends a layer with the fields of the parsed header h, without reserved fields, to the decoded frame.
// The header is at octet at of the frame.
func (w *walker) header(protocol string, h layout.Header, at int) *Layer {
	l := w.layer(protocol, h.Format.Title, at, h.Format.Len)
	l.Format = h.Format.Name
	for i := range h.Format.Fields {
		f := &h.Format.Fields[i]
		if f.IsReserved() || !h.HasField(f) {
			continue
		}
		v := h.Value(f)
		l.Fields = append(l.Fields, Field{Name: h.Format.Filter(f), Value: v, Text: f.Names.Find(v),
			At: 8*at + f.At, Bits: f.Bits})
	}
	return l
}
