package lldp

import (
	"fmt"
	"maps"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// Fields of a frame of eloquent, as tshark must read them.
var eloquentFields = map[string]string{
	"lldp.tlv.type":                "1,2,3,4,5,6,7,8,8,127,127,127,127,127,127,0",
	"lldp.time_to_live":            "3",
	"lldp.tlv.system.name":         "leaf7",
	"lldp.tlv.system.desc":         "a leaf",
	"lldp.port.desc":               "to the peer",
	"lldp.orgtlv.oui":              "16415435,16415435,16415435,16415435,6945,14593470",
	"lldp.dcbx.proto":              "0x02",
	"lldp.dcbx.type":               "1,2,3,4",
	"lldp.dcbx.len":                "10,17,6,16",
	"lldp.dcbx.version":            "0x00,0x00,0x00,0x00",
	"lldp.dcbx.max_version":        "0x00,0x00,0x00,0x00",
	"lldp.dcbx.control.seq":        "1",
	"lldp.dcbx.control.ack":        "0",
	"lldp.dcbx.feature.enabled":    "1,1,1",
	"lldp.dcbx.feature.willing":    "1,0,0",
	"lldp.dcbx.feature.error":      "0,0,0",
	"lldp.dcbx.feature.subtype":    "0x00,0x00,0x00",
	"lldp.dcbx.feature.pg.numtcs":  "0x08",
	"lldp.dcbx.feature.pfc.numtcs": "0x07",
	"lldp.dcbx.feature.app.proto":  "0x8906,0x0cbc",
	"lldp.dcbx.feature.app.prio":   "3,4",
}

// indexed adds fields that occur once for each priority or group.
func indexed(fields map[string]string, name string, values ...string) {
	for i, v := range values {
		fields[fmt.Sprintf("%s%d", name, i)] = v
	}
}

// tshark reads every LLDPDU of a daemon as configured, and finds nothing malformed.
func TestTsharkReadsEveryLLDPDU(t *testing.T) {
	if _, err := exec.LookPath("tshark"); err != nil {
		nstest.Missing(t, "package tshark")
	}
	top := bed.Direct(t)
	wireB := bed.Open(t, top.B, "link0", wire.EtherTypeLLDP)
	d := bed.NewDaemon(t, top.A, "A", eloquent)
	d.Start()
	var frames [][]byte
	for range 3 {
		frames = append(frames, wireB.Await("an LLDPDU", func([]byte) bool { return true }))
	}
	d.Terminate()
	frames = append(frames, wireB.Drain()...)
	path := filepath.Join(t.TempDir(), "lldp.pcap")
	bed.WriteCapture(t, path, frames)
	if out := bed.Tshark(t, path, "-Y", "_ws.malformed || _ws.expert.severity >= 6291456"); out != "" {
		t.Errorf("tshark complains:\n%s", out)
	}

	fields := maps.Clone(eloquentFields)
	indexed(fields, "lldp.dcbx.feature.pg.pgid_prio", "0", "0", "0", "3", "0", "0", "0", "15")
	indexed(fields, "lldp.dcbx.feature.pg.per", "50", "0", "0", "50", "0", "0", "0", "0")
	indexed(fields, "lldp.dcbx.feature.pfc.prio", "0", "0", "0", "1", "0", "0", "0", "0")
	for i, got := range read(t, path, slices.Sorted(maps.Keys(fields))) {
		if i == len(frames)-1 {
			if got["lldp.tlv.type"] != "1,2,3,0" || got["lldp.time_to_live"] != "0" {
				t.Errorf("the good-bye is %v", got)
			}
			continue
		}
		if diff := cmp.Diff(fields, got); diff != "" {
			t.Errorf("frame %d of %d (-want +got):\n%s", i, len(frames), diff)
		}
	}
}

// booleans has the values that tshark since 4.2 prints for the two of tshark before.
var booleans = strings.NewReplacer("True", "1", "False", "0")

// read returns the fields of each frame of a capture.
func read(t testing.TB, path string, fields []string) (frames []map[string]string) {
	t.Helper()
	args := []string{"-T", "fields"}
	for _, f := range fields {
		args = append(args, "-e", f)
	}
	for line := range strings.Lines(bed.Tshark(t, path, args...)) {
		frame := map[string]string{}
		for i, value := range strings.Split(strings.TrimSuffix(line, "\n"), "\t") {
			frame[fields[i]] = booleans.Replace(value)
		}
		frames = append(frames, frame)
	}
	return frames
}
