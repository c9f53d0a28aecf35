package traffic

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"
	"github.com/spf13/cobra"

	"uelink/dataplane/frame"
	"uelink/wire"
	"uelink/wire/uet"
)

// everyPacket calls with each kind of packet of both dialects, in UDP and directly over IP.
func everyPacket(each func(u UET, kind *uet.Format, f *format)) {
	for _, d := range []wire.Dialect{wire.DialectSeed, wire.DialectUE1} {
		for _, overIP := range []bool{false, true} {
			u := UET{Kinds: []string{everyKind}, Dialect: d, OverIP: overIP, DSCP: 26}
			for i, kind := range uet.Kinds(d) {
				tags := []uint16{100, 200}[:i%3]
				each(u, kind, newUETFormat(macB, macA, tags, 0xABCD, 1522, u, kind, i%2))
			}
		}
	}
}

// Package uet finds the kind of packet in a frame sent as that kind, with its numbers, and without a fault.
func TestUETPacketsAreWhatTheySay(t *testing.T) {
	const number = 0x0102030405060708
	everyPacket(func(u UET, kind *uet.Format, f *format) {
		b := make([]byte, 400)
		f.put(b, len(b), number, 1)
		c := uet.NewClassifier()
		s := c.Classify(b)
		if s.Class == uet.NotUET || s.Class == uet.Unknown || s.Entropy != u.OverIP || s.DSCP != 26 || s.Trimmed ||
			int(s.End) != len(b) {
			t.Fatalf("%s: %+v", kind.Name, s)
		}
		var p uet.Packet
		o := uet.Options{Dialect: u.Dialect, Entropy: u.OverIP, Rendezvous: uet.RendezvousOpcode}
		fault := p.Parse(b[s.Start:s.End], o)
		if fault.Wrong() || !bytes.HasPrefix(p.Payload, []byte(identity)) {
			t.Errorf("%s: %v, payload % x", kind.Name, fault, p.Payload[:8])
		}
		names := []string{}
		for _, h := range p.Headers() {
			names = append(names, h.Of.Name)
			wantCounted(t, h, number, len(p.Payload))
		}
		if !slices.Contains(names, kind.Name) {
			t.Errorf("%s is not among %v", kind.Name, names)
		}
	})
}

// wantCounted checks the fields of a header that depend on the frame.
func wantCounted(t *testing.T, h uet.Header, number uint64, payload int) {
	t.Helper()
	if f := h.Counter(); f != nil && h.Value(f) != number&f.Max() {
		t.Errorf("%s: %s is %#x", h.Of.Name, f.Name, h.Value(f))
	}
	if f := h.PayloadLength(); f != nil && h.Value(f) != uint64(payload) {
		t.Errorf("%s: %s is %d of %d octets", h.Of.Name, f.Name, h.Value(f), payload)
	}
}

// Another library reads lengths and addresses as they are meant, and finds the checksum of IPv4 right.
func TestUETPacketsAreRightIPv4(t *testing.T) {
	everyPacket(func(u UET, kind *uet.Format, f *format) {
		for _, n := range []int{f.least(), 777} {
			b := make([]byte, n)
			f.put(b, n, 9, 9)
			got := gopacket.NewPacket(b, layers.LayerTypeEthernet, gopacket.Default)
			ip, _ := got.Layer(layers.LayerTypeIPv4).(*layers.IPv4)
			failed := ip == nil || got.ErrorLayer() != nil && !u.OverIP
			if failed || int(ip.Length) != n-f.packet.ip || ip.TOS != 26<<2 {
				t.Fatalf("%s of %d: %+v, %v", kind.Name, n, ip, got.ErrorLayer())
			}
			header := bytes.Clone(ip.Contents)
			sum := uint32(0)
			for i := 0; i < len(header); i += 2 {
				sum += uint32(header[i])<<8 | uint32(header[i+1])
			}
			if sum>>16+sum&0xFFFF != 0xFFFF {
				t.Errorf("%s of %d: checksum %#x", kind.Name, n, ip.Checksum)
			}
			udp, _ := got.Layer(layers.LayerTypeUDP).(*layers.UDP)
			if (udp == nil) != u.OverIP || udp != nil && (int(udp.Length) != n-f.packet.udp || udp.DstPort != 4793) {
				t.Errorf("%s of %d: %+v", kind.Name, n, udp)
			}
		}
	})
}

// A frame comes back as it was sent, of the least length, too, and a changed bit is seen wherever it is.
func TestUETPacketsAreReadBack(t *testing.T) {
	everyPacket(func(_ UET, kind *uet.Format, f *format) {
		b := make([]byte, f.least())
		for number := range uint64(3) {
			f.put(b, len(b), number, 5)
			if got, at, v := f.read(b); got != number || at != 5 || v != intact || !f.claims(b) {
				t.Fatalf("%s: number %d at %d, verdict %d", kind.Name, got, at, v)
			}
		}
		for bit := range 8 * len(b) {
			b[bit/8] ^= 1 << (bit % 8)
			if _, _, v := f.read(b); v != damaged {
				t.Fatalf("%s: bit %d changed: verdict %d", kind.Name, bit, v)
			}
			b[bit/8] ^= 1 << (bit % 8)
		}
	})
}

func TestNoUETPacketAllocates(t *testing.T) {
	u := UET{Kinds: []string{"rud_cc_req"}}
	f := newUETFormat(macB, macA, nil, 1, 1522, u, uet.FormatByName(u.Dialect, "rud_cc_req"), 0)
	b := make([]byte, 300)
	if n := testing.AllocsPerRun(100, func() {
		f.put(b, len(b), 77, 1)
		f.read(b)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func uetConfig(kinds ...string) Config {
	c := testConfig()
	c.UET.Kinds, c.Frames, c.Window, c.Size = kinds, 500, 16, imix
	return c
}

// Faults are counted exactly, of each kind for itself.
func TestFaultsOfUETPacketsAreCountedExactly(t *testing.T) {
	c := uetConfig("rud_req", "ack", "nack", "ctrl", "tss", "cas_extension")
	c.Priorities = []uint8{0, 3}
	w := newFaultyWire(t, nil)
	e := w.engine(c)
	lost := map[*format]uint64{}
	w.fault = func(direction, i int, octets []byte) [][]byte {
		f, claimed := e.ports[1-direction].flowOf(octets)
		if !claimed {
			t.Errorf("frame %d is of no flow", i)
		}
		if i%37 != 0 {
			return [][]byte{octets}
		}
		lost[f.format]++
		return nil
	}
	r := w.play(e)
	if len(r.Directions) != 2*6*2 || len(lost) < 20 {
		t.Fatalf("%d directions, %d with losses", len(r.Directions), len(lost))
	}
	for i, d := range r.Directions {
		n := lost[e.flows[i].format]
		if d.Sent != 500 || d.Lost != n || d.Delivered != 500-n || d.Reordered+d.Duplicated != 0 {
			t.Errorf("%s (%d): %+v, lost %d", d.Kind, d.Priority, d, n)
		}
	}
}

func TestAllKindsGoAcross(t *testing.T) {
	for _, d := range []wire.Dialect{wire.DialectSeed, wire.DialectUE1} {
		c := uetConfig(everyKind)
		c.UET.Dialect = d
		w := newFaultyWire(t, nil)
		checkDirections(t, w.play(w.engine(c)), want{delivered: 500})
		kinds := uet.Kinds(d)
		if n := c.flows(); n != len(kinds) || n > maxKinds {
			t.Errorf("%v: %d kinds of %d, at most %d", d, n, len(kinds), maxKinds)
		}
	}
}

func TestUETIsValidated(t *testing.T) {
	for want, change := range map[string]func(c *Config){
		`UET kind "gossip" is unknown or given twice: dialect seed has tss, tss_ssi, rud_req`: func(c *Config) {
			c.UET.Kinds = []string{"ack", "gossip"}
		},
		`UET kind "ack" is unknown or given twice`: func(c *Config) { c.UET.Kinds = []string{"ack", "ack"} },
		`UET kind "req_std_som1" is unknown`:       func(c *Config) { c.UET.Kinds = []string{"req_std_som1"} },
		`UET kind "entropy" is unknown`:            func(c *Config) { c.UET.Kinds = []string{"entropy"} },
		"DSCP 64: want 0 to 63":                    func(c *Config) { c.UET.DSCP = 64 },
		"name their kinds with --uet":              func(c *Config) { c.UET = UET{OverIP: true} },
		"a slow sink takes no UET":                 func(c *Config) { c.SinkRate[1] = 5 },
		"not below the window of 5":                func(c *Config) { c.UET.Kinds, c.Window = []string{everyKind}, 192 },
		"a slow sink takes no UET packet":          func(c *Config) { c.Stall = Stall{Duration: time.Second} },
	} {
		c := uetConfig("ack")
		change(&c)
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v; want %s", err, want)
		}
	}
}

// A frame that is too short for its headers is refused; patterns begin where they fit.
func TestSizesOfUETPackets(t *testing.T) {
	c := uetConfig("cas_extension")
	c.Size = "100"
	w := newFaultyWire(t, nil)
	devices := [2][]frame.Device{{w.ends[0]}, {w.ends[1]}}
	_, err := newEngine(c, devices, 1500, func() wire.Time { return 0 })
	if err == nil || !strings.Contains(err.Error(), "frames of 100 octets, but an MTU of 1500 carries 170 to 1514") {
		t.Error(err)
	}
	for size, n := range map[string]int{imix: 12, sweep: 1514 - 170 + 1} {
		pattern, err := parseSizes(size, 1500, 170)
		if err != nil || len(pattern) != n || slices.Min(pattern) != 170 {
			t.Errorf("%s: %d lengths, %v", size, len(pattern), err)
		}
	}
}

// The default window is bounded by the rings. A window given on the command line is not.
func TestWindowOfManyFlowsFitsTheRing(t *testing.T) {
	for _, c := range []struct {
		args string
		says string
	}{
		{"--uet all", "there is no network namespace"}, // it gets as far as that
		{"--priority 0 --priority 1 --priority 2 --priority 3 --priority 4 --priority 5", "there is no network namespace"},
		{"--uet all --window 192", "ring size 1024"},
	} {
		cmd := Command()
		cmd.SetArgs(append([]string{"--from", "a@nowhere0", "--to", "b@nowhere1"}, strings.Fields(c.args)...))
		cmd.SilenceUsage, cmd.SilenceErrors = true, true
		if err := cmd.Execute(); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v", c.args, err)
		}
	}
}

func TestKindsAreCompleted(t *testing.T) {
	cmd := Command()
	if err := cmd.Flags().Set("uet-dialect", "ue1"); err != nil {
		t.Fatal(err)
	}
	complete, _ := cmd.GetFlagCompletionFunc("uet")
	words, directive := complete(cmd, nil, "")
	if !slices.Contains(words, "req_std_som1") || slices.Contains(words, "standard_request_som1") ||
		!slices.Contains(words, everyKind) || directive != cobra.ShellCompDirectiveNoFileComp {
		t.Errorf("%v, %d", words, directive)
	}
}

// manyKinds is a result with more directions than stand side by side.
func manyKinds() (r Result) {
	for _, kind := range []string{"rud_req", "ack", "nack", "ctrl", "response"} {
		for _, d := range someResult().Directions {
			d.Kind = kind
			r.Directions = append(r.Directions, d)
		}
	}
	return r
}
