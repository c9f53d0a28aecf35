package e2e

import (
	"context"
	"fmt"
	"testing"

	"uelink/control"
	"uelink/netns"
	"uelink/netns/nstest"
)

// brisk is an LLDP agent that sends every second; its neighbours forget it after three.
const brisk = "tx_interval: 1s, tx_hold: 2, reinit_delay: 1s, tx_credit_max: 10"

// lldpOnly is a configuration without a frame path: LLDP and DCBX on link0, which stays the kernel's. Each string is
// keys and values of YAML.
type lldpOnly struct {
	lldp string // of the port's lldp; "" = brisk
	dcbx string // of the port's dcbx; "" = off
	top  string // lines at the top level; "" = distinct
}

// distinct makes stations with interfaces of the same name differ in their Chassis ID.
const distinct = "lldp: {chassis_id: mac}"

// text returns the whole configuration.
func (s lldpOnly) text(socket string) string {
	if s.lldp == "" {
		s.lldp = brisk
	}
	if s.dcbx == "" {
		s.dcbx = "mode: off"
	}
	if s.top == "" {
		s.top = distinct
	}
	return fmt.Sprintf(`log: {level: debug, format: json}
control: {socket: %q}
ports:
  - {name: link0, interface: link0, role: host, lldp: {%s}, dcbx: {%s}}
%s
`, socket, s.lldp, s.dcbx, s.top)
}

// named returns the line that sets a station's name.
func named(name string) string { return fmt.Sprintf("lldp: {chassis_id: mac, system_name: %s}", name) }

// wiredMTU leaves room for LLDPDUs that are too long.
const wiredMTU = 2000

// wired is two namespaces whose interfaces link0 are the ends of one veth.
type wired struct{ A, B *netns.NS }

func newWired(t testing.TB) wired {
	t.Helper()
	w := wired{nstest.New(t, "A"), nstest.New(t, "B")}
	must(t, netns.Veth(w.A, "link0", w.B, "link0", wiredMTU))
	return w
}

// begin starts a station and waits until its agent receives.
func begin(t testing.TB, ns *netns.NS, name string, s lldpOnly) *daemon {
	t.Helper()
	d := newDaemon(t, ns, name, s)
	d.start()
	d.listens()
	return d
}

// listens waits until the daemon's agent on link0 receives.
func (d *daemon) listens() {
	d.t.Helper()
	eventually(d.t, d.name+" receives LLDP", func() string {
		if i := d.lldp(); i.RxState != "RX_WAIT_FOR_FRAME" {
			return fmt.Sprintf("%s, %s %s", i.RxState, i.Status, i.Trouble)
		}
		return ""
	})
}

// ask returns a list of the daemon's API about link0.
func ask[T any](d *daemon, what string, get func(ctx context.Context, port string) ([]T, error)) []T {
	d.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	list, err := get(ctx, "link0")
	if err != nil {
		d.t.Fatalf("%s: %s of link0: %v", d.name, what, err)
	}
	return list
}

// one returns the only element of a list.
func one[T any](d *daemon, what string, list []T) T {
	d.t.Helper()
	if len(list) != 1 {
		d.t.Fatalf("%s: %d %s of link0, not one: %+v", d.name, len(list), what, list)
	}
	return list[0]
}

func (d *daemon) neighbors() []control.LLDPNeighbor {
	d.t.Helper()
	return ask(d, "neighbours", d.client.LLDPNeighbors)
}

func (d *daemon) lldp() control.LLDPInterface {
	d.t.Helper()
	return one(d, "agents", ask(d, "agents", d.client.LLDPInterfaces))
}

func (d *daemon) lldpStatistics() control.LLDPStatistics {
	d.t.Helper()
	return one(d, "statistics", ask(d, "statistics", d.client.LLDPStatistics))
}

func (d *daemon) dcbx() control.DCBX {
	d.t.Helper()
	return one(d, "DCBX", ask(d, "DCBX", d.client.DCBX))
}

// hears waits until the only neighbour has the given system name.
func (d *daemon) hears(name string) (n control.LLDPNeighbor) {
	d.t.Helper()
	eventually(d.t, d.name+" hears "+name, func() string {
		list := d.neighbors()
		if len(list) != 1 || list[0].SystemName != name {
			return fmt.Sprintf("the neighbours are %+v", list)
		}
		n = list[0]
		return ""
	})
	return n
}

// hearsNobody waits until there is no neighbour.
func (d *daemon) hearsNobody() {
	d.t.Helper()
	eventually(d.t, d.name+" has no neighbour", func() string {
		if list := d.neighbors(); len(list) > 0 {
			return fmt.Sprintf("there is %s", list[0].SystemName)
		}
		return ""
	})
}
