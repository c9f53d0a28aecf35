package llr

import (
	"encoding/json"
	"testing"
)

// States are words in JSON, and no other word is one.
func TestStatesInJSON(t *testing.T) {
	type states struct {
		Tx TxState
		Rx RxState
	}
	for tx := TxOff; tx <= TxFlush; tx++ {
		for rx := RxOff; rx <= RxNackSent; rx++ {
			octets, err := json.Marshal(states{tx, rx})
			if want := `{"Tx":"` + tx.String() + `","Rx":"` + rx.String() + `"}`; err != nil || string(octets) != want {
				t.Errorf("%s, %v; want %s", octets, err, want)
			}
			var back states
			if err := json.Unmarshal(octets, &back); err != nil || back != (states{tx, rx}) {
				t.Errorf("%s: %v, %v", octets, back, err)
			}
		}
	}
	for _, text := range []string{`{"Tx":"?"}`, `{"Tx":"advance"}`, `{"Rx":""}`, `{"Rx":3}`} {
		if err := json.Unmarshal([]byte(text), &states{}); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}
