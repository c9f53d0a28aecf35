package qos

import (
	"bytes"
	"strings"
	"testing"

	"uelink/wire/uet"
)

// FuzzClass compares with a parser that goes over the frame octet by octet: no frame is
// too odd, and nothing behind its end is looked at.
func FuzzClass(f *testing.F) {
	for _, c := range goldenFrames {
		f.Add(octets(&testing.T{}, c.octets))
	}
	for _, c := range uetPackets {
		f.Add(octets(&testing.T{}, c.octets+strings.Repeat("00", 10)))
	}
	byTag, byIP, byUET := numbered(TrustDot1p), numbered(TrustDSCP), numbered(TrustUET)
	f.Fuzz(func(t *testing.T, frame []byte) {
		if len(frame) < 14 {
			return
		}
		priority, dscp := model(bytes.NewReader(frame[12:]))
		frame = append([]byte(nil), frame...)[:len(frame):len(frame)]
		if got := byTag.Class(frame); got != priority {
			t.Errorf("priority %d, want %d", got, priority)
		}
		want := priority
		if dscp >= 0 {
			want = byIP.DSCP[dscp]
		}
		if got := byIP.Class(frame); got != want {
			t.Errorf("class %d, want %d", got, want)
		}
		if byUET.Classifier.Classify(frame).Class != uet.NotUET {
			return // what package uet finds is tested there
		}
		if got := byUET.Class(frame); got != want {
			t.Errorf("no UET: class %d, want %d", got, want)
		}
	})
}

// model reads what follows the addresses; dscp is -1 when there is none.
func model(r *bytes.Reader) (priority uint8, dscp int) {
	next := func() int {
		b, err := r.ReadByte()
		if err != nil {
			return -1
		}
		return int(b)
	}
	for tags := 0; ; tags++ {
		high, low := next(), next()
		switch [2]int{high, low} {
		case [2]int{0x81, 0x00}, [2]int{0x88, 0xA8}, [2]int{0x91, 0x00}:
			b := next()
			next()
			if tags == 0 && b >= 0 {
				priority = uint8(b) >> 4
			}
			if tags == 2 {
				return priority, -1
			}
		case [2]int{0x08, 0x00}:
			first, second := next(), next()
			if first < 0 || second < 0 || first>>4 != 4 {
				return priority, -1
			}
			return priority, second >> 2
		case [2]int{0x86, 0xDD}:
			first, second := next(), next()
			if first < 0 || second < 0 || first>>4 != 6 {
				return priority, -1
			}
			return priority, (first&15<<4 | second>>4) >> 2
		default:
			return priority, -1
		}
	}
}
