package pcap

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket/layers"
	"github.com/gopacket/gopacket/pcapgo"

	"uelink/dataplane/mem"
)

func TestGopacketReadsTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "g.pcapng")
	capture, err := Create(path, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	a, b := mem.NewPair(geometry, geometry, 16)
	link, edge := capture.Tap(a, "link0"), capture.Tap(b, "edge0")
	before := time.Now()
	for n := 60; n < 64; n++ { // every padding
		transmit(t, link, strings.Repeat("f", n))
		receive(edge)
	}
	if err := errors.Join(link.Close(), edge.Close(), capture.Close()); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r, err := pcapgo.NewNgReader(f, pcapgo.NgReaderOptions{WantMixedLinkType: true, ErrorOnMismatchingLinkType: true})
	if err != nil {
		t.Fatal(err)
	}
	seen := [2]int{}
	for {
		data, info, options, err := r.ReadPacketDataWithOptions()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		i := info.InterfaceIndex
		want := []pcapgo.NgEpbFlag{pcapgo.NgEpbFlagDirectionOutbound, pcapgo.NgEpbFlagDirectionInbound}[i]
		if options.Flags == nil || options.Flags.Direction != want {
			t.Errorf("interface %d: flags %+v", i, options.Flags)
		}
		if string(data) != strings.Repeat("f", 60+seen[i]) || info.Length != len(data) {
			t.Errorf("interface %d: %d octets of %d: %q", i, len(data), info.Length, data)
		}
		if info.Timestamp.Before(before) || info.Timestamp.After(time.Now()) {
			t.Errorf("time %v", info.Timestamp)
		}
		seen[i]++
	}
	if seen != [2]int{4, 4} {
		t.Errorf("%v packets", seen)
	}
	for i, name := range []string{"link0", "edge0"} {
		if intf, err := r.Interface(i); err != nil || intf.Name != name || intf.LinkType != layers.LinkTypeEthernet {
			t.Errorf("interface %d: %+v, %v", i, intf, err)
		}
	}
}
