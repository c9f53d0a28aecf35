package station_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"uelink/internal/netns/nstest"
	"uelink/lldp"
	"uelink/lldp/dcbx/ieee"
	"uelink/lldp/lldptest"
)

// randomETS returns tables that a scheduler can operate by: every algorithm, class and share occurs.
func randomETS(rng *rand.Rand, classes uint8) (e ieee.ETS) {
	for i := range e.Class {
		e.Class[i] = uint8(rng.IntN(int(classes)))
		e.Algorithm[i] = []uint8{ieee.Strict, ieee.CreditShaper, ieee.Enhanced, ieee.Vendor}[rng.IntN(4)]
	}
	left, last := 100, -1
	for i, a := range e.Algorithm {
		if a == ieee.Enhanced {
			e.Bandwidth[i] = uint8(rng.IntN(left + 1))
			left -= int(e.Bandwidth[i])
			last = i
		}
	}
	if last >= 0 {
		e.Bandwidth[last] += uint8(left)
	}
	return e
}

// randomLocal returns a configuration of IEEE DCBX.
func randomLocal(rng *rand.Rand) ieee.Local {
	flag := func() bool { return rng.IntN(2) == 0 }
	classes := uint8(1 + rng.IntN(8))
	l := ieee.Local{
		ETS:            ieee.Configuration{Willing: flag(), CBS: flag(), MaxTCs: classes, ETS: randomETS(rng, classes)},
		Recommendation: randomETS(rng, 8),
		PFC:            ieee.PFC{Willing: flag(), MBC: flag(), Cap: uint8(rng.IntN(16)), Enable: uint8(rng.IntN(256))},
	}
	for range rng.IntN([]int{2, 8, ieee.MaxAppEntries + 1}[rng.IntN(3)]) {
		l.App = append(l.App, ieee.AppEntry{Priority: uint8(rng.IntN(8)), Selector: uint8(1 + rng.IntN(5)),
			Protocol: uint16(rng.IntN(1 << 16))})
	}
	return l
}

// words returns what tshark has for the TLVs of a port: two tables of each kind, that of the configuration and the
// recommended one.
func words(l *ieee.Local) map[string]string {
	flag := func(on bool) string { return map[bool]string{false: "0", true: "1"}[on] }
	w := map[string]string{
		"lldp.ieee.802_1.subtype":     "0x09,0x0a,0x0b,0x0c",
		"lldp.dcbx.ieee.willing":      flag(l.ETS.Willing) + "," + flag(l.PFC.Willing),
		"lldp.dcbx.ieee.ets.cbs":      flag(l.ETS.CBS),
		"lldp.dcbx.ieee.ets.maxtcs":   fmt.Sprint(l.ETS.MaxTCs % 8),
		"lldp.dcbx.ieee.pfc.mbc":      flag(l.PFC.MBC),
		"lldp.dcbx.ieee.pfc.numtcs":   fmt.Sprint(l.PFC.Cap),
		"lldp.dcbx.feature.app.proto": "", "lldp.dcbx.ieee.app.prio": "",
	}
	for i := range 8 {
		both := func(a, b uint8) string { return fmt.Sprintf("%d,%d", a, b) }
		w[fmt.Sprintf("lldp.dcbx.feature.pg.pgid_prio%d", i)] = both(l.ETS.Class[i], l.Recommendation.Class[i])
		w[fmt.Sprintf("lldp.dcbx.feature.pg.per%d", i)] = both(l.ETS.Bandwidth[i], l.Recommendation.Bandwidth[i])
		w[fmt.Sprintf("lldp.dcbx.ieee.ets.tsa%d", i)] = both(l.ETS.Algorithm[i], l.Recommendation.Algorithm[i])
		w[fmt.Sprintf("lldp.dcbx.feature.pfc.prio%d", i)] = flag(l.PFC.Enable>>i&1 == 1)
	}
	var protocols, priorities []string
	for _, e := range l.App {
		protocols = append(protocols, fmt.Sprintf("0x%04x", e.Protocol))
		priorities = append(priorities, fmt.Sprint(e.Priority))
	}
	w["lldp.dcbx.feature.app.proto"] = strings.Join(protocols, ",")
	w["lldp.dcbx.ieee.app.prio"] = strings.Join(priorities, ",")
	return w
}

// tshark reads the values of every TLV of IEEE DCBX as they are, in LLDPDUs of 200 configurations, and finds nothing
// malformed.
func TestTsharkReadsEveryValueOfIEEE(t *testing.T) {
	if _, err := exec.LookPath("tshark"); err != nil {
		nstest.Missing(t, "package tshark")
	}
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	path := filepath.Join(t.TempDir(), "lldp.pcap")
	file, err := os.Create(path)
	must(t, err)
	w := pcapgo.NewWriter(file)
	must(t, w.WriteFileHeader(65536, layers.LinkTypeEthernet))
	locals := make([]ieee.Local, 200)
	for i := range locals {
		locals[i] = randomLocal(rng)
		must(t, locals[i].Validate())
		pdu := lldp.PDU{Chassis: lldp.ChassisID{Subtype: lldp.ChassisMAC, ID: lldptest.Source[:]},
			Port: lldp.PortID{Subtype: lldp.PortIfName, ID: []byte("eth0")}, TTL: 120}
		p := ieee.NewPort(locals[i])
		p.SetRunning(true, &ieee.Output{})
		for _, tlv := range p.AppendTLVs(nil) {
			pdu.Org = append(pdu.Org, lldp.Org{OUI: lldp.OUI{0x00, 0x80, 0xc2}, Subtype: tlv.Subtype, Info: tlv.Payload})
		}
		f, _ := lldp.AppendFrame(nil, lldp.NearestBridge, lldptest.Source, &pdu)
		must(t, w.WritePacket(gopacket.CaptureInfo{Timestamp: time.Unix(0, 0), CaptureLength: len(f), Length: len(f)}, f))
	}
	must(t, file.Close())
	if out := tshark(t, "-r", path, "-Y", "_ws.malformed || _ws.expert.severity >= 6291456"); out != "" {
		t.Errorf("tshark complains:\n%s", out)
	}
	var keys []string
	for k := range words(&locals[0]) {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	args := []string{"-r", path, "-T", "fields"}
	for _, k := range keys {
		args = append(args, "-e", k)
	}
	lines := strings.Split(strings.TrimSuffix(tshark(t, args...), "\n"), "\n")
	if len(lines) != len(locals) {
		t.Fatalf("tshark has %d LLDPDUs of %d", len(lines), len(locals))
	}
	booleans := strings.NewReplacer("True", "1", "False", "0") // since tshark 4.2
	for i, line := range lines {
		want, got := words(&locals[i]), strings.Split(booleans.Replace(line), "\t")
		for n, k := range keys {
			if got[n] != want[k] {
				t.Errorf("%+v\n%s is %s, want %s", locals[i], k, got[n], want[k])
			}
		}
		if t.Failed() {
			return
		}
	}
}
