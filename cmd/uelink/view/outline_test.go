package view

import (
	"strings"
	"testing"

	"uelink/control/api"
	"uelink/lldp/dcbx"
	"uelink/lldp/ue"
)

func TestAge(t *testing.T) {
	for seconds, want := range map[int64]string{0: "0 day, 00:00:00", 29: "0 day, 00:00:29", 93784: "1 day, 02:03:04",
		2*86400 + 86399: "2 days, 23:59:59"} {
		if got := age(seconds); got != want {
			t.Errorf("%d: %s", seconds, got)
		}
	}
}

func TestUETLVsOfNoUse(t *testing.T) {
	var b strings.Builder
	writeUE(outline{w: &b}, "UE TLVs", api.UEAdvertisement{LinkFault: ue.FaultShort, CBFCFault: ue.FaultRepeated})
	want := "UE TLVs:\n  Link:         unusable: too short\n  CBFC:         unusable: there more than once\n"
	if b.String() != want {
		t.Errorf("%q", b.String())
	}
}

// The older protocol is shown, also one that cannot be read.
func TestCINInWords(t *testing.T) {
	pfc := dcbx.FeatureTLV[api.DCBXCINPFC]{
		Present: true, Header: dcbx.Header{Enable: true, Willing: true}, Config: api.DCBXCINPFC{Text: "priorities 3"},
	}
	for _, c := range []struct {
		tlv  api.DCBXTLV
		want string
	}{
		{api.DCBXTLV{Subtype: dcbx.SubtypeCIN, Fault: "too short"},
			"pre-CEE DCBX TLV:\n  Unusable:     too short\n"},
		{api.DCBXTLV{
			Subtype: dcbx.SubtypeCIN, CIN: &api.DCBXCIN{Control: dcbx.Control{SeqNo: 5, AckNo: 4}, PFC: pfc}},
			"pre-CEE DCBX TLV:\n  Control:      SeqNo 5, AckNo 4, version 0, highest version 0\n" +
				"  PFC:          enabled, willing; priorities 3\n"},
	} {
		var b strings.Builder
		writeDCBXTLVs(outline{w: &b}, []api.DCBXTLV{c.tlv})
		if b.String() != c.want {
			t.Errorf("%q, want %q", b.String(), c.want)
		}
	}
}
