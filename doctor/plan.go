package doctor

import (
	"errors"
	"fmt"
	"slices"

	"uelink/bpf"
	"uelink/config"
	"uelink/dataplane"
	"uelink/dataplane/netif"
)

// Alone is the plan for an interface without a configuration: a port with the defaults.
func Alone(ifname string, role dataplane.Role) Plan {
	return Plan{Port: dataplane.PortSettings{
		Interface: ifname, Role: role, Native: bpf.NativeAuto, RingSize: defaultRing,
		RxRingSize: dataplane.DefaultRxRing(role, defaultRing),
	}}
}

// defaultRing is ring_size of a port that says nothing of it.
const defaultRing = 1024

// plans is what a configuration uses interfaces for, but those of role host, which stay the kernel's. mtuOf is the
// MTU of an interface, 0 of one that is not there.
func plans(c *config.Config, mtuOf func(ifname string) int) (all []Plan) {
	for _, p := range c.Settings.Ports {
		plan := Plan{Port: p}
		if p.Role == dataplane.RoleLink {
			for _, edge := range edgesOf(&c.Settings, p.Name) {
				if mtu := mtuOf(edge); mtu > 0 {
					plan.Need = max(plan.Need, mtu+p.Overhead())
				}
			}
		}
		all = append(all, plan)
	}
	return all
}

// edgesOf is the interfaces of the edges whose frames go by a link, but those that are made: they go by the MTU of the
// link.
func edgesOf(s *dataplane.Settings, link string) (ifnames []string) {
	with := s.JoinedTo(link)
	for _, p := range s.Ports {
		if p.Role == dataplane.RoleEdge && p.Host == nil && slices.Contains(with, p.Name) {
			ifnames = append(ifnames, p.Interface)
		}
	}
	return ifnames
}

// Source is where facts are from; Look is the kernel.
type Source func(ifname string) (*Facts, error)

// Examine makes the report of an interface.
func (look Source) Examine(p Plan) Report {
	f, err := look(p.Port.Interface)
	switch {
	case err == nil:
		return Judge(f, p)
	case p.Port.Host != nil && errors.Is(err, netif.ErrNone):
		return look.toBeMade(p)
	}
	r, do := newReport(p), ""
	if errors.Is(err, netif.ErrNone) {
		do = "create the interface, or correct its name: uelinkd waits for it"
	}
	r.Findings = []Finding{{Blocks, err.Error(), do}}
	return r
}

// toBeMade is the report of an edge whose interface uelinkd makes, and that is not there.
func (look Source) toBeMade(p Plan) Report {
	r, host := newReport(p), p.Port.Host
	made := fmt.Sprintf("a veth made of %s and %s, the host's", p.Port.Interface, host.Name)
	for _, a := range host.Addresses {
		made += " " + a.String()
	}
	r.Changes = []string{made}
	if _, err := look(host.Name); err == nil {
		r.Findings = []Finding{{Blocks, host.Name + " is there already, and is to be made",
			"choose another host_interface, or remove it (ip link delete dev " + host.Name + ")"}}
	}
	return r
}

// ExamineConfig makes the reports of all interfaces of a configuration.
func (look Source) ExamineConfig(c *config.Config) (all []Report) {
	mtuOf := func(ifname string) int {
		f, err := look(ifname)
		if err != nil {
			return 0 // its own report says so
		}
		return f.MTU
	}
	for _, p := range plans(c, mtuOf) {
		all = append(all, look.Examine(p))
	}
	return all
}
