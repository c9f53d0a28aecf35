package main

import (
	"encoding/hex"
	"strings"
	"testing"

	"uelink/control"
	"uelink/lldp/dcbx"
	"uelink/lldp/ue"
)

func TestAge(t *testing.T) {
	for seconds, want := range map[int64]string{0: "0 day, 00:00:00", 29: "0 day, 00:00:29", 93784: "1 day, 02:03:04", 2*86400 + 86399: "2 days, 23:59:59"} {
		if got := age(seconds); got != want {
			t.Errorf("%d: %s", seconds, got)
		}
	}
}

func TestUETLVsOfNoUse(t *testing.T) {
	var b strings.Builder
	writeUE(outline{w: &b}, "UE TLVs", ue.Advertisement{LinkFault: ue.FaultShort, CBFCFault: ue.FaultRepeated})
	want := "UE TLVs:\n  Link:         of no use: too short\n  CBFC:         of no use: there more than once\n"
	if b.String() != want {
		t.Errorf("%q", b.String())
	}
}

// The older protocol is shown, also one that cannot be read.
func TestCINInWords(t *testing.T) {
	payload := "020a00000000000500000004" + // control
		"0414" + "0000c000" + "3232000000000000" + "0032203200000000" + // too short for PG
		""
	pfc := "020a00000000000500000004" + "0605" + "0000c000" + "08"
	for octets, want := range map[string]string{
		payload: "DCBX TLV of before CEE:\n  Of no use:    decode DCBX TLV: ",
		pfc:     "DCBX TLV of before CEE:\n  Control:      SeqNo 5, AckNo 4, version 0, highest 0\n  PFC:          enabled, willing; priorities 3\n",
	} {
		var b strings.Builder
		payload, err := hex.DecodeString(octets)
		if err != nil {
			t.Fatal(err)
		}
		tlv := control.DCBXTLV{Subtype: dcbx.SubtypeCIN}
		if tlv.CIN, err = dcbx.DecodeCIN(payload); err != nil {
			tlv.Fault = err.Error()
		}
		writeDCBXTLVs(outline{w: &b}, []control.DCBXTLV{tlv})
		if !strings.HasPrefix(b.String(), want) {
			t.Errorf("%q", b.String())
		}
	}
}
