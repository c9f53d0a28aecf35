package vectors

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"uelink/lab/decode"
)

var (
	mutations = flag.Int("mutations", 1000, "damaged packets for tshark")
	seedFlag  = flag.Uint64("seed", uint64(time.Now().UnixNano()), "of the damage")
)

// mutated damages a vector: octets changed, cut off, put in, put twice.
func mutated(r *rand.Rand, b []byte) []byte {
	b = slices.Clone(b)
	for range 1 + r.IntN(4) {
		if len(b) == 0 {
			return b
		}
		at := r.IntN(len(b))
		switch r.IntN(6) {
		case 0:
			b[at] ^= 1 << r.IntN(8)
		case 1:
			b[at] = byte(r.Uint32())
		case 2:
			b[at] = [...]byte{0, 1, 0x7F, 0x80, 0xFF}[r.IntN(5)]
		case 3:
			b = b[:at]
		case 4:
			b = slices.Insert(b, at, byte(r.Uint32()))
		case 5:
			b = append(b, b[at:]...)
		}
	}
	return b
}

// Whatever comes, the script has no error, tshark does not crash, and our decoder neither.
func TestMutatedPackets(t *testing.T) {
	r := rand.New(rand.NewPCG(*seedFlag, 0))
	t.Logf("seed %d", *seedFlag)
	whole := all()
	list := make([]Vector, *mutations)
	for i := range list {
		v := whole[r.IntN(len(whole))]
		v.Octets = mutated(r, v.Octets)
		v.Name = fmt.Sprint(i)
		list[i] = v
		v.Decoded()
	}
	capture, err := PCAPNG(list)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mutated.pcapng")
	if err := os.WriteFile(path, capture, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dialect := range []string{"seed", "ue1"} {
		out := tshark(t, path, "-o", "ueuet.dialect:"+dialect, "-Y", "_ws.lua.error", "-T", "fields", "-e",
			"frame.number",
			"-e", "_ws.lua.error")
		if len(out) > 0 {
			t.Errorf("the script fails:\n%.2000s", out)
		}
	}
}

// Frames of any octets are taken apart without a panic, and fields lie within them.
func FuzzDecode(f *testing.F) {
	for i, v := range all() {
		if i%17 == 0 {
			f.Add(v.Octets, v.Dialect == "ue1")
		}
	}
	f.Fuzz(func(t *testing.T, b []byte, ue1 bool) {
		o := decode.Defaults()
		if !ue1 {
			o.Dialect = 0
		}
		o.Rendezvous = RendezvousOpcode
		for _, frame := range []*decode.Frame{decode.Decode(b, o), decode.DecodeCtlOS(b),
			decode.DecodePreambleBlock(b)} {
			for _, l := range frame.Layers {
				for _, field := range l.Fields {
					if field.At >= 0 && field.At+field.Bits > 8*len(b) {
						t.Fatalf("%s at bit %d of %d octets", field.Name, field.At, len(b))
					}
				}
			}
		}
	})
}
