package lldp

import (
	"fmt"
	"net/netip"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
	"uelink/lldp"
	"uelink/lldp/dcbx"
	"uelink/lldp/dot"
	"uelink/lldp/lldptest"
	"uelink/wire"
)

// spine is a neighbour with all that a switch says, and what nobody knows.
func spine(t testing.TB) []byte {
	t.Helper()
	octets := func(s string) []byte { return goldenOctets(t, s) }
	pdu := lldp.PDU{
		Chassis: lldp.ChassisID{Subtype: lldp.ChassisMAC, ID: lldptest.Source[:]},
		Port:    lldp.PortID{Subtype: lldp.PortIfName, ID: []byte("swp1")}, TTL: 120,
		PortDescription: []byte("to leaf7"), SystemName: []byte("spine1"), SystemDescription: []byte("a switch"),
		HasCapabilities: true,
		Capabilities:    lldp.Capabilities{System: lldp.CapBridge | lldp.CapRouter, Enabled: lldp.CapBridge},
		Management:      []lldp.Management{lldp.ManagementAt(netip.MustParseAddr("10.0.0.1"), 7)},
		Org: []lldp.Org{
			{OUI: dot.OUI1, Subtype: 1, Info: octets("000a")},
			{OUI: dot.OUI1, Subtype: 3, Info: octets("000a0573746f7265")},
			{OUI: dot.OUI3, Subtype: 1, Info: octets("036c11001e")},
			{OUI: dot.OUI3, Subtype: 4, Info: octets("05f2")},
			{OUI: lldp.OUI{0x00, 0x1b, 0x21}, Subtype: dcbx.Subtype,
				Info: octets("020a0000000000010000000004110000c000012345670d0d0d0d0c0c0c0c0806060000c0000808")},
			{OUI: lldp.OUI{0xde, 0xad, 0xbe}, Subtype: 66, Info: octets("010203")},
		},
	}
	frame, _ := lldp.AppendFrame(nil, lldp.NearestBridge, lldptest.Source, &pdu)
	return frame
}

// lldpad is an lldpad of Debian on link0 of a namespace. Its shared memory is its own.
type lldpad struct {
	*bed.Process
	ns *netns.NS
}

func newLLDPAD(t testing.TB, ns *netns.NS) *lldpad {
	t.Helper()
	path, err := exec.LookPath("lldpad")
	if err != nil {
		nstest.Missing(t, "package lldpad")
	}
	cmd := exec.Command(path, "-p", "-t", "-f", filepath.Join(t.TempDir(), "lldpad.conf"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWIPC}
	l := &lldpad{bed.Start(t, ns, "lldpad", cmd), ns}
	bed.Eventually(t, "lldpad receives", func() string {
		if out := l.tool("set-lldp", "-i", "link0", "adminStatus=rx"); !strings.Contains(out, "adminStatus = rx") {
			return out
		}
		return ""
	})
	return l
}

// tool runs lldptool and returns what it said.
func (l *lldpad) tool(args ...string) string {
	cmd := exec.Command("lldptool", args...)
	var output bed.Output
	cmd.Stdout, cmd.Stderr = &output, &output
	_ = l.ns.Run(cmd) // what it says tells
	return output.String()
}

// passing is what is another at each run: times, and lldpd's number of a neighbour.
var passing = regexp.MustCompile(`Time: .*|Heard: .*|, RID: \d+`)

// Debian's lldpd and lldpad run beside uelinkd, on the same interface, with the same neighbour: all three report the
// same, each in its words.
func TestNeighboursBesideLLDPDAndLLDPAD(t *testing.T) {
	w := bed.NewWired(t)
	ours := begin(t, w.A, "A", bed.LLDPOnly{})
	theirs := newLLDPD(t, w.A, "beside", "-r") // it receives only
	intels := newLLDPAD(t, w.A)
	peer := bed.Open(t, w.B, "link0", wire.EtherTypeLLDP)
	frame := spine(t)
	lldpcli := func(args ...string) string {
		out, err := exec.Command("lldpcli", append([]string{"-u", theirs.socket, "show"}, args...)...).CombinedOutput()
		bed.Must(t, err)
		return string(out)
	}
	bed.Eventually(t, "all three know the neighbour", func() string {
		peer.Send(frame)
		for name, text := range map[string]string{
			"uelink": ours.ToolText("lldp", "neighbors"), "lldpd": lldpcli("neighbors"),
			"lldpad": intels.tool("-n", "-t", "-i", "link0"),
		} {
			if !strings.Contains(text, "spine1") {
				return name + " does not"
			}
		}
		return ""
	})
	var b strings.Builder
	for _, s := range [][2]string{
		{"lldpcli show neighbors summary (lldpd)", lldpcli("neighbors", "summary")},
		{"uelink lldp show neighbors summary", ours.ToolText("lldp", "show", "neighbors", "summary")},
		{"lldpcli show neighbors details (lldpd)", lldpcli("neighbors", "details")},
		{"uelink lldp show neighbors details", ours.ToolText("lldp", "sh", "nei", "det")},
		{"lldptool -n -t -i link0 (lldpad)", intels.tool("-n", "-t", "-i", "link0")},
	} {
		fmt.Fprintf(&b, "$ %s\n%s\n", s[0], passing.ReplaceAllString(s[1], "..."))
	}
	bed.Golden(t, "neighbors-beside-lldpd-lldpad.txt", b.String())
}
