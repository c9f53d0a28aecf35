package support

import (
	"context"
	"fmt"
	"time"

	"uelink/client"
	"uelink/control/api"
	"uelink/internal/netns"
)

// Report has the data of a bug report. Lists are arrays in JSON also when they are empty.
type Report struct {
	Made      time.Time   `json:"made"`
	StandsOut []string    `json:"stands_out"` // causes, in words
	Missing   []string    `json:"missing"`    // parts that could not be read, and why
	Uelink    string      `json:"uelink"`
	Uelinkd   *api.Status `json:"uelinkd"` // null when none runs
	Host      hostFacts   `json:"host"`

	ConfigurationFile string `json:"configuration_file"`
	Configuration     string `json:"configuration"`
	Journal           string `json:"journal"` // the last lines that systemd's journal has of the daemon's unit

	Ports      []api.Port           `json:"ports"`
	Links      []api.LLRInterface   `json:"llr_interfaces"`
	Profiles   []api.LLRProfile     `json:"llr_profiles"`
	Bridges    []api.Bridge         `json:"bridges"`
	LLDP       []api.LLDPInterface  `json:"lldp_interfaces"`
	Neighbors  []api.LLDPNeighbor   `json:"lldp_neighbors"`
	Statistics []api.LLDPStatistics `json:"lldp_statistics"`
	DCBX       []api.DCBX           `json:"dcbx"`
	Events     []api.Event          `json:"events"`
	States     []api.SavedState     `json:"states"`
	Interfaces []interfaceFacts     `json:"interfaces"`

	configured []string // interfaces that the configuration names
	wrong      []string // problems of the configuration
}

// Gather returns a support report with the data of the daemon, if it runs, and of the host. file is the configuration
// to report where no daemon runs, or in place of the daemon's; "" for the daemon's.
func Gather(ctx context.Context, c *client.Client, file string, now time.Time) *Report {
	r := &Report{Made: now, Uelink: api.Version(), Missing: []string{}, Interfaces: []interfaceFacts{}}
	status, err := c.Status(ctx)
	if err == nil {
		r.Uelinkd = &status
	} else {
		r.Missing = append(r.Missing, "the daemon: "+err.Error())
	}
	read(r, "ports", &r.Ports, func() ([]api.Port, error) { return c.Ports(ctx) })
	read(r, "links", &r.Links, func() ([]api.LLRInterface, error) { return c.LLRInterfaces(ctx) })
	read(r, "LLR profiles", &r.Profiles, func() ([]api.LLRProfile, error) { return c.LLRProfiles(ctx) })
	read(r, "bridges", &r.Bridges, func() ([]api.Bridge, error) { return c.Bridges(ctx) })
	read(r, "LLDP interfaces", &r.LLDP, func() ([]api.LLDPInterface, error) { return c.LLDPInterfaces(ctx, "") })
	read(r, "LLDP neighbors", &r.Neighbors, func() ([]api.LLDPNeighbor, error) { return c.LLDPNeighbors(ctx, "") })
	read(r, "LLDP statistics", &r.Statistics,
		func() ([]api.LLDPStatistics, error) { return c.LLDPStatistics(ctx, "") })
	read(r, "DCBX", &r.DCBX, func() ([]api.DCBX, error) { return c.DCBX(ctx, "") })
	read(r, "events", &r.Events, func() ([]api.Event, error) { return c.Events(ctx) })
	read(r, "states", &r.States, func() ([]api.SavedState, error) { return c.SavedStates(ctx) })
	r.readHost(file)
	r.readJournal(ctx)
	r.StandsOut = r.Findings()
	return r
}

// read stores the list that get reads from the daemon in into; an error is recorded in r.Missing under name. Without a
// daemon the list stays empty.
func read[T any](r *Report, name string, into *[]T, get func() ([]T, error)) {
	*into = []T{}
	if r.Uelinkd == nil {
		return
	}
	list, err := get()
	if err != nil {
		r.Missing = append(r.Missing, name+": "+err.Error())
		return
	}
	*into = list
}

// readHost reads the data of the host, in the network namespace of the daemon, into the report. file is a
// configuration, "" for the daemon's.
func (r *Report) readHost(file string) {
	pid := 0
	if r.Uelinkd != nil {
		pid = r.Uelinkd.PID
	}
	r.readConfiguration(file)
	r.Host = newHostFacts(pid)
	if err := inNamespaceOf(pid, r.lookAtInterfaces); err != nil {
		r.Missing = append(r.Missing, fmt.Sprintf("interfaces: %v: use sudo", err))
	}
}

// inNamespaceOf calls f in the network namespace of process pid; in the present namespace if pid is 0 or the process is
// in the present namespace.
func inNamespaceOf(pid int, f func() error) error {
	theirs := fmt.Sprintf("/proc/%d/ns/net", pid)
	if pid == 0 || sameFile("/proc/self/ns/net", theirs) {
		return f()
	}
	return netns.Within(theirs, f)
}

// lookAtInterfaces reads the data of the ports' interfaces into the report; without a daemon, of the interfaces that
// the configuration names.
func (r *Report) lookAtInterfaces() error {
	names := r.configured
	if r.Uelinkd != nil {
		names = nil
		for _, p := range r.Ports {
			names = append(names, p.Interface)
		}
	}
	for _, name := range names {
		facts, err := newInterfaceFacts(name)
		if err != nil {
			r.Missing = append(r.Missing, fmt.Sprintf("interface %s: %v", name, err))
			continue
		}
		r.Interfaces = append(r.Interfaces, facts)
	}
	return nil
}
