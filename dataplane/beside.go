package dataplane

import "uelink/dataplane/netif"

// BesideNamespaces returns the edges whose veth has its other end in another named network namespace. The offloads of
// the other end are switched off there and put back at the end, for which the daemon needs CAP_SYS_ADMIN.
func (d *Dataplane) BesideNamespaces() (ports []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, g := range d.groups {
		for _, a := range g.members {
			if a.host != nil && a.host.offloads() == netif.OffloadsOffAtBothEnds && a.host.owned.PeerElsewhere() {
				ports = append(ports, a.settings.Name)
			}
		}
	}
	return ports
}
