package dataplane

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"

	"go.uber.org/zap"

	"uelink/dataplane/model"
	"uelink/dataplane/netif"
	"uelink/dataplane/trouble"
	"uelink/wire"
)

// An edge with a HostInterface is a veth created by the data plane. The veth is deleted when the settings no longer
// have it, but neither when its port is reopened nor when the data plane is closed: routes, sysctls, macvlans and a
// container that the host has put on it stay, and the next data plane takes it over.

// hostVeth is the state of the veth of an edge with a HostInterface.
type hostVeth struct {
	announced announced
	twin      twinWatch
}

// plainMTU is the MTU of a created veth while no link is attached, octets.
const plainMTU = 1500

// Home is what outlives the process of a daemon: the next daemon with the same home takes over what the former left.
type Home struct {
	Config string // path of the configuration file
	State  string // folder; "": nothing is kept
}

// records returns the directory of the records of changed interfaces; "": no records are kept.
func (h Home) records() string {
	if h.State == "" {
		return ""
	}
	return filepath.Join(h.State, "interfaces")
}

// owner returns the owner of the veths of a daemon with this home.
func (h Home) owner() netif.Owner {
	if h.State != "" {
		_ = os.MkdirAll(h.State, 0o755) // an error: the owner has no folder
	}
	return netif.OwnerOf(h.Config, h.State)
}

// vethOf returns the veth pair that the data plane creates for an edge with a HostInterface.
func vethOf(s *model.PortSettings, owner netif.Owner) netif.Pair {
	p := netif.Pair{Interface: s.Interface, Host: s.Host.Name, Addresses: s.Host.Addresses, Owner: owner}
	if s.Host.MAC != (wire.MAC{}) {
		p.MAC = s.Host.MAC[:]
	}
	return p
}

// make creates the veth of an edge with a HostInterface, or takes over the existing veth, with the largest MTU that the
// links carry.
func (v *hostVeth) make(g *group, a *attachment) error {
	if a.settings.Host == nil {
		return nil
	}
	mtu := g.pairMTU()
	if mtu == 0 {
		mtu = plainMTU
	}
	address := func() net.HardwareAddr { return g.veths.addresses.AddressOf(a.settings.Interface, g.linkAddress()) }
	created, err := vethOf(&a.settings, g.veths.owner).Make(mtu, address, g.log)
	if created {
		g.veths.fresh[a.settings.Interface] = true
	}
	switch {
	case errors.Is(err, fs.ErrPermission):
		return privilegeError("port %s: %w", a.settings.Name, err)
	case err != nil:
		return configError("port %s: %w", a.settings.Name, err)
	}
	return nil
}

// fit sets the MTU of both ends of an edge's veth to the largest MTU that the links carry now. A failure is a problem
// of the port.
func (v *hostVeth) fit(g *group, a *attachment) {
	mtu := g.pairMTU()
	if a.host == nil || mtu <= 0 {
		return
	}
	if mtu != a.host.mtu {
		if err := vethOf(&a.settings, g.veths.owner).SetMTU(mtu); err != nil {
			g.beginTrouble(a, trouble.VethMTU, fmt.Sprintf("the veth cannot have the MTU of the links, %d: %v", mtu, err))
			return
		}
		g.reconcileMember(a)
	}
	a.monitor.Set(trouble.VethMTU, "")
}

// change gives the kernel's end of an edge's veth the name and the addresses in new settings s, and announces them. A
// failure is a problem of the port.
func (v *hostVeth) change(g *group, a *attachment, s model.PortSettings) {
	if a.settings.Host == nil || s.Host == nil {
		return
	}
	err := vethOf(&a.settings, g.veths.owner).Change(vethOf(&s, g.veths.owner))
	if err != nil {
		g.beginTrouble(a, trouble.Veth, err.Error()+"; then reload")
		return
	}
	if !reflect.DeepEqual(a.settings.Host, s.Host) {
		v.announced.restart()
	}
	a.monitor.Set(trouble.Veth, "")
}

// survey undoes changes that somebody has made on the kernel's end of a created veth: offloads with which the daemon
// has to finish checksums, an MTU that the link does not carry, missing addresses. It also looks for a twin of the
// host.
func (v *hostVeth) survey(g *group, a *attachment) {
	if a.settings.Host == nil || a.host == nil {
		return
	}
	v.twin.survey(g, a)
	var off []string
	var err error
	if a.host.super == nil {
		off, err = a.host.owned.Offloads().DisableAtPeer()
	}
	if err == nil && len(off) > 0 {
		g.notify(a, model.NoticeVeth, fmt.Sprintf("somebody has switched offloads of %s on, with which the daemon has to "+
			"finish the checksums of the host: the offloads are off again: %v", a.settings.Host.Name, off))
	}
	restored, err := vethOf(&a.settings, g.veths.owner).Restore()
	if len(restored) > 0 {
		g.notify(a, model.NoticeVeth, fmt.Sprintf("somebody has changed %s: %s; to change the veth, set the port's keys "+
			"and reload", a.settings.Host.Name, strings.Join(restored, ", ")))
	}
	if err != nil {
		g.beginTrouble(a, trouble.VethChanged, err.Error())
		return
	}
	a.monitor.Set(trouble.VethChanged, "")
}

// veths is the veths that a data plane makes for its hosts.
type veths struct {
	owner     netif.Owner
	fresh     map[string]bool    // veths that this data plane has made, by name of the process's end
	addresses *netif.AddressBook // of the hosts' ends
	withdraw  bool               // Close removes the fresh veths
}

// newVeths returns the veths of a daemon with a home, of which none is known yet.
func newVeths(home Home, log *zap.Logger) *veths {
	return &veths{owner: home.owner(), fresh: map[string]bool{}, addresses: netif.OpenAddressBook(home.State, log)}
}

// sweep deletes the veths of this data plane's owner that no port of the settings has.
func (v *veths) sweep(ports []model.PortSettings, log *zap.Logger) {
	var wanted []string
	for _, p := range ports {
		if p.Host != nil {
			wanted = append(wanted, p.Interface)
		}
	}
	netif.SweepPairs(v.owner, wanted, log)
}

// leave leaves the veths of the ports to the next data plane, and says how to remove them. After Withdraw it
// removes those that this data plane has made.
func (v *veths) leave(ports []model.PortSettings, log *zap.Logger) {
	for i := range ports {
		p := &ports[i]
		switch {
		case p.Host == nil:
		case v.withdraw && v.fresh[p.Interface]:
			vethOf(p, v.owner).Remove(log)
		case !v.withdraw:
			log.Info("the veth for the host stays for the next start (uelink down removes the veth)",
				zap.String("interface", p.Interface), zap.String("host_interface", p.Host.Name))
		}
	}
}
