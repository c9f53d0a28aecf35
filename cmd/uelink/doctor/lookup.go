package doctor

import (
	"errors"
	"fmt"
	"strings"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"uelink/bpf"
	"uelink/dataplane/ethtool"
	"uelink/dataplane/netdev"
	"uelink/dataplane/netif"
	"uelink/dataplane/quirks"
)

// Gather reads the facts of an interface in the calling thread's network namespace. Facts that the driver does not
// report stay empty. Errors: netif.ErrNone; any failure to query the kernel.
func Gather(ifname string) (*Facts, error) {
	dev, err := netlink.LinkByName(ifname)
	if errors.As(err, new(netlink.LinkNotFoundError)) {
		err = netif.ErrNone
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ifname, err)
	}
	a := dev.Attrs()
	ifname = a.Name // not one of its alternative names, which may be long
	f := &Facts{
		Interface: ifname, Kind: dev.Type(), LinkType: a.EncapType, Made: netif.IsPair(dev),
		MAC: a.HardwareAddr.String(), MTU: a.MTU, Speed: ethtool.Speed(ifname),
		Promiscuous: a.Promisc > 0 || a.RawFlags&unix.IFF_PROMISC != 0,
		Up:          a.RawFlags&unix.IFF_UP != 0, Carrier: a.RawFlags&unix.IFF_RUNNING != 0, Queues: 1, TxQueues: 1,
	}
	if err := netif.Pushes(); err != nil && f.Kind == "veth" {
		f.NoPushBack = err.Error()
	}
	features, err := netdev.Get(a.Index)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", ifname, err)
	}
	f.SetFeatures(features)
	if err := bpf.LiveFrames(); err != nil {
		f.NoLive = err.Error()
	}
	on, _, err := ethtool.Offloads(ifname)
	if err != nil {
		return nil, err
	}
	f.Offloads = append([]string{}, on...)
	if err := f.askDriver(); err != nil {
		return nil, err
	}
	return f, f.askUsers(a.Index)
}

// askDriver reads the driver's name, queues, steering rules, LLDP agent in firmware, and known faults into the
// facts.
func (f *Facts) askDriver() error {
	c, err := ethtool.Open(f.Interface)
	if err != nil {
		return fmt.Errorf("%s: %w", f.Interface, err)
	}
	defer c.Close()
	if d, err := c.Driver(); err == nil {
		f.Driver = d
	}
	if rx, tx, err := c.Queues(); err == nil {
		f.Queues, f.TxQueues = max(rx, 1), max(tx, 1)
	}
	f.Steering = c.Steering()
	if flags, err := c.PrivateFlags(); err == nil {
		f.firmwareLLDP(flags)
	}
	f.Quirks = append([]quirks.Quirk{}, quirks.FindAll(f.Driver.Name)...)
	return nil
}

// firmwareLLDP sets the fact whether the NIC runs an LLDP agent, by the driver's private flags: in ice
// fw-lldp-agent is on with an agent, in i40e disable-fw-lldp is off with an agent.
func (f *Facts) firmwareLLDP(flags map[string]bool) {
	agent, disabled := flags["fw-lldp-agent"], flags["disable-fw-lldp"]
	_, hasDisable := flags["disable-fw-lldp"]
	switch {
	case agent:
		f.FirmwareLLDP = true
		f.unshown.lldpCommand = fmt.Sprintf("ethtool --set-priv-flags %s fw-lldp-agent off", f.Interface)
	case hasDisable && !disabled:
		f.FirmwareLLDP = true
		f.unshown.lldpCommand = fmt.Sprintf("ethtool --set-priv-flags %s disable-fw-lldp on", f.Interface)
	}
}

// askUsers reads into the facts who uses the interface: the host's network, an XDP program, packet sockets.
func (f *Facts) askUsers(ifindex int) (err error) {
	if f.Use, err = netif.UseOf(ifindex); err != nil {
		return fmt.Errorf("%s: %w", f.Interface, err)
	}
	if name, id, ok := bpf.Attached(ifindex); ok {
		f.XDPProgram = strings.TrimPrefix(fmt.Sprintf("%s, id %d", name, id), ", ")
		f.unshown.xdpRemoval = bpf.Removal(ifindex)
	}
	f.Sockets = append([]string{}, packetSockets(ifindex)...)
	return nil
}
