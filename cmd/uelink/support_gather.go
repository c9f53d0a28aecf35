package main

import (
	"context"
	"fmt"
	"time"

	"uelink/control"
	"uelink/netns"
)

// report is what a bug report needs. Lists are arrays in JSON also when they are empty.
type report struct {
	Made      time.Time       `json:"made"`
	StandsOut []string        `json:"stands_out"` // causes, in words
	Missing   []string        `json:"missing"`    // what could not be found out, and why
	Uelink    string          `json:"uelink"`
	Uelinkd   *control.Status `json:"uelinkd"` // null when none runs
	Host      hostFacts       `json:"host"`

	ConfigurationFile string `json:"configuration_file"`
	Configuration     string `json:"configuration"`

	Ports      []control.Port           `json:"ports"`
	Links      []control.LLRInterface   `json:"llr_interfaces"`
	Profiles   []control.LLRProfile     `json:"llr_profiles"`
	Bridges    []control.Bridge         `json:"bridges"`
	LLDP       []control.LLDPInterface  `json:"lldp_interfaces"`
	Neighbors  []control.LLDPNeighbor   `json:"lldp_neighbors"`
	Statistics []control.LLDPStatistics `json:"lldp_statistics"`
	DCBX       []control.DCBX           `json:"dcbx"`
	Events     []control.Event          `json:"events"`
	Interfaces []interfaceFacts         `json:"interfaces"`
}

// gather asks the daemon, if one runs, and the host.
func gather(ctx context.Context, c *control.Client, now time.Time) *report {
	r := &report{Made: now, Uelink: control.Version(), Missing: []string{}, Interfaces: []interfaceFacts{}}
	status, err := c.Status(ctx)
	if err == nil {
		r.Uelinkd = &status
	} else {
		r.Missing = append(r.Missing, "the daemon: "+err.Error())
	}
	take(r, "ports", &r.Ports, func() ([]control.Port, error) { return c.Ports(ctx) })
	take(r, "links", &r.Links, func() ([]control.LLRInterface, error) { return c.LLRInterfaces(ctx) })
	take(r, "LLR profiles", &r.Profiles, func() ([]control.LLRProfile, error) { return c.LLRProfiles(ctx) })
	take(r, "bridges", &r.Bridges, func() ([]control.Bridge, error) { return c.Bridges(ctx) })
	take(r, "LLDP interfaces", &r.LLDP, func() ([]control.LLDPInterface, error) { return c.LLDPInterfaces(ctx, "") })
	take(r, "LLDP neighbors", &r.Neighbors, func() ([]control.LLDPNeighbor, error) { return c.LLDPNeighbors(ctx, "") })
	take(r, "LLDP statistics", &r.Statistics,
		func() ([]control.LLDPStatistics, error) { return c.LLDPStatistics(ctx, "") })
	take(r, "DCBX", &r.DCBX, func() ([]control.DCBX, error) { return c.DCBX(ctx, "") })
	take(r, "events", &r.Events, func() ([]control.Event, error) { return c.Events(ctx) })
	r.look()
	r.StandsOut = r.findings()
	return r
}

// take gets a list. Without a daemon there is none, which has been said.
func take[T any](r *report, what string, into *[]T, get func() ([]T, error)) {
	*into = []T{}
	if r.Uelinkd == nil {
		return
	}
	list, err := get()
	if err != nil {
		r.Missing = append(r.Missing, what+": "+err.Error())
		return
	}
	*into = list
}

// look finds out what the host says, in the network namespace of the daemon.
func (r *report) look() {
	pid := 0
	if r.Uelinkd != nil {
		pid = r.Uelinkd.PID
		r.readConfiguration()
	}
	r.Host = newHostFacts(pid)
	if err := inNamespaceOf(pid, r.lookAtInterfaces); err != nil {
		r.Missing = append(r.Missing, fmt.Sprintf("interfaces: %v: use sudo", err))
	}
}

// inNamespaceOf runs f in the network namespace of a process; of this one if pid is 0 or
// in the same.
func inNamespaceOf(pid int, f func() error) error {
	theirs := fmt.Sprintf("/proc/%d/ns/net", pid)
	if pid == 0 || sameFile("/proc/self/ns/net", theirs) {
		return f()
	}
	return netns.Within(theirs, f)
}

// lookAtInterfaces asks for those of the ports; without a daemon there are none.
func (r *report) lookAtInterfaces() error {
	for _, p := range r.Ports {
		facts, err := newInterfaceFacts(p.Interface)
		if err != nil {
			r.Missing = append(r.Missing, fmt.Sprintf("interface %s: %v", p.Interface, err))
			continue
		}
		r.Interfaces = append(r.Interfaces, facts)
	}
	return nil
}
