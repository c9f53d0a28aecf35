package lldp

import (
	"fmt"
	"testing"

	"uelink/control/api"
	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// named returns the line that sets a station's name.
func named(name string) string { return fmt.Sprintf("lldp: {chassis_id: mac, system_name: %s}", name) }

// begin starts a station and waits until its agent receives.
func begin(t testing.TB, ns *netns.NS, name string, s bed.Configuration) *bed.Daemon {
	t.Helper()
	d := bed.NewDaemon(t, ns, name, s)
	d.Start()
	listens(d)
	return d
}

// listens waits until the daemon's agent on link0 receives.
func listens(d *bed.Daemon) {
	d.T.Helper()
	bed.Eventually(d.T, d.Name+" receives LLDP", func() string {
		if i := lldpOf(d); i.RxState != "RX_WAIT_FOR_FRAME" {
			return fmt.Sprintf("%s, %s %s", i.RxState, i.Status, i.Trouble)
		}
		return ""
	})
}

// one returns the only element of a list.
func one[T any](d *bed.Daemon, name string, list []T) T {
	d.T.Helper()
	if len(list) != 1 {
		d.T.Fatalf("%s: %d %s of link0, not one: %+v", d.Name, len(list), name, list)
	}
	return list[0]
}

func lldpOf(d *bed.Daemon) api.LLDPInterface {
	d.T.Helper()
	return one(d, "agents", bed.Ask(d, "agents", d.Client.LLDPInterfaces))
}

func lldpStatistics(d *bed.Daemon) api.LLDPStatistics {
	d.T.Helper()
	return one(d, "statistics", bed.Ask(d, "statistics", d.Client.LLDPStatistics))
}

func dcbxOf(d *bed.Daemon) api.DCBX {
	d.T.Helper()
	return one(d, "DCBX", bed.Ask(d, "DCBX", d.Client.DCBX))
}

// hearsNobody waits until there is no neighbour.
func hearsNobody(d *bed.Daemon) {
	d.T.Helper()
	bed.Eventually(d.T, d.Name+" has no neighbour", func() string {
		if list := d.Neighbors(); len(list) > 0 {
			return fmt.Sprintf("there is %s", list[0].SystemName)
		}
		return ""
	})
}
