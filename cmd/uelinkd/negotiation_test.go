package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/dataplane/model"
	"uelink/lldp/dcbx"
	"uelink/lldp/station"
	"uelink/lldp/ue"
)

// waitFor waits until something has been noted.
func (r *running) waitFor(what string) {
	r.t.Helper()
	for late := time.Now().Add(patience); !slices.Contains(r.noted(), what); time.Sleep(time.Millisecond) {
		if time.Now().After(late) {
			r.t.Fatalf("not noted: %s, but %q", what, r.noted())
		}
	}
}

func (r *running) stop() {
	r.t.Helper()
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 {
		r.t.Errorf("exit %d", code)
	}
}

// What LLDP agrees reaches the data plane, and what is commanded by the API is
// offered.
func TestNegotiationAndDataPlane(t *testing.T) {
	r := begin(t, newFakeFrames(), nil)
	r.logged("ready")
	if p := r.lldp.config.Ports; len(p) != 1 || p[0].Name != "link0" || p[0].Interface != "eth1" {
		t.Errorf("LLDP on %+v", p)
	}
	r.lldp.config.Negotiated("link0", ue.Result{Partner: ue.PartnerPresent, LLR: ue.LLR{Local: true, Remote: true}})
	r.waitFor("negotiated link0 {Local:true Remote:true Partner:present " +
		"CBFC:{On:false VCs:0 Lossless:0 Pool:0 Size:{Credit:0 Overhead:0}}}")
	r.lldp.config.Negotiated("link0", ue.Result{
		Partner: ue.PartnerPresent, CBFC: ue.Credit{On: true, VCs: 4, Pool: 100, Lossless: 6},
		Advertised: ue.Advertisement{
			HasCBFC: true, CBFC: ue.CBFC{VCs: 8, Pool: 300, Lossless: 0x16},
			HasCreditSize: true, CreditSize: ue.CreditSize{Octets: 256, Overhead: -4},
		},
	})
	r.waitFor("negotiated link0 {Local:false Remote:false Partner:present " +
		"CBFC:{On:true VCs:4 Lossless:6 Pool:300 Size:{Credit:256 Overhead:-4}}}")
	if err := r.client().SetLLRLocal(t.Context(), "link0", false); err != nil {
		t.Error(err)
	}
	r.waitFor("offer link0 false")
	r.lldp.offered = fmt.Errorf("port link0: %w", station.ErrNoPort)
	if err := r.client().SetLLRLocal(t.Context(), "link0", true); err != nil {
		t.Errorf("without LLDP: %v", err)
	}
	if err := r.client().SetLLRLocal(t.Context(), "edge0", true); err == nil ||
		slices.Contains(r.noted(), "offer edge0 true") {
		t.Errorf("%v, %q", err, r.noted())
	}
	r.stop()
}

// A partner that has started anew hears soon what this end offers.
func TestLLDPIsFastForAPartnerThatStartsAnew(t *testing.T) {
	r := begin(t, newFakeFrames(), nil)
	r.logged("ready")
	for deadline := time.Now().Add(patience); r.Subscribers() < 2; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("journal and LLDP do not subscribe to the events of the data plane")
		}
	}
	r.Emit(model.Event{Port: "link0", Kind: model.EventPartner}, patience)
	r.Emit(model.Event{Port: "link1", Kind: model.EventStart}, patience)
	r.waitFor("fast start link1")
	if slices.Contains(r.noted(), "fast start link0") {
		t.Errorf("%q", r.noted())
	}
	r.stop()
}

// What DCBX has come to reaches the data plane, and that it does not run any more.
func TestDCBXAndDataPlane(t *testing.T) {
	r := begin(t, newFakeFrames(), nil)
	r.logged("ready")
	d := station.DCB{Running: true}
	d.PFC = station.Feature[dcbx.PFC]{Set: true, Config: dcbx.PFC{Enable: 1<<3 | 1<<4, NumTCs: 8}}
	d.PG.Config = dcbx.PG{Group: [8]uint8{7: 15}, Percentage: [8]uint8{100}, NumTCs: 8}
	r.lldp.config.DCB("edge0", d)
	r.waitFor("DCBX edge0 agreed PFC 00011000 groups [0 0 0 0 0 0 0 15] of [100 0 0 0 0 0 0 0]")
	d.PFC = station.Feature[dcbx.PFC]{Config: dcbx.PFC{NumTCs: 8}}
	r.lldp.config.DCB("edge0", d)
	r.waitFor("DCBX edge0 not_agreed PFC 00000000 groups [0 0 0 0 0 0 0 15] of [100 0 0 0 0 0 0 0]")
	r.lldp.config.DCB("edge0", station.DCB{})
	r.waitFor("DCBX edge0 not_running PFC 00000000 groups [0 0 0 0 0 0 0 0] of [0 0 0 0 0 0 0 0]")
	r.stop()
}

func TestLLDPCannotBeOpened(t *testing.T) {
	f := newFakeFrames()
	f.lldp.refuse = coded{3}
	r := begin(t, f, nil)
	r.logged("means exit code 3")
	if code := r.ended(); code != 3 {
		t.Errorf("exit %d", code)
	}
	if notes := r.noted(); !slices.Equal(notes, []string{"withdraw", "close"}) {
		t.Errorf("%q", notes)
	}
	r.gone()
}

// Data plane and LLDP both get the new configuration, or both the old one.
func TestReloadOfLLDP(t *testing.T) {
	f := newFakeFrames()
	r := begin(t, f, nil)
	r.logged("ready")
	r.configure(strings.ReplaceAll(fmt.Sprintf(someConfig, "info", r.socket), "role: edge",
		"role: edge, lldp: {mode: rx-only}"))
	r.signals <- syscall.SIGHUP
	r.logged("configuration reloaded")
	if p := r.lldp.config.Ports; len(p) != 2 || p[1].Name != "edge0" {
		t.Errorf("%+v", p)
	}
	f.mu.Lock()
	f.lldp.refuse = errors.New("the LLDP agents refuse")
	f.mu.Unlock()
	r.configure(fmt.Sprintf(someConfig, "info", r.socket))
	r.signals <- syscall.SIGHUP
	r.logged("configuration refused")
	r.stop()
	if len(r.reloads) != 3 || len(r.lldp.config.Ports) != 2 {
		t.Errorf("%d reloads of the data plane, LLDP has %+v", len(r.reloads), r.lldp.config.Ports)
	}
}
