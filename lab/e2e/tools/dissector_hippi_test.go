package tools

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"uelink/internal/netns/nstest"
	"uelink/lab/demo"
	"uelink/lab/e2e/bed"
)

// analyseHIPPI has tshark read the capture of a HIPPI-6400-PH link with the dissector. No frame is malformed, not even
// a damaged frame, and the script has no error.
func analyseHIPPI(t testing.TB, file string) (a demo.CaptureHIPPI) {
	t.Helper()
	const script = "lua_script:../../../deploy/wireshark/uelink.lua"
	fields := []string{"-X", script, "-T", "fields", "-E", "separator=;", "-E", "occurrence=f"}
	for _, name := range []string{"frame.packet_flags_direction", "uehippi.analysis.duplicate", "uehippi.analysis.again",
		"uehippi.fcs_status", "_ws.malformed", "_ws.lua.error", "uehippi.malformed", "uelink.malformed", "uehippi.frame.mark"} {
		fields = append(fields, "-e", name)
	}
	repeat := ""
	for line := range strings.Lines(bed.Tshark(t, file, fields...)) {
		words := strings.Split(strings.TrimSuffix(line, "\n"), ";")
		if len(words) != 9 {
			t.Fatalf("tshark says %q", line)
		}
		if strings.Join(words[4:8], "") != "" {
			t.Errorf("malformed: %q", line)
		}
		if words[8] == "" {
			continue // a frame of another protocol, as LLDP or IPv6 of the kernel
		}
		if inbound := strings.HasSuffix(words[0], "1"); !inbound {
			if words[2] != "" {
				repeat = words[2]
			}
			continue
		}
		a.RxFrames++
		a.RxStale += present(words[1])
		if words[3] == "2" {
			a.RxBadFCS++
		}
	}
	_, err := fmt.Sscan(repeat, &a.RetryCount)
	bed.Must(t, err)
	return a
}

// The dissector counts in the captures of a demo with HIPPI-6400-PH what the daemons have counted: retransmissions,
// frames that came twice or late, damaged frames. A few keepalives are in the captures only. A capture may miss frames
// where the machine is busy; then the demo is run again.
func TestDissectorCountsADemoOfHIPPI(t *testing.T) {
	if _, err := exec.LookPath("tshark"); err != nil {
		nstest.Missing(t, "package tshark")
	}
	nstest.New(t, "root") // or skip
	whole := false
	for i := 0; i < 5 && !whole; i++ {
		t.Run(fmt.Sprint(i), func(t *testing.T) { whole = compareHIPPI(t, i) })
	}
	if !whole {
		t.Error("the captures of five demos have missed frames")
	}
}

// compareHIPPI is false if one of the captures has missed frames.
func compareHIPPI(t *testing.T, run int) (whole bool) {
	cmd := exec.Command(bed.Program("uelink"), "demo", "--protocol", "hippi6400", "--frames", "500", "--size", "imix",
		"--seed", fmt.Sprint(run+1), "--loss", "0.03", "--corrupt", "0.03", "--duplicate", "0.03",
		"--capture", t.TempDir(), "-o", "json")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("demo: %v", err)
	}
	var r demo.Result
	bed.Must(t, json.Unmarshal(out, &r))
	if len(r.Captures) != 2 {
		t.Fatalf("the demo tells of %d captures: %s", len(r.Captures), out)
	}
	whole = true
	for _, c := range r.Captures {
		want, got := *c.HIPPI, analyseHIPPI(t, c.File)
		t.Logf("%s: %+v of %+v", c.File, got, want)
		if got.RxFrames < want.RxFrames {
			whole = false
			continue
		}
		later := got.RxFrames - want.RxFrames // keepalives, some of them twice or damaged
		if got.RetryCount != want.RetryCount || got.RxStale-want.RxStale > later || got.RxBadFCS-want.RxBadFCS > later ||
			want.RetryCount == 0 || want.RxStale == 0 || want.RxBadFCS == 0 {
			t.Errorf("%s: the dissector counts %+v, the daemon %+v", c.File, got, want)
		}
	}
	return whole
}
