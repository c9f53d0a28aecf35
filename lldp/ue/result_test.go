package ue

import (
	"encoding/json"
	"testing"
)

func TestResultReadsBack(t *testing.T) {
	for partner := range PartnerState(len(partnerNames)) {
		for fault := range Fault(len(faultNames)) {
			want := Result{Partner: partner, Advertised: Advertisement{LinkFault: fault, CBFC: CBFC{VCs: 4}},
				CBFC: Credit{On: true, Pool: 7}}
			octets, err := json.Marshal(want)
			if err != nil {
				t.Fatal(err)
			}
			var got Result
			if err := json.Unmarshal(octets, &got); err != nil || got != want {
				t.Errorf("%v, %+v from %s", err, got, octets)
			}
		}
	}
}

func TestWordsOfALaterVersion(t *testing.T) {
	var got Result
	if err := json.Unmarshal([]byte(`{"partner": "asleep", "own": {"link_fault": "purple"}}`), &got); err != nil {
		t.Fatal(err)
	}
	if got.Partner.String() != "unknown" || got.Own.LinkFault.String() != "unknown fault" {
		t.Errorf("%+v", got)
	}
}

// Bits of lossless_vcs for channels that either end does not have mean nothing, whoever sends them: a channel that is
// not there is not used.
func TestLosslessChannelsAreCutToThoseOfBothEnds(t *testing.T) {
	for _, c := range []struct {
		own, partner CBFC
		vcs          int
		lossless     uint32
	}{
		{CBFC{VCs: 4, Lossless: 0xFFFFFFFF}, CBFC{VCs: 8, Lossless: 0xFFFFFFFF}, 4, 0x0F},
		{CBFC{VCs: 8, Lossless: 0xFFFFFFFF}, CBFC{VCs: 4, Lossless: 0xFFFFFFFF}, 4, 0x0F},
		{CBFC{VCs: 1, Lossless: 0xFFFFFFFE}, CBFC{VCs: 32, Lossless: 0xFFFFFFFF}, 1, 0},
		{CBFC{VCs: 31, Lossless: 0xFFFFFFFF}, CBFC{VCs: 32, Lossless: 0xFFFFFFFF}, 31, 0x7FFFFFFF},
		{CBFC{VCs: 32, Lossless: 0xFFFFFFFF}, CBFC{VCs: 32, Lossless: 0x80000001}, 32, 0x80000001},
	} {
		if got := (Credit{}).next(true, c.own, c.partner); got.VCs != c.vcs || got.Lossless != c.lossless {
			t.Errorf("%+v and %+v: %d channels, lossless %#x, want %d and %#x", c.own, c.partner, got.VCs, got.Lossless,
				c.vcs, c.lossless)
		}
	}
}
