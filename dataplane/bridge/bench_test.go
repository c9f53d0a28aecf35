package bridge

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"uelink/wire"
)

// BenchmarkFrame is a frame from one known address to another, with 10 to 100,000 addresses in
// the table: Decide, Admit and Egress. What grows is what the caches of the machine cost;
// TestProbesAreFew shows that the number of slots does not.
func BenchmarkFrame(b *testing.B) {
	for _, n := range []int{10, 100, 1000, 10000, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := rand.New(rand.NewPCG(1, uint64(n)))
			br := New(Settings{Ageing: 300 * time.Second, MaxEntries: 131072}, r.Uint64(), 0)
			for i := range 8 {
				_ = br.SetPort(i, PortSettings{Learning: true})
			}
			macs := make([][6]byte, n)
			for i := range macs {
				macs[i] = randomMAC(r)
				frame := addressesOf(macs[i], macs[0])
				v := br.Decide(i%8, frame, untagged(), 0)
				br.Admit(i%8, frame, &v, 0)
			}
			frames := make([][]byte, 1<<14)
			from := make([]int, len(frames))
			for i := range frames {
				j, k := r.IntN(n), r.IntN(n)
				for k%8 == j%8 {
					k = r.IntN(n)
				}
				frames[i], from[i] = addressesOf(macs[j], macs[k]), j%8
			}
			rest := untagged()
			b.ResetTimer()
			for i := range b.N {
				f, in := frames[i%len(frames)], from[i%len(frames)]
				v := br.Decide(in, f, rest, wire.Time(i))
				if !br.Admit(in, f, &v, wire.Time(i)) || v.Out < 0 {
					b.Fatal(v)
				}
				if _, ok := br.Egress(in, v.Out, &v); !ok {
					b.Fatal("stays")
				}
			}
		})
	}
}

func randomMAC(r *rand.Rand) (mac [6]byte) {
	for i := range mac {
		mac[i] = byte(r.Uint32())
	}
	mac[0] = mac[0]&^1 | 2
	return mac
}

func addressesOf(sa, da [6]byte) []byte { return append(append([]byte{}, da[:]...), sa[:]...) }
func untagged() []byte                  { return []byte{8, 0, 0, 0} }
