package wire

import "testing"

var sizes = []struct {
	name string
	n    int
}{{"60B", 60}, {"1500B", 1500}}

func BenchmarkPutData(b *testing.B) {
	for _, s := range sizes {
		for _, fcs := range []bool{false, true} {
			b.Run(s.name+map[bool]string{true: "/FCS", false: "/noFCS"}[fcs], func(b *testing.B) {
				carried, out := make([]byte, s.n), make([]byte, 2048)
				p := Preamble{Sequenced: true, FCS: fcs}
				b.SetBytes(int64(s.n))
				for b.Loop() {
					p.Seq = SeqAdd(p.Seq, 1)
					PutData(out, carried, EtherTypeData, DialectSeed, p, false)
				}
			})
		}
	}
}

func BenchmarkParseDataCheckFCS(b *testing.B) {
	for _, s := range sizes {
		b.Run(s.name, func(b *testing.B) {
			f := make([]byte, 2048)
			f = f[:PutData(f, make([]byte, s.n), EtherTypeData, DialectSeed,
				Preamble{Seq: 5, Sequenced: true, FCS: true}, false)]
			b.SetBytes(int64(s.n))
			for b.Loop() {
				if _, fault := ParseData(f, DialectSeed); fault != NoFault || CheckFCS(f) != FCSGood {
					b.Fatal("refused")
				}
			}
		})
	}
}

func BenchmarkCarried(b *testing.B) {
	for _, s := range sizes {
		b.Run(s.name, func(b *testing.B) {
			f, out := make([]byte, 2048), make([]byte, 2048)
			p := Preamble{Seq: 5, Sequenced: true, FCS: true}
			f = f[:PutData(f, make([]byte, s.n), EtherTypeData, DialectSeed, p, false)]
			b.SetBytes(int64(s.n))
			for b.Loop() {
				Carried(out, f, p, true)
			}
		})
	}
}

func BenchmarkPutControl(b *testing.B) {
	list := []CtlOS{{Type: LLRAck, Seq: 7}, {Type: LLRNack, Seq: 9}}
	out := make([]byte, MaxControlLen)
	for b.Loop() {
		PutControl(out, MAC{2}, EtherTypeControl, list)
	}
}

func BenchmarkParseControl(b *testing.B) {
	f := make([]byte, MaxControlLen)
	f = f[:PutControl(f, MAC{2}, EtherTypeControl, []CtlOS{{Type: LLRAck, Seq: 7}, {Type: LLRNack, Seq: 9}})]
	var into [MaxCtlOS]CtlOS
	for b.Loop() {
		if _, _, fault := ParseControl(f, &into); fault != NoFault {
			b.Fatal(fault)
		}
	}
}
