package topology

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"uelink/config/schema"
	"uelink/dataplane/fault"
)

// Bounds of an MTU: the least that IPv4 takes, and the most that a cable through sockets carries.
const (
	minMTU = 68
	maxMTU = 9600
)

// rootFields returns the keys of a lab's file: for each its values, default, meaning, and field of the Document.
func rootFields() schema.Section[Document] {
	return schema.Section[Document]{
		schema.RequiredList("stations", fmt.Sprintf("The daemons, 1 to %d.", maxStations), stationFields(),
			func(d *Document) *[]Station { return &d.Stations }),
		schema.RequiredList("hosts", fmt.Sprintf("The hosts, 1 to %d.", maxHosts), hostFields(),
			func(d *Document) *[]Host { return &d.Hosts }),
		schema.List("wires", fmt.Sprintf("The wires between stations, at most %d, without a loop.", maxWires), wireFields(),
			func(d *Document) *[]Wire { return &d.Wires }),
	}
}

// stationFields returns the keys of a station.
func stationFields() schema.Section[Station] {
	return schema.Section[Station]{
		schema.Required("name", schema.Name(), "Name of the station; unique among stations, hosts and wires.",
			func(s *Station) *string { return &s.Name }),
		schema.Keys("config",
			"Further keys of the daemon's configuration, such as `llr_profiles`; the lab gives `control`, `ports`, `bridges` and `xconnects`.",
			func(s *Station) **yaml.Node { return &s.Config }),
		schema.Keys("bridge",
			"Further keys of the station's bridge `br0`, such as `vlan_filtering`. A station with one host and one wire has no bridge but an xconnect, unless this key is there.",
			func(s *Station) **yaml.Node { return &s.Bridge }),
	}
}

// hostFields returns the keys of a host.
func hostFields() schema.Section[Host] {
	return schema.Section[Host]{
		schema.Required("name", schema.Name(),
			"Name of the host, and of the station's interface to the host; so at most 15 characters.",
			func(h *Host) *string { return &h.Name }),
		schema.Required("station", schema.Name(), "Station that has the host at an edge.",
			func(h *Host) *string { return &h.Station }),
		schema.Value("address", schema.OrAuto(prefix()), "auto",
			"Address of the host's interface `eth0`. `auto`: 10.77.0.1/24 for the first host, 10.77.0.2/24 for the second, and so on.",
			func(h *Host) *netip.Prefix { return &h.Address }),
		schema.Value("mtu", schema.Whole(minMTU, maxMTU), "1500", "MTU of the host and of its edge.",
			func(h *Host) *int { return &h.MTU }),
		schema.Keys("port", "Further keys of the edge, as in `ports` of the daemon's configuration, such as `pfc`.",
			func(h *Host) **yaml.Node { return &h.Port }),
		schema.Keys("member", "Further keys of the edge in the bridge, such as `pvid`.",
			func(h *Host) **yaml.Node { return &h.Member }),
	}
}

// wireFields returns the keys of a wire.
func wireFields() schema.Section[Wire] {
	return append(schema.Section[Wire]{
		schema.Value("name", schema.OrAuto(schema.Name()), "auto", "Name of the wire. `auto`: `wire0`, `wire1` … by its place.",
			func(w *Wire) *string { return &w.Name }),
		schema.Scalars("ends", schema.Name(), 0, "", "The two stations that the wire joins; required.",
			func(w *Wire, ends []string) { w.Ends = ends }),
		schema.Value("protocol", schema.Choice(llrProtocol, hippiProtocol), "llr", "Protocol of the link.",
			func(w *Wire) *protocol { return &w.Protocol }),
		schema.Value("mtu", schema.OrAuto(schema.Whole(minMTU, maxMTU)), "auto",
			"MTU of the wire's interfaces. `auto`: the largest MTU of a host, and 14 for the shim.",
			func(w *Wire) *int { return &w.MTU }),
		schema.Keys("port", "Further keys of the link at both ends, such as `cbfc`.",
			func(w *Wire) **yaml.Node { return &w.Port }),
		schema.Keys("member", "Further keys of the link in the bridges, such as `tagged`.",
			func(w *Wire) **yaml.Node { return &w.Member }),
	}, schema.Within(faultFields(), func(w *Wire) *Faults { return &w.Faults })...)
}

// faultFields returns the keys of a wire's faults.
func faultFields() schema.Section[Faults] {
	lasting := schema.Duration(0, fault.MaxDelay)
	return schema.Section[Faults]{
		schema.Value("loss", shareKind(), "0", "Share of frames lost.", func(f *Faults) *share { return &f.Loss }),
		schema.Value("burst", frames(), "1", "Mean number of frames lost in a row.",
			func(f *Faults) *float64 { return &f.Burst }),
		schema.Value("corrupt", shareKind(), "0", "Share of frames with one to three bits flipped.",
			func(f *Faults) *share { return &f.Corrupt }),
		schema.Value("duplicate", shareKind(), "0", "Share of frames that arrive twice.",
			func(f *Faults) *share { return &f.Duplicate }),
		schema.Value("reorder", shareKind(), "0", "Share of frames overtaken by one to three later frames.",
			func(f *Faults) *share { return &f.Reorder }),
		schema.Value("delay", lasting, "0", "Delay of every frame.", func(f *Faults) *time.Duration { return &f.Delay }),
		schema.Value("jitter", lasting, "0", "Random additional delay up to this, without reordering.",
			func(f *Faults) *time.Duration { return &f.Jitter }),
		schema.Value("rate", words("bits a second, k, M and G as in 100M"), "0", "Limit of the bit rate in each direction; 0 = none.",
			func(f *Faults) *string { return &f.Rate }),
		schema.Value("queue", schema.Whole(0, 1<<20), "0",
			"Frames on the wire at one time with delay, jitter or rate; 0 = no limit but memory.",
			func(f *Faults) *int { return &f.Queue }),
		schema.Value("netem", words("parameters of tc netem"), "",
			"The faults as parameters of tc netem instead: `loss 1% delay 10ms`.",
			func(f *Faults) *string { return &f.Netem }),
		schema.Scalars("rules", words("rule"), 0, "",
			"Rules for single frames and messages, as in TESTER.md; the ends are `a` and `b`.",
			func(f *Faults, list []string) { f.Rules = list }),
		schema.Value("seed", schema.Whole[uint32](0, 1<<32-1), "1", "Seed of the random numbers.",
			func(f *Faults) *uint32 { return &f.Seed }),
		schema.Value("control", schema.Boolean(), "false",
			"Make a socket for `uelink cable rule`, `report` and `clear`. Frames then cross in user space.",
			func(f *Faults) *bool { return &f.Control }),
		schema.Value("analyze", schema.Boolean(), "false", "Measure the link from inside the wire.",
			func(f *Faults) *bool { return &f.Analyze }),
	}
}

// shareKind returns the Kind that parses a share of frames. A percentage is refused; the error gives the percentage as
// a share.
func shareKind() schema.Kind[share] {
	const values = "0 to 1"
	return schema.NewKind(values, &schema.JSON{Type: "number"}, func(s schema.Scalar) (share, error) {
		bare, percent := strings.CutSuffix(s.Text, "%")
		v, err := strconv.ParseFloat(bare, 64)
		switch {
		case err != nil:
			return 0, fmt.Errorf("%q is not a share of frames: %s", s.Text, values)
		case percent || v > 1 && v <= 100:
			return 0, fmt.Errorf("a share is from %s: if %s %% is meant, write %v", values, bare, v/100)
		case !(v >= 0 && v <= 1):
			return 0, fmt.Errorf("%s is out of range: %s", s.Text, values)
		}
		return share(v), nil
	})
}

// frames returns the Kind that parses a mean number of frames, 1 or more.
func frames() schema.Kind[float64] {
	const values = "1 to 10000"
	return schema.NewKind(values, &schema.JSON{Type: "number"}, func(s schema.Scalar) (float64, error) {
		v, err := strconv.ParseFloat(s.Text, 64)
		if err != nil || !(v >= 1 && v <= 10000) {
			return 0, fmt.Errorf("%s is not a number of frames: %s", s.Text, values)
		}
		return v, nil
	})
}

// words returns the Kind that takes any scalar as text, a number too.
func words(values string) schema.Kind[string] {
	return schema.NewKind(values, schema.ScalarJSON(""), func(s schema.Scalar) (string, error) { return s.Text, nil })
}

// prefix returns the Kind that parses an address with the length of its prefix.
func prefix() schema.Kind[netip.Prefix] {
	const values = "address/length"
	json := schema.StringJSON(`^[0-9a-fA-F.:]+/[0-9]+$`)
	return schema.NewKind(values, json, func(s schema.Scalar) (netip.Prefix, error) {
		p, err := netip.ParsePrefix(s.Text)
		if err != nil {
			return p, fmt.Errorf("%q is not an address with the length of its prefix, such as 10.0.0.1/24", s.Text)
		}
		if a := p.Addr(); a.IsMulticast() || a.IsUnspecified() || a.IsLoopback() {
			return p, fmt.Errorf("%s cannot be the address of a host", a)
		}
		return p, nil
	})
}
