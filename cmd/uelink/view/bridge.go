package view

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"uelink/control/api"
	"uelink/internal/table"
)

// WriteBridges prints a table of bridges.
func WriteBridges(w io.Writer, bridges []api.Bridge) {
	if len(bridges) == 0 {
		fmt.Fprintln(w, NoBridges)
		return
	}
	t := table.Table{Titles: []string{
		"Bridge", "VLAN filtering", ">Ageing time", ">Entries", ">Max entries", "Loop guard", "Reserved", "Ports",
	}}
	for _, b := range bridges {
		t.Add(b.Name, onOff(b.VLANFiltering), ageing(b.AgeingTime), text(uint64(b.Entries)), text(uint64(b.MaxEntries)),
			b.LoopGuard, b.Reserved, portsText(b))
	}
	WriteTable(w, &t)
}

// portsText returns the names of a bridge's ports, each port that does not forward with its state.
func portsText(b api.Bridge) string {
	names := PortsOf(b)
	for i, p := range b.Ports {
		if p.State != api.BridgePortForwarding {
			names[i] += " (" + p.State + ")"
		}
	}
	return OrDash(strings.Join(names, ", "))
}

// ageing returns an ageing time of seconds in words; 0 is "never".
func ageing(seconds float64) string {
	if seconds == 0 {
		return "never"
	}
	return time.Duration(seconds * float64(time.Second)).String()
}

// WriteBridge prints all of a bridge and a table of its ports.
func WriteBridge(w io.Writer, b api.Bridge) {
	Details(w, "Bridge "+b.Name, b)
	fmt.Fprintln(w)
	t := table.Table{Titles: []string{
		"Port", "State", ">PVID", "Learning", "Isolated", ">Broadcast/s", ">Unknown unicast/s", ">Multicast/s",
	}}
	for _, p := range b.Ports {
		t.Add(p.Port, p.State, pvid(b, p), onOff(p.Learning), onOff(p.Isolated),
			limit(p.BroadcastLimit), limit(p.UnknownUnicastLimit), limit(p.MulticastLimit))
	}
	WriteTable(w, &t)
	for _, p := range b.Ports {
		fmt.Fprintf(w, "\n[counters of %s]\n", p.Port)
		WriteFields(w, p.Counters)
	}
}

func pvid(b api.Bridge, p api.BridgePort) string {
	if !b.VLANFiltering || p.PVID == 0 {
		return "-"
	}
	return fmt.Sprint(p.PVID)
}

// limit returns the text of a rate limit in frames a second; 0, no limit, is "-".
func limit(n uint32) string {
	if n == 0 {
		return "-"
	}
	return Count(uint64(n))
}

// IsBridge reports whether name is the name of one of the bridges.
func IsBridge(bridges []api.Bridge, name string) bool {
	return slices.ContainsFunc(bridges, func(b api.Bridge) bool { return b.Name == name })
}

// NoBridges is printed where a daemon has no bridge.
const NoBridges = "no bridge is configured: add one to bridges in the configuration"

// PortsOf returns the names of the ports of a bridge.
func PortsOf(b api.Bridge) (names []string) {
	for _, p := range b.Ports {
		names = append(names, p.Port)
	}
	return names
}
