package demo

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"uelink/config"
	"uelink/control/api"
	"uelink/llr"
)

// The link of each station is captured to a file of its own, and no edge is.
func TestCaptureIsConfigured(t *testing.T) {
	o := DefaultOptions()
	o.Capture = filepath.Join(t.TempDir(), "with a space", "and \"quotes\"")
	if err := o.makeCapture(); err != nil {
		t.Fatal(err)
	}
	if s, err := os.Stat(o.Capture); err != nil || !s.IsDir() {
		t.Fatalf("no directory: %v", err)
	}
	for _, name := range []string{"A", "B"} {
		c, err := config.Parse("demo.yaml", []byte(configText(name, "/run/x/A.sock", o)))
		if err != nil {
			t.Fatal(err)
		}
		link, edge := c.Settings.Ports[0], c.Settings.Ports[1]
		if want := filepath.Join(o.Capture, name+".pcapng"); link.Capture != want || edge.Capture != "" {
			t.Errorf("captures to %q and %q, want %q and none", link.Capture, edge.Capture, want)
		}
	}
}

// A directory that cannot be made is a usage error, returned before anything is built.
func TestCaptureWithoutDirectory(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o := DefaultOptions()
	o.Capture = filepath.Join(file, "below")
	var e *Error
	if err := o.makeCapture(); !errors.As(err, &e) || e.ExitCode() != exitUsage || !strings.Contains(err.Error(), file) {
		t.Errorf("error %v, want one of usage that names %s", err, file)
	}
}

// Each file of a capture is reported with the counters of its daemon.
func TestCapturesAreTold(t *testing.T) {
	o := DefaultOptions()
	if all := o.captures([2]counted{}); all != nil {
		t.Errorf("captures that nobody asked for: %v", all)
	}
	o.Capture = "/x"
	r := sample()
	r.Captures = o.captures([2]counted{
		{llr: llr.Counters{RxOK: 100, RxPoisoned: 10, RxBad: 1, TxReplay: 1001, RxMissingSeq: 2, RxDuplicateSeq: 3}},
		{llr: llr.Counters{TxReplay: 4, RxMissingSeq: 5, RxDuplicateSeq: 6}}})
	if got := r.Captures[0].Received; got != 111 {
		t.Errorf("received %d, want 111", got)
	}
	var b bytes.Buffer
	if err := r.WriteTable(&b); err != nil {
		t.Fatal(err)
	}
	want := "/x/A.pcapng: LLR_TX_REPLAY 1,001, LLR_RX_MISSING_SEQ 2, LLR_RX_DUPLICATE_SEQ 3\n" +
		"/x/B.pcapng: LLR_TX_REPLAY 4, LLR_RX_MISSING_SEQ 5, LLR_RX_DUPLICATE_SEQ 6\n"
	if !strings.HasSuffix(b.String(), want) {
		t.Errorf("table ends without the captures:\n%s", b.String())
	}
}

// The capture of a HIPPI-6400-PH link is reported with the counters of that protocol.
func TestCaptureOfHIPPIIsTold(t *testing.T) {
	var state api.HIPPI
	state.Events.RetryCount, state.Counters.RxStaleFrames = 1234, 5
	state.Frames.RxMicropacketFrames, state.Frames.RxBadFCS, state.Frames.RxBadFrame = 100, 6, 1
	c := newCapture("/x/A.pcapng", counted{hippi: &state})
	if c.HIPPI == nil || c.HIPPI.RxFrames != 107 {
		t.Fatalf("%+v", c)
	}
	if got, want := c.text(), "/x/A.pcapng: Retry_Count 1,234, stale frames 5, frames with a wrong FCS 6\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
