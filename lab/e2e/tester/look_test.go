package tester

import (
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket/pcapgo"

	"uelink/lab/e2e/bed"
	"uelink/wire"
	"uelink/wire/micropacket"
)

// unit is a message that a port has sent or received: a frame, a control ordered set, or a micropacket, as the
// dissector for Wireshark names it.
type unit struct {
	at     time.Time
	out    bool   // sent
	frame  int    // number in the capture
	count  int    // of the messages in the frame
	name   string // what it is, and what is wrong with it
	text   string // as Wireshark shows it, with its numbers
	octets string // of the frame, of the ordered set (8), or of the micropacket (40)
}

// columns are the fields that tshark prints of each frame.
var columns = []string{"frame.packet_flags_direction", "_ws.col.Protocol", "uelink.fcs_status", "uehippi.lcrc_status",
	"_ws.col.Info"}

// look returns the messages of a capture with directions, in their order.
func look(t testing.TB, path string) (all []unit) {
	t.Helper()
	args := []string{"-n", "-X", "lua_script:../../../deploy/wireshark/uelink.lua", "-T", "fields", "-E", "separator=/t"}
	for _, name := range columns {
		args = append(args, "-e", name)
	}
	lines := strings.Split(strings.TrimSuffix(bed.Tshark(t, path, args...), "\n"), "\n")
	file, err := os.Open(path)
	bed.Must(t, err)
	defer file.Close()
	r, err := pcapgo.NewNgReader(file, pcapgo.NgReaderOptions{WantMixedLinkType: true})
	bed.Must(t, err)
	for i := 0; ; i++ {
		octets, info, err := r.ReadPacketData()
		if errors.Is(err, io.EOF) && i == len(lines) {
			return all
		}
		bed.Must(t, err)
		words := strings.SplitN(lines[i], "\t", len(columns))
		if len(words) != len(columns) {
			t.Fatalf("tshark says %q", lines[i])
		}
		u := unit{at: info.Timestamp, out: strings.HasSuffix(words[0], "2"), frame: i, octets: string(octets)}
		all = append(all, units(u, words)...)
	}
}

// analysis is what the dissector adds to a text by what it has seen before.
var analysis = regexp.MustCompile(` ?\[(gap of \d+|duplicate|replay|again|recovered in [\d.]+ s|damaged)\]`)

// units returns the messages of a frame, by the words that tshark has printed.
func units(u unit, words []string) (all []unit) {
	protocol, status := words[1], words[2]
	u.text = strings.TrimSpace(analysis.ReplaceAllString(words[4], ""))
	switch {
	case protocol == "UEHIPPI":
		return micropackets(u, strings.Split(words[3], ","))
	case strings.HasPrefix(u.text, "#") && strings.Contains(u.text, "CC_Update"):
		u.name = "CC_Update" + states[status]
	case strings.HasPrefix(u.text, "#"):
		u.name = "data" + states[status]
	case strings.HasPrefix(u.text, "bare"):
		u.name = "plain" + states[status]
	case protocol == "UELINK":
		return sets(u)
	default:
		u.name = protocol
	}
	return []unit{u}
}

// states are the states of the FCS image of a data frame.
var states = map[string]string{"1": " poisoned", "2": " bad"}

// sets returns the control ordered sets of a control frame. Those of a damaged frame have the damage in their names.
func sets(u unit) (all []unit) {
	text, wrong, _ := strings.Cut(u.text, " [")
	if wrong != "" {
		wrong = " " + strings.TrimSuffix(wrong, "]")
	}
	octets := u.octets
	for i, text := range strings.Split(text, ", ") {
		at := wire.HeaderLen + 2 + i*wire.CtlOSLen
		if at+wire.CtlOSLen > len(octets) {
			break
		}
		u.text, u.octets = text, octets[at:at+wire.CtlOSLen]
		u.name = numbers.ReplaceAllString(text, "") + wrong
		u.count = int(octets[wire.HeaderLen+1])
		all = append(all, u)
	}
	return all
}

// numbers are those of a text.
var numbers = regexp.MustCompile(`( VC)? \d+`)

// micropackets returns the micropackets of a frame. lcrc is the states of their LCRCs.
func micropackets(u unit, lcrc []string) (all []unit) {
	octets := u.octets
	text, wrong, _ := strings.Cut(u.text, " [")
	for _, word := range strings.Fields(text) {
		n, kind := 1, word
		if count, rest, ok := strings.Cut(word, "x"); ok && first.MatchString(count) {
			n, _ = strconv.Atoi(count)
			kind = rest
		}
		for range n {
			i := len(all)
			if at := micropacket.FrameHeadLen + i*micropacket.Len; at+micropacket.Len <= len(octets) {
				u.octets = octets[at : at+micropacket.Len]
			}
			u.name, _, _ = strings.Cut(kind, "/")
			if wrong != "" || i < len(lcrc) && lcrc[i] != "0" {
				u.name += " bad"
			}
			u.text = fmt.Sprintf("%s #%d", kind, u.octets[36])
			all = append(all, u)
		}
	}
	return all
}

// number returns the first number in a text, -1 if there is none.
func (u unit) number() int {
	n, err := strconv.Atoi(first.FindString(u.text))
	if err != nil {
		return -1
	}
	return n
}

var first = regexp.MustCompile(`\d+`)
