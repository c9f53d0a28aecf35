package main

import (
	"os/exec"
	"strings"
	"testing"

	"uelink/lab/e2e/nics/guest"
)

// pulled is a cable that has said something, and was pulled.
func pulled(text string) *plugged {
	w := &plugged{pulled: true}
	w.out.WriteString(text)
	return w
}

func TestWhatWiresDidIsTold(t *testing.T) {
	r := result{Cells: []guest.Cell{{Fault: guest.BadWire, Notice: "LLR sent 5 frames again"}}}
	w := pulled(`{"directions": [{"from": "a", "wire_dropped": 3}, {"from": "b", "wire_dropped": 4}]}`)
	if err := w.report(&r); err != nil {
		t.Fatal(err)
	}
	const want = "LLR sent 5 frames again; the wire lost 3 frames; the wire lost 4 frames"
	if got := r.Cells[0].Notice; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestWireThatDoesNotTell(t *testing.T) {
	if err := pulled("nonsense").report(&result{}); err == nil {
		t.Error("nonsense was taken for a report")
	}
	broken := &plugged{process: exec.Command("false")}
	if err := broken.process.Start(); err != nil {
		t.Fatal(err)
	}
	if err := broken.report(&result{}); err == nil || !strings.Contains(err.Error(), "uelink cable") {
		t.Errorf("%v", err)
	}
}

func TestNICsOfAChain(t *testing.T) {
	nics := lane{Model: "igb", Properties: map[string]any{"x": 1}}.nics("e1000e", farMACs, tap(2), tap(3))
	if len(nics) != 2 || nics[0].Model != "e1000e" || nics[1].MAC != farMACs[1] ||
		nics[1].Netdev != "tap,script=no,downscript=no,vnet_hdr=off,ifname=farb" {
		t.Errorf("%+v", nics)
	}
}
