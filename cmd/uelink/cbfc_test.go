package main

import (
	"bytes"
	"context"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"uelink/cmd/uelink/view"
	"uelink/control/api"
	"uelink/control/controltest"
)

func TestSwitchingAVirtualChannel(t *testing.T) {
	b, socket := startDaemon(t, controltest.Ports())
	for _, args := range []string{"cbfc vc enable link0 3", "cbfc vc disable link0 7"} {
		if stdout, stderr, code := uelink(t.Context(), socket, strings.Fields(args)...); code != 0 || stdout != "" {
			t.Errorf("%s: exit %d, %s%s", args, code, stdout, stderr)
		}
	}
	if diff := cmp.Diff([]string{"SetVC link0 3 true", "SetVC link0 7 false"}, b.Calls()); diff != "" {
		t.Error(diff)
	}
	for args, want := range map[string]struct {
		code int
		text string
	}{
		"cbfc vc enable link0":      {2, "accepts 2 arg(s)"},
		"cbfc vc enable link0 32":   {2, `"32" is no virtual channel: a number from 0 to 31 is wanted`},
		"cbfc vc enable link0 x":    {2, `"x" is no virtual channel`},
		"cbfc vc enable link0 9":    {1, "VC 9: no such virtual channel"},
		"cbfc vc enable link1 1":    {1, "link1: CBFC is off"},
		"cbfc vc enable edge0 1":    {1, "edge0: not a link port"},
		"cbfc vc enable eth2 1":     {1, "link1: CBFC is off"},
		"cbfc credits link1":        {1, "link1: CBFC is off"},
		"qos link9":                 {1, "link9: no such port"},
		"queue counters link9":      {1, "link9: no such port"},
		"cbfc vc --watch -w link9":  {1, "link9: no such port"},
		"cbfc counters --count few": {2, "invalid argument"},
	} {
		_, stderr, code := uelink(t.Context(), socket, strings.Fields(args)...)
		if code != want.code || !strings.Contains(stderr, want.text) {
			t.Errorf("%s: exit %d, %s", args, code, stderr)
		}
	}
}

func TestCBFCJSON(t *testing.T) {
	_, socket := startDaemon(t, controltest.Ports())
	for _, args := range [][]string{{"cbfc", "vc"}, {"cbfc", "credits", "link0"}, {"cbfc", "counters"}} {
		links := asJSONList[api.CBFCInterface](t, socket, args...)
		if len(links) != 1 || links[0].Port != "link0" || len(links[0].VCs) != 3 {
			t.Errorf("%v: %+v", args, links)
		}
	}
	queues := asJSONList[view.PortQueue](t, socket, "queue", "counters")
	if len(queues) != 2 || queues[1].QueuedFrames != 5 ||
		queues[1].Occupancy != 7012 || queues[1].Watermark != 64_123 || queues[1].Bound != 65_536 {
		t.Errorf("%+v", queues)
	}
}

// A listing with --watch is shown so often as is asked for.
func TestWatchedListing(t *testing.T) {
	_, socket := startDaemon(t, controltest.Ports())
	for _, listing := range []string{
		"cbfc vc", "cbfc credits", "cbfc counters", "qos", "queue counters", "switch-trimming",
	} {
		t.Run(listing, func(t *testing.T) {
			t.Parallel()
			args := strings.Fields(listing)
			once, _, _ := uelink(t.Context(), socket, args...)
			twice, stderr, code := uelink(t.Context(), socket, append(args, "--watch", "--count", "2")...)
			if code != 0 || stderr != "" || twice != once+"\n"+once {
				t.Errorf("exit %d, %s:\n%s", code, stderr, twice)
			}
		})
	}
}

// Ctrl-C is how it ends without a count.
func TestWatchedListingEndsByASignal(t *testing.T) {
	_, socket := startDaemon(t, controltest.Ports())
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	out, in := io.Pipe()
	code := make(chan int, 1)
	var stderr bytes.Buffer
	go func() {
		code <- run(ctx, []string{"--socket", socket, "queue", "counters", "-w"}, in, &stderr)
		in.Close()
	}()
	first := make([]byte, 1)
	if _, err := io.ReadFull(out, first); err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.Copy(io.Discard, out); err != nil {
		t.Error(err)
	}
	if c := <-code; c != 0 || stderr.Len() > 0 {
		t.Errorf("exit %d, %s", c, stderr.String())
	}
}

func TestRunsOfAMap(t *testing.T) {
	for want, values := range map[string]string{"": "", "0: a": "a", "0-2: a": "aaa", "0: a, 1-2: b, 3: a": "abba"} {
		key := func(i int) string { return string(rune('0' + i)) }
		if got := view.Runs(len(values), key, func(i int) string { return values[i : i+1] }); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
