package main

import (
	"fmt"

	"uelink/lab/bench/kernel"
	"uelink/lab/bench/report"
)

// bridgeSizes returns the frame sizes of the bridge table, octets.
func bridgeSizes() []int { return []int{64, 1500} }

// Names of the forwarders in the bridge tables.
const (
	uelinkBridge   = "uelink bridge"
	uelinkXConnect = "uelink xconnect, LLR off"
	kernelsBridge  = "kernel bridge"
	ovsLearning    = "Open vSwitch, learning"
)

// bridge runs the experiment "bridge" and adds its three tables to the report: learning bridges beside each other,
// with many ports, and with many addresses.
func (s *session) bridge() error {
	for _, measure := range []func() error{s.bridgeRace, s.bridgePorts, s.bridgeAddresses} {
		if err := measure(); err != nil {
			return err
		}
	}
	return nil
}

// bridgeRace measures bridges of two ports side by side with forwarders that only join two ports, and adds the
// table to the report.
func (s *session) bridgeRace() error {
	testpmd := s.testpmdWith(defaultMbuf, 0, 0)
	testpmd.load = bridgeLoad(1)
	list := []oneWay{
		testpmd,
		{name: ovsLearning, start: openVSwitchOf(learning, 1), load: learnedLoad(1)},
		{name: kernelsBridge, start: kernelBridge(1), load: learnedLoad(1)},
		{name: uelinkXConnect, start: uelinkWith(s.uelinkds[0], "local: false, remote: false"), load: bridgeLoad(1)},
		{name: uelinkBridge, start: s.uelinkBridge(1), load: learnedLoad(1)},
	}
	e := s.shortWindows()
	races, err := s.races(list, bridgeSizes(), e)
	if err != nil {
		return err
	}
	toXConnect := report.Columns("paired ratio of Mpps to xconnect", "%.2f", "quartiles", "%s")
	t := report.Table{Name: "bridge", Title: "Learning bridges, one direction, one core",
		Columns: append(raceColumns(e, "testpmd"), toXConnect...)}
	in := s.cores.prevailing()
	for _, r := range races {
		xconnect := len(r.lanes) - 2 // the xconnect's lane is the one before the bridge's, the last
		for i := range r.lanes {
			more := compare(r.turns, in, i, xconnect, stretch.perCPUSecond)[1:] // without the rate
			t.Add(append(r.row(in, e, i), more...)...)
		}
	}
	t.Notes = append(raceNotes(e),
		"Frames go from one address to another. The bridges have learned both addresses, and forward by address. "+
			"testpmd and the xconnect pass frames between two ports and look at no address. uelink bridge: two edge "+
			"ports, one worker. Open vSwitch: netdev afxdp, the action NORMAL. A thread of the kernel polls the "+
			"kernel's bridge, and no frame reaches user space.",
		s.ringsNote(), s.cores.note())
	s.report.Add(t)
	return nil
}

// uelinkBridge returns a function that starts a uelinkd with a bridge over all interfaces of a bed with that
// number of links.
func (s *session) uelinkBridge(links int) launcher {
	return func(b *bed, dir string) (forwarder, error) {
		return startDaemon(b.device, deviceCPU, dir, s.uelinkds[0], daemonConfig{links: links, bridge: true})
	}
}

// bridgeLoad returns a function that prepares this load: frames from interface gen0 to the given number of
// destination addresses in turn; interface part0 counts the frames that arrive.
func bridgeLoad(addresses int) loader {
	return func(b *bed, _ forwarder, octets int) (*running, error) {
		return b.spread(b.sink, 1, kernel.Spread{Addresses: addresses}, kernel.Frame(octets), 1)
	}
}

// learnedLoad returns a function that first makes the bridge learn the given number of addresses, and then
// prepares the same load as bridgeLoad.
func learnedLoad(addresses int) loader {
	return func(b *bed, f forwarder, octets int) (r *running, err error) {
		if err := b.announce(f, 1, addresses); err != nil {
			return nil, fmt.Errorf("announce %d addresses: %w", addresses, err)
		}
		return bridgeLoad(addresses)(b, f, octets)
	}
}
