package guest

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"time"

	"github.com/vishvananda/netlink"
)

// settingFaults change settings of the interface, as an administrator or another program may.
var settingFaults = []fault{
	{name: "ethtool -K", do: func(t *trial) error {
		return t.ethtool([][]string{{"-K", "rx", "off"}, {"-K", "rx", "on"}, {"-K", "gro", "off"}, {"-K", "gro", "on"},
			{"-K", "rxvlan", "off"}, {"-K", "rxvlan", "on"}})
	}},
	{name: "ethtool -G", do: func(t *trial) error {
		return t.ethtool([][]string{{"-G", "rx", "512", "tx", "512"}, {"-G", "rx", "256", "tx", "256"}})
	}},
	{name: "ethtool -L", do: func(t *trial) error {
		return t.ethtool([][]string{{"-L", "combined", "1"}, {"-L", "combined", "2"}})
	}},
	{name: "MTU up, down", do: func(t *trial) error { return t.mtus(1600, 1514) }},
	{name: "MTU down, up", do: func(t *trial) error { return t.mtus(1400, 1514) }},
	{name: "tcpdump", do: (*trial).tcpdump},
	{name: "promisc off", do: func(t *trial) error {
		return t.try(t.a.ns.Do(func() error {
			l, err := netlink.LinkByName("link0")
			if err != nil {
				return err
			}
			return errors.Join(netlink.SetPromiscOn(l), netlink.SetPromiscOff(l))
		}))
	}},
}

// ethtool changes settings of NIC a by ethtool, one after the other, and waits after each until frames flow. Each
// element of settings is the arguments of one call.
func (t *trial) ethtool(settings [][]string) error {
	for _, s := range settings {
		if err := t.try(t.nic().ethtool(s[0], s[1:]...)); err != nil {
			return err
		}
	}
	return nil
}

// mtus sets the MTU of NIC a to each value of list in turn, and waits after each until frames flow.
func (t *trial) mtus(list ...int) error {
	for _, mtu := range list {
		err := t.a.ns.SetMTU("link0", mtu)
		if err != nil {
			err = refusal{"MTU", err.Error()}
		}
		if err := t.try(err); err != nil {
			return err
		}
	}
	return nil
}

// tcpdump runs tcpdump on the interface of NIC a for a moment, which switches promiscuous mode on and off again, and
// then waits until frames flow.
func (t *trial) tcpdump() error {
	log := &output{}
	p, err := start(t.a.ns, log, nil, "tcpdump", "-i", "link0", "-n", "-Z", "root", "-w", "/dev/null")
	if err != nil {
		return err
	}
	time.Sleep(away)
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	<-p.ended
	if !p.cmd.ProcessState.Success() {
		return fmt.Errorf("tcpdump: %v: %s", p.cmd.ProcessState, oneLine(strings.Join(log.tail(5), " ")))
	}
	return t.flows()
}
