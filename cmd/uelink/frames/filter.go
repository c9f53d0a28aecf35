package frames

import (
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/cobra"

	"uelink/lab/decode"
)

// filter chooses the frames to show: frames that satisfy every given flag.
type filter struct {
	only  []string // words; the summary has one of them
	vcs   []uint   // virtual channels; the frame is on one of them
	hosts []string // addresses, of Ethernet or IP; one of them sends or receives the frame
	kinds []uint16 // EtherTypes; the frame, or its carried frame, has one of them
	count uint64   // how many are shown; 0: all

	shown uint64
}

// addFlags adds the flags of the filter to a command.
func (f *filter) addFlags(cmd *cobra.Command) {
	set := cmd.Flags()
	set.StringSliceVar(&f.only, "only", nil, "only frames with one of these `words` in their line: nack, data, lldp …")
	set.UintSliceVar(&f.vcs, "vc", nil, "only data frames of one of these virtual `channels`")
	set.Var((*hostsFlag)(&f.hosts), "host", "only frames from or to one of these MAC or IP addresses")
	set.Var((*kindsFlag)(&f.kinds), "type",
		"only frames with one of these EtherTypes, such as 0x800; a carried frame in a link frame counts too")
	set.Uint64Var(&f.count, "count", 0, "end after this number of frames; 0 = never")
}

// chooses reports whether the filter may leave out frames: whether a flag other than --count was given.
func (f *filter) chooses() bool {
	return len(f.only) > 0 || len(f.vcs) > 0 || len(f.hosts) > 0 || len(f.kinds) > 0
}

// enough reports whether as many frames have been shown as --count asks for.
func (f *filter) enough() bool { return f.count > 0 && f.shown >= f.count }

// takes reports whether a decoded frame shall be shown, and counts it if so. Unless a flag other than --count was
// given, every frame is shown.
func (f *filter) takes(frame *decode.Frame) bool {
	takes := (len(f.only) == 0 || f.hasWord(frame.Protocol()+" "+frame.Summary())) &&
		(len(f.vcs) == 0 || hasOne(frame, f.vcs, "uelink.vc", "uehippi.vc")) &&
		(len(f.hosts) == 0 || f.hasHost(frame)) && (len(f.kinds) == 0 || hasOne(frame, f.kinds, "eth.type"))
	if takes {
		f.shown++
	}
	return takes
}

// hasWord reports whether a text contains one of the words of --only, as a whole word in any case of letters:
// LLR_NACK contains the words llr and nack.
func (f *filter) hasWord(text string) bool {
	between := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	words := strings.FieldsFunc(strings.ToLower(text), between)
	return slices.ContainsFunc(f.only, func(word string) bool { return slices.Contains(words, strings.ToLower(word)) })
}

// hasOne reports whether a decoded frame has a field with one of the names and one of the values.
func hasOne[V uint | uint16](frame *decode.Frame, values []V, names ...string) bool {
	for _, l := range frame.Layers {
		for _, field := range l.Fields {
			if slices.Contains(names, field.Name) && slices.Contains(values, V(field.Value)) {
				return true
			}
		}
	}
	return false
}

// hasHost reports whether one of the addresses of --host sends or receives the frame: whether it stands in the title
// of an Ethernet or IP layer.
func (f *filter) hasHost(frame *decode.Frame) bool {
	for _, l := range frame.Layers {
		if l.Protocol != "eth" && l.Protocol != "ip" {
			continue
		}
		for word := range strings.FieldsSeq(l.Title) {
			if slices.Contains(f.hosts, strings.TrimSuffix(word, ",")) {
				return true
			}
		}
	}
	return false
}
