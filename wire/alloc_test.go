package wire

import "testing"

func TestNothingAllocates(t *testing.T) {
	data, control, out := make([]byte, 2048), make([]byte, MaxControlLen), make([]byte, 2048)
	carried, list := carriedFrame(1514), []CtlOS{{Type: LLRAck, Seq: 1}, {Type: CFUpdate}}
	var into [MaxCtlOS]CtlOS
	for name, f := range map[string]func(){
		"data": func() {
			n := PutData(data, carried, EtherTypeData, DialectUE1, Preamble{Seq: 1, Sequenced: true, FCS: true}, false)
			p, _ := ParseData(data[:n], DialectUE1)
			_ = JudgeFCS(data[:n], p, true)
			_ = Carried(out, data[:n], p, true)
		},
		"addressed data": func() {
			n := PutAddressed(data, carried, &goldenOuter, EtherTypeData, DialectSeed, Preamble{FCS: true}, false)
			p, _ := ParseData(data[:n], DialectSeed)
			_ = Carried(out, data[:n], p, true)
			Readdress(data[:n], &goldenOuter, true)
		},
		"control": func() {
			n := PutControl(control, goldenSA, EtherTypeControl, list)
			ParseControl(control[:n], &into)
		},
		"PFC": func() {
			n := PutPFC(control, goldenSA, PFC{Enable: 0x81, Quanta: [Priorities]uint16{0: 1}})
			_, _ = ParsePFC(control[:n])
		},
		"PAUSE": func() {
			n := PutPFC(control, goldenSA, Pause(7))
			_, _ = ParsePFC(control[:n])
		},
		"preamble block": func() {
			PutPreambleBlock(out, Preamble{Seq: 1})
			_, _ = ParsePreambleBlock(out)
		},
	} {
		if n := testing.AllocsPerRun(100, f); n != 0 {
			t.Errorf("%s: %v allocations", name, n)
		}
	}
}
