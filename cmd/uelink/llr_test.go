package main

import (
	"testing"

	"uelink/dataplane"
)

// What LLDP has to do with LLR, in the column Note.
func TestAgreed(t *testing.T) {
	for want, n := range map[string]*dataplane.LLRNegotiation{
		"":                                             nil,
		"partner present, LLR is agreed":               {Partner: "present", WillingLocal: true, AgreedLocal: true, AgreedRemote: true},
		"partner aged, LLR is agreed":                  {Partner: "aged", WillingLocal: true, AgreedLocal: true, AgreedRemote: true},
		"partner withdrawn, LLR is given up":           {Partner: "withdrawn", WillingLocal: true, Retiring: true},
		"partner none, LLR is not agreed":              {Partner: "none", WillingLocal: true},
		"partner present, this end does not offer LLR": {Partner: "present"},
	} {
		if got := agreed(n); got != want {
			t.Errorf("%+v: %q, want %q", n, got, want)
		}
	}
}
