package pcap

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"uelink/dataplane/mem"
)

func TestTsharkReadsTheFile(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		if os.Getenv("UELINK_E2E") == "required" {
			t.Fatal("tshark is not installed, and UELINK_E2E=required forbids to skip")
		}
		t.Skip("tshark is not installed")
	}
	path := filepath.Join(t.TempDir(), "t.pcapng")
	capture, err := Create(path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	a, b := mem.NewPair(geometry, geometry, 16)
	tap, host := capture.Tap(a, "link0"), mem.NewHost(b)
	header := "\x02\x00\x00\x00\x00\x01\x02\x00\x00\x00\x00\x02\x88\xb5"
	transmit(t, tap, header+strings.Repeat("o", 50))
	host.Send([]byte(header + strings.Repeat("i", 47)))
	receive(tap)
	if err := errors.Join(tap.Close(), capture.Close()); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(tshark, "-n", "-r", path, "-T", "fields", "-E", "separator=,", "-e", "frame.interface_name",
		"-e", "frame.packet_flags_direction", "-e", "frame.len", "-e", "eth.type", "-e", "frame.time_epoch")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tshark: %v: %s", err, stderr.String())
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != 2 {
		t.Fatalf("tshark read %q", out)
	}
	for i, want := range []string{"link0,0x00000002,64,0x88b5,", "link0,0x00000001,61,0x88b5,"} {
		if !strings.HasPrefix(lines[i], want) || strings.HasSuffix(lines[i], ",0.000000000") {
			t.Errorf("line %d: %q, want %q and the time", i, lines[i], want)
		}
	}
}
