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
