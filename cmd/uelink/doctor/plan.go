package doctor

import (
	"errors"
	"fmt"
	"slices"

	"uelink/config"
	"uelink/dataplane"
	"uelink/dataplane/attach"
	"uelink/dataplane/model"
	"uelink/dataplane/netif"
)

// Alone returns the plan to check an interface that is in no configuration: a port of that role with default
// settings.
func Alone(ifname string, role model.Role) Plan {
	return Plan{Port: model.PortSettings{
		Interface: ifname, Role: role, Native: attach.NativeAuto, RingSize: defaultRing,
		RxRingSize: model.DefaultRxRing(role, defaultRing),
	}}
}

// defaultRing is the default of ring_size.
const defaultRing = 1024

// plans returns a plan (settings of a port, and the MTU it needs) for each port of role link or edge: c.Settings.Ports
// has no port of role host. A link needs the MTU of each of its edges and its own overhead; an edge needs none. mtuOf
// returns the MTU of an interface, 0 if it does not exist.
func plans(c *config.Config, mtuOf func(ifname string) int) (all []Plan) {
	for _, p := range c.Settings.Ports {
		plan := Plan{Port: p}
		if p.Role == model.RoleLink {
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

// edgesOf returns the names of the interfaces of the edges joined to a link, except edges that uelinkd creates:
// their MTU follows the link's.
func edgesOf(s *dataplane.Settings, link string) (ifnames []string) {
	joined := s.JoinedTo(link)
	for _, p := range s.Ports {
		if p.Role == model.RoleEdge && p.Host == nil && slices.Contains(joined, p.Name) {
			ifnames = append(ifnames, p.Interface)
		}
	}
	return ifnames
}

// Source returns the facts of an interface. Gather is the Source that asks the kernel.
type Source func(ifname string) (*Facts, error)

// Examine looks the interface of a plan up and returns the report: what uelink would change, and which problems
// stand in the way. An interface that cannot be read is itself a problem, unless uelinkd would create it.
func (look Source) Examine(p Plan) Report {
	f, err := look(p.Port.Interface)
	switch {
	case err == nil:
		return Judge(f, p)
	case p.Port.Host != nil && errors.Is(err, netif.ErrNone):
		return look.examineMissing(p)
	}
	r, do := newReport(p), ""
	if errors.Is(err, netif.ErrNone) {
		do = "create the interface, or correct its name: uelinkd waits for it"
	}
	r.Findings = []Finding{{Blocks, err.Error(), do}}
	return r
}

// examineMissing returns the report of an edge whose interface does not exist yet and will be created by uelinkd.
func (look Source) examineMissing(p Plan) Report {
	r, host := newReport(p), p.Port.Host
	text := fmt.Sprintf("a veth made of %s and %s, the host's", p.Port.Interface, host.Name)
	for _, a := range host.Addresses {
		text += " " + a.String()
	}
	r.Changes = []string{text}
	if _, err := look(host.Name); err == nil {
		r.Findings = []Finding{{Blocks, host.Name + " exists already, but uelinkd would create it",
			"choose another host_interface, or remove the interface (ip link delete dev " + host.Name + ")"}}
	}
	return r
}

// RoleDaemon is the role in the report of the daemon's own servers.
const RoleDaemon = "daemon"

// ExamineConfig returns the reports of all interfaces of a configuration, and one of the daemon's own servers if an
// address of theirs is taken.
func (look Source) ExamineConfig(c *config.Config) (all []Report) {
	mtuOf := func(ifname string) int {
		f, err := look(ifname)
		if err != nil {
			return 0 // the report of interface ifname has the error
		}
		return f.MTU
	}
	for _, p := range plans(c, mtuOf) {
		all = append(all, look.Examine(p))
	}
	own := Report{Name: "uelinkd", Role: RoleDaemon, Changes: []string{}}
	for _, taken := range c.TakenAddresses() {
		own.Findings = append(own.Findings, Finding{Level: Costs, What: taken.String(), Do: taken.Command()})
	}
	if len(own.Findings) > 0 {
		all = append(all, own)
	}
	return all
}
