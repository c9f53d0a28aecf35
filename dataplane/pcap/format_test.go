package pcap

import (
	"bytes"
	"encoding/hex"
	"strings"
	"testing"
)

func TestFormatGolden(t *testing.T) {
	for _, c := range []struct {
		name string
		got  []byte
		want string
	}{
		{"section header", section(), `0A0D0D0A 2C000000 4D3C2B1A 0100 0000 FFFFFFFFFFFFFFFF
			0400 0600 75656C696E6B 0000 | 0000 0000 2C000000`},
		{"interface description", appendInterface(nil, "link0"), `01000000 2C000000 0100 0000 00000000
			0200 0500 6C696E6B30 000000 | 0900 0100 09 000000 | 0000 0000 2C000000`},
		{"enhanced packet, 5 octets in", appendPacket(nil, captured{3, 0x1122334455667788, inbound, []byte{1, 2, 3, 4, 5},
			nil}), `06000000 34000000
			03000000 44332211 88776655 05000000 05000000 | 01020304 05000000 | 0200 0400 01000000 | 0000 0000 34000000`},
		{"enhanced packet, 4 octets out", appendPacket(nil, captured{0, 1, outbound, []byte{1, 2, 3, 4}, nil}),
			`06000000 30000000
			00000000 00000000 01000000 04000000 04000000 | 01020304 | 0200 0400 02000000 | 0000 0000 30000000`},
		{"with a comment", appendPacket(nil, captured{0, 1, outbound, []byte{1, 2, 3, 4}, []byte("r1 drop")}), `06000000 3C000000
			00000000 00000000 01000000 04000000 04000000 | 01020304 | 0200 0400 02000000 | 0100 0700 72312064726F7000 |
			0000 0000 3C000000`},
	} {
		want, err := hex.DecodeString(strings.NewReplacer(" ", "", "\n", "", "\t", "", "|", "").Replace(c.want))
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(c.got, want) {
			t.Errorf("%s\n got % x\nwant % x", c.name, c.got, want)
		}
		if got := firstBlock(append(c.got, 1, 2, 3)); got != len(want) {
			t.Errorf("%s: length %d, want %d", c.name, got, len(want))
		}
	}
}

func TestPacketSizeIsThatOfTheBlock(t *testing.T) {
	for n := range 70 {
		for comment := range 6 {
			p := captured{way: inbound, octets: make([]byte, n), comment: make([]byte, comment)}
			if got, want := len(appendPacket(nil, p)), packetSize(n, comment); got != want {
				t.Errorf("%d octets and a comment of %d take %d, not %d", n, comment, got, want)
			}
		}
	}
}
