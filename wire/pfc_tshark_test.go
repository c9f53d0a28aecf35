package wire_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"uelink/internal/netns/nstest"
	"uelink/wire"
)

// tshark finds nothing wrong with our PFC and PAUSE frames, and decodes the same values.
func TestTsharkReadsPFC(t *testing.T) {
	if _, err := exec.LookPath("tshark"); err != nil {
		nstest.Missing(t, "package tshark")
	}
	path := filepath.Join(t.TempDir(), "pfc.pcap")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := pcapgo.NewWriter(file)
	if err := w.WriteFileHeader(wire.MinFrameLen, layers.LinkTypeEthernet); err != nil {
		t.Fatal(err)
	}
	for _, p := range []wire.PFC{
		wire.Pause(0x1234),
		{Enable: 0x88, Quanta: [wire.Priorities]uint16{3: 0xFFFF, 7: 1}},
	} {
		b := make([]byte, wire.MinFrameLen)
		n := wire.PutPFC(b, wire.MAC{2, 0, 0, 0, 0, 2}, p)
		info := gopacket.CaptureInfo{Timestamp: time.Unix(0, 0), CaptureLength: n, Length: n}
		if err := w.WritePacket(info, b); err != nil {
			t.Fatal(err)
		}
	}
	if got := tshark(t, path, "-Y", "_ws.malformed || _ws.expert"); got != "" {
		t.Errorf("tshark complains:\n%s", got)
	}
	got := tshark(t, path, "-T", "fields", "-e", "macc.opcode", "-e", "macc.pause_time", "-e", "macc.cbfc.enbv",
		"-e", "macc.cbfc.pause_time.c3", "-e", "macc.cbfc.pause_time.c7", "-e", "macc.cbfc.pause_time.c0")
	const want = "0x0001\t4660\t\t\t\t\n0x0101\t\t0x0088\t65535\t1\t0\n"
	if got != want {
		t.Errorf("tshark reads\n%q, want\n%q", got, want)
	}
}

func tshark(t *testing.T, path string, args ...string) string {
	t.Helper()
	out, err := exec.Command("tshark", append([]string{"-r", path}, args...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
