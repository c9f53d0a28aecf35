package path

import (
	"testing"

	"uelink/cbfc"
	"uelink/dataplane/fault"
	"uelink/llr"
	"uelink/wire"
)

// A link that does not know yet which virtual channels the partner takes holds its frames back: on VC 0
// they would overtake what the partner still has of their own channel, and cost no credits.
func TestFirstFramesGoOnTheirOwnChannel(t *testing.T) {
	inOneGoroutine(t)
	for seed := range uint64(50) {
		o := credited(16)
		o.wire = fault.Config{Loss: 0.3}
		o.profile.InitAction = llr.Block
		p := newPair(o, seed)
		p.lossless(t)
		p.b.between.keeps = func(f []byte) bool {
			pre, fault := wire.ParseData(f, wire.DialectSeed)
			if wire.EtherType(f) != wire.EtherTypeData || fault != wire.NoFault || pre.Partner {
				return false
			}
			if v := p.a.vc(1); pre.VC != 1 || v.Phase != cbfc.Lossless || v.Sender.Used == 0 {
				t.Fatalf("seed %d: a frame on VC %d, %+v", seed, pre.VC, v)
			}
			return false
		}
		p.restart(p.a)
		if !p.crosses(tagged(1, 0)) {
			t.Errorf("seed %d: nothing comes", seed)
		}
	}
}
