package bed

import (
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"uelink/internal/programtest"
)

// WriteCapture writes frames to a new pcap file at path.
func WriteCapture(t testing.TB, path string, frames [][]byte) {
	t.Helper()
	file, err := os.Create(path)
	Must(t, err)
	w := pcapgo.NewWriter(file)
	Must(t, w.WriteFileHeader(65536, layers.LinkTypeEthernet))
	for _, f := range frames {
		info := gopacket.CaptureInfo{Timestamp: time.Unix(0, 0), CaptureLength: len(f), Length: len(f)}
		Must(t, w.WritePacket(info, f))
	}
	Must(t, file.Close())
}

// Tshark runs tshark, with additional arguments, on the capture file at path and returns its output. A failure
// ends the test.
func Tshark(t testing.TB, path string, args ...string) string {
	t.Helper()
	cmd := exec.Command("tshark", append([]string{"-r", path}, args...)...)
	programtest.NotRoot(cmd)
	var complaints Output
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tshark %s: %v: %s", strings.Join(args, " "), err, complaints.String())
	}
	return string(out)
}
