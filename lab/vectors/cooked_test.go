package vectors

import (
	"bytes"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"uelink/wire"
)

// The link types of cooked captures (tcpdump -i any): the second has the interface, neither the destination address.
const (
	linkTypeSLL2 = layers.LinkType(276)
	ethernetARP  = 1
	sentByHost   = 4
)

// cookedSLL returns an Ethernet frame as in a capture of link type LINUX_SLL.
func cookedSLL(frame []byte) []byte {
	b := binary.BigEndian.AppendUint16(nil, sentByHost)
	b = binary.BigEndian.AppendUint16(b, ethernetARP)
	b = binary.BigEndian.AppendUint16(b, wire.AddrLen)
	b = append(append(b, frame[wire.AddrLen:2*wire.AddrLen]...), 0, 0)
	return append(b, frame[2*wire.AddrLen:]...)
}

// cookedSLL2 returns an Ethernet frame as in a capture of link type LINUX_SLL2, received or sent at an interface.
func cookedSLL2(frame []byte, ifindex uint32, kind byte) []byte {
	b := append(slices.Clone(frame[2*wire.AddrLen:wire.HeaderLen]), 0, 0)
	b = binary.BigEndian.AppendUint32(b, ifindex)
	b = binary.BigEndian.AppendUint16(b, ethernetARP)
	b = append(append(append(b, kind, wire.AddrLen), frame[wire.AddrLen:2*wire.AddrLen]...), 0, 0)
	return append(b, frame[wire.HeaderLen:]...)
}

// cookedFile writes packets of one link type to a file.
func cookedFile(t *testing.T, kind layers.LinkType, packets [][]byte) string {
	t.Helper()
	var b bytes.Buffer
	w := pcapgo.NewWriter(&b)
	err := w.WriteFileHeader(1<<16, kind)
	for _, p := range packets {
		if err == nil {
			err = w.WritePacket(gopacket.CaptureInfo{Timestamp: epoch, CaptureLength: len(p), Length: len(p)}, p)
		}
	}
	path := filepath.Join(t.TempDir(), "cooked.pcap")
	if err == nil {
		err = os.WriteFile(path, b.Bytes(), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// linkFields returns the fields of the link's own headers, which do not depend on the addresses of the frame.
func linkFields(fields []string) (list []string) {
	for _, f := range fields {
		if strings.HasPrefix(f, "ue") && !strings.Contains(f, "_status=") {
			list = append(list, f)
		}
	}
	slices.Sort(list)
	return list
}

// needsAddresses reports whether a fault is found by a check sequence, which covers both addresses.
func needsAddresses(fault string) bool { return strings.HasSuffix(fault, ": wrong CRC") }

// Cooked captures show every field of the link, and the faults that can be found without the destination address.
func TestTsharkReadsCookedCaptures(t *testing.T) {
	known := knownFields()
	var list []Vector
	for _, v := range all() {
		if v.Link != LinkCtlOS && v.Link != LinkBlock && len(v.Octets) >= wire.HeaderLen && v.Dialect != "ue1" {
			list = append(list, v)
		}
	}
	sll, sll2 := make([][]byte, len(list)), make([][]byte, len(list))
	for i, v := range list {
		sll[i], sll2[i] = cookedSLL(v.Octets), cookedSLL2(v.Octets, 7, sentByHost)
	}
	for name, path := range map[string]string{
		"SLL": cookedFile(t, layers.LinkTypeLinuxSLL, sll), "SLL2": cookedFile(t, linkTypeSLL2, sll2),
	} {
		packets := readJSON(t, tshark(t, path, "-T", "json", "-o", "ueuet.dialect:seed"), known)
		if len(packets) != len(list) {
			t.Fatalf("%s: tshark read %d packets of %d", name, len(packets), len(list))
		}
		for i, v := range list {
			got, want := linkFields(packets[i].fields), linkFields(asTshark(v.Fields))
			faults := slices.DeleteFunc(notOfOthers(v.Faults), needsAddresses)
			if !slices.Equal(got, want) || !slices.Equal(packets[i].faults, faults) || len(packets[i].errors) > 0 {
				t.Errorf("%s: %s: tshark reads %v %v %v, want %v %v", name, v.Name, minus(got, want),
					packets[i].faults, packets[i].errors, minus(want, got), faults)
			}
		}
	}
}

// Numbers are followed by interface and direction: a bridge receives a frame at one interface and sends it at another.
func TestTsharkFollowsNumbersOfCookedCaptures(t *testing.T) {
	i := slices.IndexFunc(all(), func(v Vector) bool {
		return slices.ContainsFunc(v.Fields, func(f Field) bool { return f.Name == "uellr.seq" }) && len(v.Faults) == 0
	})
	frame := all()[i].Octets
	path := cookedFile(t, linkTypeSLL2, [][]byte{cookedSLL2(frame, 2, 2), cookedSLL2(frame, 3, sentByHost),
		cookedSLL2(frame, 2, sentByHost), cookedSLL2(frame, 2, 2)})
	out := string(tshark(t, path, "-T", "fields", "-e", "uellr.analysis.duplicate"))
	if want := "\n\n\n1\n"; out != want {
		t.Errorf("duplicates %q, want %q", out, want)
	}
}
