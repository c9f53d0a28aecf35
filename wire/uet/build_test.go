package uet

import (
	"slices"
	"testing"

	"uelink/wire"
)

// joined is the octets of headers and a payload.
func joined(headers []Header, payload string) (b []byte) {
	for _, h := range headers {
		b = append(b, h.Octets...)
	}
	return append(b, payload...)
}

// Parse reads every kind of built packet without a fault, header by header; the octets after the
// headers are the payload.
func TestEveryKindIsBuiltAsItIsRead(t *testing.T) {
	seen := map[Layer]int{}
	for _, d := range []wire.Dialect{seed, ue1} {
		for _, f := range Kinds(d) {
			built := f.Build(d)
			b := joined(built, "payload")
			var p Packet
			fault := p.Parse(b, Options{Dialect: d, Rendezvous: RendezvousOpcode})
			if fault.Wrong() || string(p.Payload) != "payload" {
				t.Errorf("%v %s: %v, payload %q", d, f.Name, fault, p.Payload)
			}
			same := func(a, b Header) bool { return a.Of == b.Of && slices.Equal(a.Octets, b.Octets) }
			if !slices.EqualFunc(p.Headers(), built, same) {
				t.Errorf("%v %s: built %d headers, read %d", d, f.Name, len(built), len(p.Headers()))
			}
			if _, ok := p.Header(f.Layer); !ok || f.Layer == LayerEntropy {
				t.Errorf("%v %s: it is not in the packet, or cannot be", d, f.Name)
			}
			seen[f.Layer]++
		}
	}
	for _, l := range []Layer{LayerTSS, LayerPDS, LayerSES, LayerExtension} {
		if seen[l] < 4 {
			t.Errorf("layer %d has %d kinds in both dialects", l, seen[l])
		}
	}
}

// A built PDS request carries a standard request, in both dialects.
func TestRequestsAreBuiltWithAStandardRequest(t *testing.T) {
	for d, want := range map[wire.Dialect]string{seed: "standard_request_som1", ue1: "req_std_som1"} {
		for _, name := range []string{"rud_req", "rod_cc_req", "rudi_req", "uud_req"} {
			headers := FormatByName(d, name).Build(d)
			if len(headers) != 2 || headers[1].Of.Name != want {
				t.Errorf("%v %s: %d headers", d, name, len(headers))
			}
		}
		if n := len(FormatByName(d, "nack").Build(d)); n != 1 {
			t.Errorf("%v: a NACK of %d headers", d, n)
		}
	}
}

func TestWhatIsBuiltIsNotShared(t *testing.T) {
	f := FormatByName(seed, "rud_req")
	f.Build(seed)[0].Octets[4] = 0xFF
	if again := f.Build(seed); again[0].Octets[4] != 0 {
		t.Error("two packets have the same octets")
	}
}
