package decode

import (
	"fmt"
	"strings"

	"uelink/wire/layout"
)

// Summary returns one line about the frame: its layers, then its faults in brackets.
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

// Protocol returns the innermost protocol known to this package, in capitals: "UEUET".
func (f *Frame) Protocol() string {
	for i := len(f.Layers) - 1; i >= 0; i-- {
		if p := f.Layers[i].Protocol; p != "eth" && p != "ip" {
			return strings.ToUpper(p)
		}
	}
	return "ETH"
}

// summary returns the text of a layer in the line of Summary; "" for layers without one.
func (l *Layer) summary() string {
	switch {
	case l.Format == preambleSeed.Name || l.Format == preambleUE1.Name:
		return l.shim()
	case l.Protocol == ProtocolUET && l.Format != "":
		return l.Title + l.operation()
	case l.Title == trimmedTitle:
		return "trimmed"
	case l.Protocol == "ip" || l.Protocol == ProtocolLLDP && l.Format == "":
		return l.Title
	case l.Protocol == ProtocolLLR && l.Format == "":
		return fmt.Sprintf("#%d", l.Fields[0].Value)
	case l.Format == "" || strings.HasPrefix(l.Format, "dcbx_") || l.Format == controlHeader.Name:
		return ""
	}
	return l.Title + l.numbers()
}

// operation returns the operations, codes and packet numbers of a UET header.
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

// numbers returns the numbers and set fields of a control ordered set or of a TLV.
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

// shim returns the peculiarities of a data frame: no sequence number, a channel above 0, a bad or poisoned FCS image.
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

// words returns the name of the value; the number if there is no name.
func (f *Field) words() string {
	if f.Text != "" {
		return f.Text
	}
	return fmt.Sprint(f.Value)
}

// Where returns the place of a field in the frame, in the notation of the tables. It is empty for computed values.
func (f *Field) Where() string {
	if f.At < 0 {
		return ""
	}
	place := layout.Field{At: f.At, Bits: f.Bits}
	return place.Where()
}
