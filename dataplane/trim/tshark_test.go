package trim

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"uelink/internal/netns/nstest"
)

// tshark finds the checksum of IPv4 good in every golden frame, and reads the DSCP and the length
// of what is left.
func TestTsharkReadsTrimmed(t *testing.T) {
	if _, err := exec.LookPath("tshark"); err != nil {
		nstest.Missing(t, "package tshark")
	}
	list := goldens(t)
	path := filepath.Join(t.TempDir(), "trimmed.pcap")
	writeCapture(t, path, list)
	lines := strings.Split(strings.TrimSpace(tshark(t, path)), "\n")
	if len(lines) != len(list) {
		t.Fatalf("%d frames of %d", len(lines), len(list))
	}
	for i, g := range list {
		if want := wanted(g); lines[i] != want {
			t.Errorf("%s:\n got %q\nwant %q", g.name, lines[i], want)
		}
	}
}

// wanted is what tshark is to say of a frame: checksum status (1 is good), total length, DSCP of
// IPv4; payload length and DSCP of IPv6. Of several headers it says the first.
func wanted(g golden) string {
	at := addressesLen + 2
	for tags := range tagsMax + 1 {
		if strings.Contains(g.name, fmt.Sprintf("-tags%d", tags)) {
			at += tagLen * tags
		}
	}
	if strings.Contains(g.name, "-ipv4-tags") {
		return fmt.Sprintf("1\t%d\t16\t\t", len(g.octets)-at)
	}
	return fmt.Sprintf("\t\t\t%d\t16", len(g.octets)-at-ipv6Len)
}

func writeCapture(t *testing.T, path string, list []golden) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	w := pcapgo.NewWriter(file)
	if err := w.WriteFileHeader(65536, layers.LinkTypeEthernet); err != nil {
		t.Fatal(err)
	}
	for _, g := range list {
		info := gopacket.CaptureInfo{Timestamp: time.Unix(0, 0), CaptureLength: len(g.octets), Length: len(g.octets)}
		if err := w.WritePacket(info, g.octets); err != nil {
			t.Fatal(err)
		}
	}
}

// tshark reads the outer headers: what is inside of a trimmed frame ends too early by design.
func tshark(t *testing.T, path string) string {
	t.Helper()
	cmd := exec.Command("tshark", "-n", "-r", path, "-o", "ip.check_checksum:TRUE", "--disable-protocol", "udp",
		"-T", "fields",
		"-e", "ip.checksum.status", "-e", "ip.len", "-e", "ip.dsfield.dscp", "-e", "ipv6.plen", "-e", "ipv6.tclass.dscp")
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tshark: %v: %s", err, complaints.String())
	}
	return string(out)
}
