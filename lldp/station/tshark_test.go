package station_test

import (
	"bytes"
	"net/netip"
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
	"uelink/lldp"
	"uelink/lldp/lldptest"
	"uelink/lldp/ue"
)

// fullFrames are what an agent with everything sends: a full frame and a shutdown.
func fullFrames(t *testing.T) [][]byte {
	t.Helper()
	l := lldp.Local{Source: lldptest.Source, Chassis: lldp.ChassisID{Subtype: lldp.ChassisMAC, ID: lldptest.Source[:]},
		Port: lldp.PortID{Subtype: lldp.PortIfName, ID: []byte("eth0")}, PortDescription: "a port", SystemName: "leaf1", SystemDescription: "a leaf",
		HasCapabilities: true, Capabilities: lldp.Capabilities{System: lldp.CapBridge | lldp.CapStation, Enabled: lldp.CapStation},
		Management: []lldp.Management{lldp.ManagementAt(netip.MustParseAddr("192.0.2.7"), 3), lldp.ManagementAt(netip.MustParseAddr("2001:db8::7"), 3)},
		Custom: []lldp.Org{{OUI: lldp.OUI{0x00, 0x1B, 0x21}, Subtype: 2,
			Info: octets(t, "020a00000000000100000000 04110000c000012345670d0d0d0d0c0c0c0c08 06060000c0000808")}},
	}
	port := ue.NewPort(ue.Codec{OUI: ue.DefaultOUI}, ue.Options{Advertise: true, LLR: true, CBFC: true,
		Credit: ue.CBFC{VCs: 8, Pool: 100, Lossless: 3}})
	agent := lldp.NewAgent(lldp.Config{Destination: lldp.NearestBridge, Timers: lldp.DefaultTimers()}, lldp.RxTx, l, port)
	agent.SetPortEnabled(true)
	info, _ := agent.Poll(0, nil, nil)
	agent.SetAdminStatus(lldp.Off)
	shutdown, _ := agent.Poll(1, nil, nil)
	return [][]byte{info, shutdown}
}

// tshark finds nothing malformed in our LLDPDUs, and decodes the same values.
func TestTsharkReadsUs(t *testing.T) {
	if _, err := exec.LookPath("tshark"); err != nil {
		nstest.Missing(t, "package tshark")
	}
	path := filepath.Join(t.TempDir(), "lldp.pcap")
	file, err := os.Create(path)
	must(t, err)
	w := pcapgo.NewWriter(file)
	must(t, w.WriteFileHeader(65536, layers.LinkTypeEthernet))
	for _, f := range fullFrames(t) {
		must(t, w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(0, 0), CaptureLength: len(f), Length: len(f)}, f))
	}
	must(t, file.Close())
	if out := tshark(t, "-r", path, "-Y", "_ws.malformed || _ws.expert.severity >= 6291456"); out != "" {
		t.Errorf("tshark complains:\n%s", out)
	}
	got := tshark(t, "-r", path, "-T", "fields", "-e", "lldp.tlv.type", "-e", "lldp.time_to_live", "-e",
		"lldp.tlv.system.name",
		"-e", "lldp.dcbx.control.seq", "-e", "lldp.dcbx.feature.pfc.prio3", "-e", "lldp.dcbx.feature.pg.per0")
	want := "1,2,3,4,5,6,7,8,8,127,127,127,0\t121\tleaf1\t1\t1\t13\n1,2,3,0\t0\t\t\t\t\n"
	if got = strings.ReplaceAll(got, "True", "1"); got != want { // True since tshark 4.2
		t.Errorf("tshark reads\n%q, want\n%q", got, want)
	}
}

func tshark(t *testing.T, args ...string) string {
	t.Helper()
	var out, complaints bytes.Buffer
	cmd := exec.Command("tshark", args...)
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil {
		t.Fatalf("tshark %s: %v: %s", strings.Join(args, " "), err, complaints.String())
	}
	return out.String()
}
