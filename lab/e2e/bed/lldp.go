package bed

import (
	"context"
	"fmt"
	"testing"

	"uelink/control/api"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

// Brisk is an LLDP agent that sends every second; its neighbours forget it after three.
const Brisk = "tx_interval: 1s, tx_hold: 2, reinit_delay: 1s, tx_credit_max: 10"

// LLDPOnly is a configuration without a frame path: LLDP and DCBX on link0, which stays the kernel's. Each string is
// keys and values of YAML.
type LLDPOnly struct {
	LLDP string // keys of the port's lldp; "" = Brisk
	DCBX string // keys of the port's dcbx; "" = off
	Top  string // lines at the top level; "" = Distinct
}

// Distinct makes stations with interfaces of the same name differ in their Chassis ID.
const Distinct = "lldp: {chassis_id: mac}"

// Text returns the daemon's whole configuration: link0 as a port without LLR, which speaks LLDP. socket is the path of
// its API. Empty settings get the defaults Brisk, DCBX off and Distinct.
func (s LLDPOnly) Text(socket string) string {
	if s.LLDP == "" {
		s.LLDP = Brisk
	}
	if s.DCBX == "" {
		s.DCBX = "mode: off"
	}
	if s.Top == "" {
		s.Top = Distinct
	}
	return fmt.Sprintf(`log: {level: debug, format: json}
control: {socket: %q}
ports:
  - {name: link0, interface: link0, role: host, lldp: {%s}, dcbx: {%s}}
%s
`, socket, s.LLDP, s.DCBX, s.Top)
}

// WiredMTU is the MTU of Wired: room for LLDPDUs that are longer than LLDP allows.
const WiredMTU = 2000

// Wired is two namespaces whose interfaces link0 are the ends of one veth.
type Wired struct{ A, B *netns.NS }

// NewWired makes two namespaces, A and B, whose interfaces link0 are the ends of one veth with an MTU of WiredMTU.
func NewWired(t testing.TB) Wired {
	t.Helper()
	w := Wired{nstest.New(t, "A"), nstest.New(t, "B")}
	Must(t, netns.Veth(w.A, "link0", w.B, "link0", WiredMTU))
	return w
}

// Ask calls get, a request to the daemon's API, for port link0, and returns the list in the answer. subject names the
// list in errors. An error ends the test.
func Ask[T any](d *Daemon, subject string, get func(ctx context.Context, port string) ([]T, error)) []T {
	d.T.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), Patience)
	defer cancel()
	list, err := get(ctx, "link0")
	if err != nil {
		d.T.Fatalf("%s: %s of link0: %v", d.Name, subject, err)
	}
	return list
}

// Neighbors asks the daemon and returns the LLDP neighbours at link0.
func (d *Daemon) Neighbors() []api.LLDPNeighbor {
	d.T.Helper()
	return Ask(d, "neighbours", d.Client.LLDPNeighbors)
}

// AwaitNeighbor waits until link0 has exactly one LLDP neighbour and this has the given system name, and returns
// the neighbour.
func (d *Daemon) AwaitNeighbor(name string) (n api.LLDPNeighbor) {
	d.T.Helper()
	Eventually(d.T, d.Name+" hears "+name, func() string {
		list := d.Neighbors()
		if len(list) != 1 || list[0].SystemName != name {
			return fmt.Sprintf("the neighbours are %+v", list)
		}
		n = list[0]
		return ""
	})
	return n
}
