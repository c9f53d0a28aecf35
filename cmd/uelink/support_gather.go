package main

import (
	"context"
	"fmt"
	"time"

	"uelink/control"
	"uelink/internal/netns"
)

// report has the data of a bug report. Lists are arrays in JSON also when they are empty.
type report struct {
	Made      time.Time       `json:"made"`
	StandsOut []string        `json:"stands_out"` // causes, in words
	Missing   []string        `json:"missing"`    // parts that could not be read, and why
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
	States     []control.SavedState     `json:"states"`
	Interfaces []interfaceFacts         `json:"interfaces"`
}

// gather returns a support report with the data of the daemon, if it runs, and of the host.
func gather(ctx context.Context, c *control.Client, now time.Time) *report {
	r := &report{Made: now, Uelink: control.Version(), Missing: []string{}, Interfaces: []interfaceFacts{}}
	status, err := c.Status(ctx)
	if err == nil {
		r.Uelinkd = &status
	} else {
		r.Missing = append(r.Missing, "the daemon: "+err.Error())
	}
	read(r, "ports", &r.Ports, func() ([]control.Port, error) { return c.Ports(ctx) })
	read(r, "links", &r.Links, func() ([]control.LLRInterface, error) { return c.LLRInterfaces(ctx) })
	read(r, "LLR profiles", &r.Profiles, func() ([]control.LLRProfile, error) { return c.LLRProfiles(ctx) })
	read(r, "bridges", &r.Bridges, func() ([]control.Bridge, error) { return c.Bridges(ctx) })
	read(r, "LLDP interfaces", &r.LLDP, func() ([]control.LLDPInterface, error) { return c.LLDPInterfaces(ctx, "") })
	read(r, "LLDP neighbors", &r.Neighbors, func() ([]control.LLDPNeighbor, error) { return c.LLDPNeighbors(ctx, "") })
	read(r, "LLDP statistics", &r.Statistics,
		func() ([]control.LLDPStatistics, error) { return c.LLDPStatistics(ctx, "") })
	read(r, "DCBX", &r.DCBX, func() ([]control.DCBX, error) { return c.DCBX(ctx, "") })
	read(r, "events", &r.Events, func() ([]control.Event, error) { return c.Events(ctx) })
	read(r, "states", &r.States, func() ([]control.SavedState, error) { return c.SavedStates(ctx) })
	r.look()
	r.StandsOut = r.findings()
	return r
}

// read stores the list that get reads from the daemon in into; an error is recorded in r.Missing with the name
// what. Without a daemon the list stays empty.
func read[T any](r *report, what string, into *[]T, get func() ([]T, error)) {
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

// look reads the data of the host, in the network namespace of the daemon, into the report.
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

// inNamespaceOf calls f in the network namespace of process pid; in the present namespace if pid is 0 or in the
// same.
func inNamespaceOf(pid int, f func() error) error {
	theirs := fmt.Sprintf("/proc/%d/ns/net", pid)
	if pid == 0 || sameFile("/proc/self/ns/net", theirs) {
		return f()
	}
	return netns.Within(theirs, f)
}

// lookAtInterfaces reads the data of the ports' interfaces into the report; nothing if there is no daemon.
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
