package decode

import (
	"fmt"
	"strings"

	"uelink/wire/layout"
)

// Summary returns one line of text about the decoded frame: its layers, then its faults in brackets.
func (f *Frame) Summary() string {
	var words []string
	for i := range f.Layers {
		if s := f.Layers[i].summary(); s != "" {
			words = append(words, s)
		}
	}
	for _, fault := range f.Faults {
		words = append(words, "["+fault.Protocol+": "+fault.Text+"]")
	}
	return strings.Join(words, ", ")
}

// Protocol returns the name of the innermost protocol that this package decodes, in capitals: "UEUET"; "ETH" if
// there is none.
func (f *Frame) Protocol() string {
	for i := len(f.Layers) - 1; i >= 0; i-- {
		if p := f.Layers[i].Protocol; p != "eth" && p != "ip" {
			return strings.ToUpper(p)
		}
	}
	return "ETH"
}

// summary returns the words about this layer in the line of Summary; "" for layers without words.
func (l *Layer) summary() string {
	switch {
	case l.Format == preambleSeed.Name || l.Format == preambleUE1.Name:
		return l.shim()
	case l.Protocol == ProtocolUET && l.Format != "":
		return l.Title + l.operation()
	case l.Title == trimmedTitle:
		return "trimmed"
	case l.Protocol == ProtocolHIPPI && strings.HasPrefix(l.Title, "micropackets"):
		return l.Title
	case l.Protocol == ProtocolHIPPI:
		return "" // the title of the first layer lists all micropackets
	case l.Protocol == "ip" || l.Protocol == ProtocolLLDP && l.Format == "":
		return l.Title
	case l.Protocol == ProtocolLLR && l.Format == "":
		return fmt.Sprintf("#%d", l.Fields[0].Value)
	case l.Format == "" || strings.HasPrefix(l.Format, "dcbx_") || l.Format == controlHeader.Name:
		return ""
	}
	return l.Title + l.numbers()
}

// operation returns the operation, the codes and the packet numbers (psn, cack_psn, nack_psn) of a UET header as
// text, with a space in front of each.
func (l *Layer) operation() string {
	text := ""
	for _, f := range l.Fields {
		_, name, _ := strings.Cut(strings.TrimPrefix(f.Name, "ueuet."), ".")
		switch name {
		case "opcode", "response_opcode", "return_code", "nack_code", "ctl_type":
			if f.Text == "" {
				f.Text = fmt.Sprint(f.Value)
			}
			text += " " + f.Text
		case "psn", "cack_psn", "nack_psn":
			text += fmt.Sprintf(" %s %d", name, f.Value)
		}
	}
	return text
}

// numbers returns the sequence number, and the name and value of each field other than 0, of a control ordered set
// or of a TLV, as text with a space in front of each.
func (l *Layer) numbers() string {
	text := ""
	for _, f := range l.Fields {
		name := f.Name[strings.LastIndexByte(f.Name, '.')+1:]
		switch name {
		case "ack_nack_seq", "init_seq":
			text += fmt.Sprintf(" %d", f.Value)
		case "block_type", "ctlos_type", "ocode", "item", "init_data_low", "init_data_high", "opcode", "cid":
		default:
			if f.Value != 0 {
				text += fmt.Sprintf(" %s %s", name, f.words())
			}
		}
	}
	return text
}

// shim returns the peculiarities of a data frame as text: no sequence number, a virtual channel above 0, a bad or
// poisoned FCS image; "" without any.
func (l *Layer) shim() string {
	var words []string
	for _, f := range l.Fields {
		switch {
		case f.Name == "uelink.sequenced" && f.Value == 0:
			words = append(words, "not sequenced")
		case f.Name == "uelink.vc" && f.Value > 0:
			words = append(words, fmt.Sprintf("VC %d", f.Value))
		case f.Name == "uelink.fcs_status" && f.Value > 0:
			words = append(words, f.Text+" FCS")
		}
	}
	return strings.Join(words, " ")
}

// words returns the meaning of the field's value as text; the number if the value has no name.
func (f *Field) words() string {
	if f.Text != "" {
		return f.Text
	}
	return fmt.Sprint(f.Value)
}

// Where returns the field's octets and bits in the frame, in the notation of the tables, such as "2-3+4[7:4]". It
// is empty for computed values.
func (f *Field) Where() string {
	if f.At < 0 {
		return ""
	}
	place := layout.Field{At: f.At, Bits: f.Bits}
	return place.Place()
}
