package control_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"uelink/cbfc"
	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/dataplane/model"
)

func TestCBFCReads(t *testing.T) {
	c, ctx := start(t, controltest.Ports()).client, t.Context()
	link0 := byName(t, "link0")
	want := api.CBFCInterface{Port: "link0", Interface: "eth1", OperStatus: "up", CBFC: *link0.CBFC}
	all, err := c.CBFC(ctx)
	read(t, all, err, []api.CBFCInterface{want})
	one, err := c.CBFCOf(ctx, "link0")
	read(t, one, err, want)
	if one.Mode != "dynamic" || one.SenderCreditSize != 256 || one.CCMessageTimer != 10000 ||
		one.CreditTimeoutAction != "reset" ||
		one.CreditsUsed != 512 || one.Note != "" || one.Negotiation.AgreedVCs != 8 || len(one.VCs) != 3 {
		t.Errorf("%+v", one)
	}
	if one.SenderCreditLimit != 2000 || one.CreditPoolShared != 1800 || one.CreditPoolUsed != 700 {
		t.Errorf("%+v", one)
	}
	waiting, failed, received := one.VCs[0], one.VCs[1], one.VCs[2]
	if waiting.ReservedCreditSize != 200 || waiting.ThresholdMode != api.ThresholdStatic ||
		waiting.SharedStaticTh != 312 || failed.ThresholdMode != api.ThresholdNone {
		t.Errorf("%+v, %+v", waiting, failed)
	}
	if waiting.VC != 1 || waiting.Phase != "lossless" || !waiting.SenderEnable || waiting.AtRest ||
		waiting.RxCreditsHeld != 7 ||
		waiting.Note != "waiting time for credits: 1.235s" {
		t.Errorf("%+v", waiting)
	}
	if failed.SenderEnable || !failed.AtRest || failed.Note != "no answer from the partner, tried again in 4s" {
		t.Errorf("%+v", failed)
	}
	if received.Lossless || !received.ReceiverEnable || !received.AtRest ||
		received.Note != "the two ends count credits differently; the partner has sent more than its credits" {
		t.Errorf("%+v", received)
	}
}

func TestCBFCNotes(t *testing.T) {
	size := cbfc.Size{Credit: 64}
	agreed := model.NegotiatedCBFC{On: true, Size: size}
	for want, c := range map[string]struct {
		partner bool
		credits model.CreditState
	}{
		"":                                {true, model.CreditState{}},
		"the partner does not speak CBFC": {false, model.CreditState{}},
		"LLDP: CBFC is not agreed":        {false, model.CreditState{Dynamic: true}},
		"LLDP: CBFC ends: the channels return their credits": {true, model.CreditState{Dynamic: true, Leaving: true}},
		"the partner counts in credits of 128 octets, overhead -4, this end of 64, overhead 0": {true, model.CreditState{
			Dynamic: true, Agreed: model.NegotiatedCBFC{On: true, Size: cbfc.Size{Credit: 128, Overhead: -4}}}},
	} {
		state := model.PortState{CBFC: &cbfc.State{On: true, Partner: c.partner, Size: size}, Credits: &c.credits}
		if got := api.NewPort(state).CBFC.Note; got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	fine := model.PortState{CBFC: &cbfc.State{On: true, Partner: true, Size: size},
		Credits: &model.CreditState{Dynamic: true, Agreed: agreed}}
	if got := api.NewPort(fine).CBFC.Note; got != "" {
		t.Errorf("%q where both count alike", got)
	}
	fine.CBFC.Counters.TooLong = 1
	if got := api.NewPort(fine).CBFC.Note; !strings.Contains(got, "tx_drop_over_limit") {
		t.Errorf("%q where a frame was over its limit", got)
	}
}

func TestSetVC(t *testing.T) {
	d := start(t, controltest.Ports())
	for _, on := range []bool{false, true} {
		if err := d.client.SetVC(t.Context(), "link0", 3, on); err != nil {
			t.Error(err)
		}
	}
	if diff := cmp.Diff([]string{"SetVC link0 3 false", "SetVC link0 3 true"}, d.Calls()); diff != "" {
		t.Error(diff)
	}
}

func TestQoSReads(t *testing.T) {
	c, ctx := start(t, controltest.Ports()).client, t.Context()
	all, err := c.QoS(ctx, "")
	if err != nil || len(all) != 3 || !slices.IsSortedFunc(all,
		func(a, b api.QoS) int { return strings.Compare(a.Port, b.Port) }) {
		t.Fatalf("%+v, %v", all, err)
	}
	edge, err := c.QoS(ctx, "edge0")
	read(t, edge, err, all[:1])
	e, link := all[0], all[1]
	kinds := &api.UET{TC: []api.UETClass{{Kind: "acknowledgement", TC: 5}, {Kind: "control", TC: 5},
		{Kind: "trimmed", TC: 4}}, UDPPort: 4793, IPProtocol: 253, Trimmed: []int{16, 18}}
	if diff := cmp.Diff(kinds, e.UET); diff != "" {
		t.Error(diff)
	}
	if e.Trust != "uet" || len(e.DSCP) != 64 || e.DSCP[46] != 5 || e.Dot1pDEI[11] != 7 ||
		e.Queue[7] != 7 || e.VC != nil ||
		len(e.Schedulers) != 8 || e.Schedulers[3].Weight != 3 || e.Schedulers[5].Group != 1 || e.Rate != 2.5e9 {
		t.Errorf("%+v", e)
	}
	if link.UET != nil {
		t.Errorf("%+v", link.UET)
	}
	if link.Trust != "none" || link.DSCP != nil || link.Dot1pDEI != nil || len(link.VC) != 32 || link.Queue != nil ||
		len(link.Schedulers) != 8 || link.Schedulers[0].Weight != 1 {
		t.Errorf("%+v", link)
	}
}
