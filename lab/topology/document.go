package topology

import (
	"fmt"
	"net/netip"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"
)

// Bounds of a lab: each host and wire is a namespace with a thread, and each station a daemon with memory for its
// ports.
const (
	maxStations = 32
	maxHosts    = 250 // a /24
	maxWires    = 64
)

// Document is a lab as a file describes it.
type Document struct {
	Stations []Station
	Hosts    []Host
	Wires    []Wire
}

// Station is a daemon. Its ports are named after its hosts, and link0, link1 … for its wires.
type Station struct {
	Name   string
	Config *yaml.Node // further keys of its configuration; nil: none
	Bridge *yaml.Node // further keys of its bridge; nil: one host and one wire are an xconnect
}

// Host is a namespace with an interface eth0, whose other end is an edge of a station.
type Host struct {
	Name    string
	Station string
	Address netip.Prefix
	MTU     int
	Port    *yaml.Node // further keys of the edge port
	Member  *yaml.Node // further keys of the edge as a port of the bridge
}

// Wire joins two stations.
type Wire struct {
	Name     string
	Ends     []string // names of two stations
	Protocol protocol
	MTU      int        // MTU of its interfaces; by default the largest MTU of a host, and the shim
	Port     *yaml.Node // further keys of the link at both ends
	Member   *yaml.Node // further keys of the link as a port of a bridge, at both ends
	Faults   Faults
}

// Faults are what a wire does to frames, in the words of `uelink cable`. Without any the wire is a veth.
type Faults struct {
	Loss, Corrupt, Duplicate, Reorder share
	Burst                             float64
	Delay, Jitter                     time.Duration
	Rate                              string // bits a second
	Queue                             int
	Netem                             string
	Rules                             []string
	Seed                              uint32
	Control                           bool // the cable has a socket for rules and reports
	Analyze                           bool
}

// share is a share of the frames, 0 to 1.
type share float64

// protocol is what the two ends of a wire speak.
type protocol uint8

// Protocols of a wire.
const (
	llrProtocol protocol = iota
	hippiProtocol
)

// String returns the protocol's name in a file: llr or hippi6400.
func (p protocol) String() string { return [...]string{"llr", "hippi6400"}[p] }

// Parse reads and checks the description of a lab, data; name names its file in messages. An error is a *schema.Error
// with the problems found.
func Parse(name string, data []byte) (*Document, error) {
	var d Document
	w, readable := rootFields().Decode(data, &d)
	if readable {
		c := checks{w, &d}
		c.check()
	}
	if err := w.Err(name); err != nil {
		return nil, err
	}
	return &d, nil
}

// Reference returns a table in Markdown: every key with its values, default and meaning.
func Reference() string {
	var b strings.Builder
	b.WriteString("| key | values | default | meaning |\n|---|---|---|---|\n")
	for _, r := range rootFields().Rows("") {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.Path, r.Values, r.Default, r.Meaning)
	}
	return b.String()
}

// JSONSchema returns a JSON Schema (draft 7) of a lab, for editors.
func JSONSchema() string {
	return rootFields().JSONSchema("lab.yaml", "A lab of uelink: uelink lab up lab.yaml.")
}
