package model

import (
	"encoding/json"
	"testing"
)

// Modes and addresses are words in JSON, and no other word is one.
func TestWordsInJSON(t *testing.T) {
	type words struct {
		Mode LLRMode       `json:"mode"`
		Of   Encapsulation `json:"of"`
		MAC  Address       `json:"mac,omitzero"`
	}
	for text, want := range map[string]words{
		`{"mode":"off","of":"transparent"}`:                             {},
		`{"mode":"static","of":"addressed"}`:                            {Mode: LLRStatic, Of: Addressed},
		`{"mode":"dynamic","of":"addressed","mac":"02:00:00:00:00:1f"}`: {LLRDynamic, Addressed, Address{2, 5: 0x1f}},
	} {
		octets, err := json.Marshal(want)
		if err != nil || string(octets) != text {
			t.Errorf("%s, %v; want %s", octets, err, text)
		}
		var back words
		if err := json.Unmarshal([]byte(text), &back); err != nil || back != want {
			t.Errorf("%s: %+v, %v", text, back, err)
		}
	}
	for _, text := range []string{`{"mode":"?"}`, `{"of":""}`, `{"mac":"02:00"}`, `{"mac":"02:00:00:00:00:00:00:01"}`} {
		if err := json.Unmarshal([]byte(text), &words{}); err == nil {
			t.Errorf("%s is accepted", text)
		}
	}
}
