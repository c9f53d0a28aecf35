package doctor

import (
	"net/netip"
	"slices"
	"strings"
	"testing"

	"uelink/dataplane/attach"
	"uelink/dataplane/ethtool"
	"uelink/dataplane/model"
	"uelink/dataplane/netdev"
	"uelink/dataplane/quirks"
)

// nic is an interface that nothing is wrong with, of a driver with zero copy.
func nic() *Facts {
	f := &Facts{
		Interface: "eth1", Kind: "device", Up: true, Carrier: true, MTU: 1500, Speed: 10000, Queues: 4, TxQueues: 4,
		Driver: ethtool.Driver{Name: "ixgbe"},
	}
	f.SetFeatures(netdev.Features{Asked: true, XDP: netdev.Basic | netdev.Redirect | netdev.XSKZeroCopy})
	return f
}

// drives makes it an interface of another driver.
func (f *Facts) drives(driver string) {
	f.Driver.Name, f.Quirks = driver, quirks.FindAll(driver)
}

// used makes it an interface that the host uses, in promiscuous mode.
func used(f *Facts) {
	f.Promiscuous = true
	f.Use = attach.Use{Addresses: []netip.Prefix{netip.MustParsePrefix("192.0.2.1/24")}, DefaultRoute: true}
}

func TestNothingIsWrong(t *testing.T) {
	r := Judge(nic(), Alone("eth1", model.RoleLink))
	if len(r.Findings) > 0 || r.Blocked() {
		t.Errorf("%+v", r.Findings)
	}
	want := []string{
		"uelinkd's XDP program attached (driver mode)", "an AF_XDP socket on each of 4 RX queues", "promiscuous mode on",
	}
	if !slices.Equal(r.Changes, want) {
		t.Errorf("changes %q, want %q", r.Changes, want)
	}
	if g := r.Get; g.XDPMode != "driver" || g.Bind != "zerocopy" || g.Queues != 4 || g.MTU != 1500 || g.Chunk != 2048 {
		t.Errorf("%+v", g)
	}
}

// An edge pushes back where its settings, its interface and the kernel allow it.
func TestPushBack(t *testing.T) {
	for _, c := range []struct {
		name    string
		facts   func(f *Facts)
		setting model.PushBack
		want    model.PushState
		why     string
	}{
		{"a veth, auto", func(*Facts) {}, model.PushBackAuto, model.PushOff, "create: true"},
		{"a veth made before, auto", func(f *Facts) { f.Made = true }, model.PushBackAuto, model.PushOn, ""},
		{"a veth made before, auto, an older kernel",
			func(f *Facts) { f.Made, f.NoPushBack = true, "it is old" },
			model.PushBackAuto, model.PushOff, "push_back: auto is off here: it is old"},
		{"a veth, on", func(*Facts) {}, model.PushBackOn, model.PushOn, ""},
		{"a veth, off", func(*Facts) {}, model.PushBackOff, model.PushOff, "push_back: off"},
		{"a NIC", func(f *Facts) { f.Kind = "device" }, model.PushBackOn, model.PushLossy, "no veth"},
		{"an older kernel", func(f *Facts) { f.NoPushBack = "it is old" }, model.PushBackOn, model.PushLossy, "it is old"},
	} {
		f, p := nic(), Alone("eth1", model.RoleEdge)
		f.Kind = "veth"
		c.facts(f)
		p.Port.PushBack, p.Port.RxRingSize = c.setting, 4096
		if f.Made {
			p.Port.Host = &model.HostInterface{Name: "uelink0"}
		}
		r := Judge(f, p)
		if g := r.Get; g.PushBack != string(c.want) || !strings.Contains(g.PushBackWhy, c.why) {
			t.Errorf("%s: %s, %q", c.name, g.PushBack, g.PushBackWhy)
		}
		complains := slices.ContainsFunc(r.Findings, func(f Finding) bool { return f.Do == "push_back: off" })
		if complains != (c.want == model.PushLossy) || r.Blocked() {
			t.Errorf("%s: %+v", c.name, r.Findings)
		}
	}
	if g := Judge(nic(), Alone("eth1", model.RoleLink)).Get; g.PushBack != "" {
		t.Errorf("a link: %s", g.PushBack)
	}
}

func TestFindings(t *testing.T) {
	for _, c := range []struct {
		name   string
		facts  func(f *Facts)
		plan   func(p *Plan)
		level  Level
		what   string // the first finding begins so
		do     string // what to do about it holds this
		change string // is one of the changes
	}{
		{name: "another program", facts: func(f *Facts) {
			f.XDPProgram, f.unshown.xdpRemoval = "filter, id 7", "ip link set dev eth1 xdpdrv off"
		},
			what: "another XDP program is attached to the interface: filter, id 7", do: "ip link set dev eth1 xdpdrv off"},
		{name: "ours", facts: func(f *Facts) { f.XDPProgram = "uelink_steer, id 7" }, level: Note,
			what: "uelinkd has the interface"},
		{name: "whose, is not shown", facts: func(f *Facts) { f.XDPProgram = "id 7" },
			what: "an XDP program is attached to the interface, by uelinkd or another process: id 7", do: "run this as root"},
		{name: "no Ethernet", facts: func(f *Facts) { f.LinkType = "none" },
			what: "the interface carries no Ethernet frames (link/none)", do: "another interface"},
		{name: "to be made, and there", plan: func(p *Plan) { p.Port.Host = &model.HostInterface{} },
			what: "uelinkd would create the interface (create: true), but it exists already", do: "ip link delete dev eth1"},
		{name: "made before", facts: func(f *Facts) { f.Made = true },
			plan: func(p *Plan) { p.Port.Host = &model.HostInterface{} }, level: Note + 1},
		{name: "addressed", plan: func(p *Plan) { p.Port.Encapsulation = model.Addressed }, level: Note + 1,
			change: "frames to two group addresses received, besides those to the interface's own address"},
		{name: "addressed, and the host goes on", facts: used,
			plan: func(p *Plan) { p.Port.Encapsulation = model.Addressed }, level: Note,
			change: "frames to two group addresses received, besides those to the interface's own address"},
		{name: "MTU too large for one chunk of chunk_size", facts: func(f *Facts) {
			f.MTU = 3000
			f.SetFeatures(netdev.Features{Asked: true, XDP: netdev.Basic | netdev.Redirect})
		}, plan: func(p *Plan) { p.Port.ChunkSize = 2048 }, what: "the port needs an MTU of 3000, but with chunks of 2048 octets", do: "mtu 1774"},
		{name: "no XDP", facts: func(f *Facts) { f.SetFeatures(netdev.Features{Asked: true}) }, level: Costs,
			what: "the driver ixgbe has no XDP", change: "uelinkd's XDP program attached (generic mode)"},
		{name: "no XDP, asked for", facts: func(f *Facts) { f.SetFeatures(netdev.Features{Asked: true}) },
			plan: func(p *Plan) { p.Port.XDP = attach.ModeDriver }, what: "the driver ixgbe has no XDP, but", do: "xdp: auto"},
		{name: "older kernel", facts: func(f *Facts) { f.SetFeatures(netdev.Features{}) }, level: Note,
			what: "the kernel does not report", change: "uelinkd's XDP program attached (driver or generic mode)"},
		{name: "no zero copy, asked for", facts: func(f *Facts) {
			f.SetFeatures(netdev.Features{Asked: true, XDP: netdev.Basic | netdev.Redirect})
		}, plan: func(p *Plan) { p.Port.Bind = attach.BindZeroCopy }, what: "the driver has no zero copy", do: "bind: auto"},
		{name: "too few queues", plan: func(p *Plan) { p.Port.Queues = attach.FirstQueues(8) },
			what: "queues: 0-7, but the interface has 4 RX queues", do: "ethtool -L eth1 combined 8"},
		{name: "too few queues of a veth", facts: func(f *Facts) { f.Steering.Apart = true },
			plan: func(p *Plan) { p.Port.Queues = attach.FirstQueues(8) }, what: "queues: 0-7, but the interface has 4 RX queues",
			do: "ethtool -L eth1 rx 8 tx 8"},
		{name: "no queue to leave by", plan: func(p *Plan) { p.Port.TxQueue = attach.TxQueue{Given: true, Number: 5} },
			what: "tx_queue: 5, but sockets are on the queues 0-3", do: "name other queues, or ethtool -L eth1 combined 6"},
		{name: "too few queues to leave by", facts: func(f *Facts) { f.TxQueues = 2 },
			plan: func(p *Plan) { p.Port.Queues = attach.QueuesOf([]int{2, 3}) },
			what: "frames are to leave by queue 2 (tx_queue: auto), but the interface has 2 TX queues", do: "combined 4"},
		{name: "queues without a socket", plan: func(p *Plan) { p.Port.Queues = attach.FirstQueues(1) }, level: Costs,
			what: "queues: 0, but the interface has 4 RX queues: frames that come by a queue without a socket go to the host's network",
			do:   "set queues: 0, or ethtool -L eth1 combined 1", change: "an AF_XDP socket on the RX queues 0 of 4"},
		{name: "a link without queue 0", level: Costs, plan: func(p *Plan) { p.Port.Queues = attach.QueuesOf([]int{1, 3}) },
			what: "queues: 1, 3, but the interface has 4 RX queues; on most NICs all frames of a link come by queue 0",
			do:   "set queues: 0", change: "an AF_XDP socket on the RX queues 1, 3 of 4"},
		{name: "a link that can be steered", facts: func(f *Facts) { f.Steering.Rules = true }, plan: func(p *Plan) {
			p.Port.Queues, p.Port.TxQueue = attach.QueuesOf([]int{1, 3}), attach.TxQueue{Given: true, Number: 3}
			p.Port.EtherTypeData, p.Port.EtherTypeControl = 0x88B5, 0x88B6
		}, level: Costs, what: "queues: 1, 3, but", do: "ethtool -N eth1 flow-type ether proto 0x88b5 action 3 && ethtool -N"},
		{name: "an edge that can be spread", facts: func(f *Facts) { f.Steering.Table = true }, plan: func(p *Plan) {
			p.Port.Role, p.Port.Queues = model.RoleEdge, attach.QueuesOf([]int{0, 2})
		}, level: Costs, what: "queues: 0, 2, but", do: "set queues: 0, or ethtool -X eth1 weight 1 0 1"},
		{name: "MTU is raised", plan: func(p *Plan) { p.Need = 1514 }, level: Note + 1, change: "MTU 1500 to 1514"},
		{name: "MTU is checked", plan: func(p *Plan) { p.Need, p.Port.MTU = 1514, model.MTUCheck },
			what: "the MTU is 1500, but the port needs 1514", do: "ip link set dev eth1 mtu 1514"},
		{name: "MTU too large for chunk_size", facts: func(f *Facts) { f.MTU = 3000 },
			plan: func(p *Plan) { p.Port.ChunkSize, p.Need = 2048, 40000 }, what: "the port needs an MTU of 40000, but with chunks"},
		{name: "offloads", facts: func(f *Facts) { f.Offloads = []string{"rx-gro", "rx-lro"} }, level: Note + 1,
			change: "offloads off: rx-gro rx-lro"},
		{name: "offloads stay", facts: func(f *Facts) { f.Offloads = []string{"rx-gro", "rx-lro"} },
			plan: func(p *Plan) { p.Port.Offloads = model.OffloadsLeave }, level: Costs, what: "2 offloads are on and stay",
			do: "ethtool -K eth1 rx-gro off rx-lro off"},
		{name: "offloads stay, and only frames of the link come", facts: func(f *Facts) { used(f); f.Offloads = []string{"rx-gro"} },
			level: Note, what: "this machine itself uses the interface"},
		{name: "down", facts: func(f *Facts) { f.Up = false }, level: Costs, what: "the interface is down",
			do: "ip link set dev eth1 up"},
		{name: "no cable", facts: func(f *Facts) { f.Carrier = false }, level: Costs, what: "there is no carrier"},
		{name: "agent in the firmware", facts: func(f *Facts) { f.firmwareLLDP(map[string]bool{"fw-lldp-agent": true}) },
			level: Costs, what: "an LLDP agent in the firmware", do: "ethtool --set-priv-flags eth1 fw-lldp-agent off"},
		{name: "agent of i40e", facts: func(f *Facts) { f.firmwareLLDP(map[string]bool{"disable-fw-lldp": false}) },
			level: Costs, what: "an LLDP agent in the firmware", do: "ethtool --set-priv-flags eth1 disable-fw-lldp on"},
		{name: "agent of i40e is off", facts: func(f *Facts) { f.firmwareLLDP(map[string]bool{"disable-fw-lldp": true}) },
			level: Note + 1},
		{name: "away", facts: func(f *Facts) { f.drives("mlx5_core") }, level: Costs, what: "mlx5_core: the NIC is away"},
		{name: "generic by the table", facts: func(f *Facts) { f.drives("vmxnet3") }, level: Costs,
			what: "vmxnet3: after the driver has started its NIC anew", do: "xdp: driver",
			change: "uelinkd's XDP program attached (generic mode)"},
		{name: "driver against the table", facts: func(f *Facts) { f.drives("vmxnet3") },
			plan: func(p *Plan) { p.Port.XDP = attach.ModeDriver }, level: Costs,
			what: "vmxnet3: after the driver has started its NIC anew", change: "uelinkd's XDP program attached (driver mode)"},
		{name: "avoided", facts: func(f *Facts) { f.drives("ice") }, level: Note, what: "ice: when a zero-copy socket"},
		{name: "the host goes on", facts: used, level: Note,
			what: "this machine itself uses the interface (the address 192.0.2.1/24, the default route), and keeps its frames"},
		{name: "native: socket", facts: used, plan: func(p *Plan) { p.Port.Native = attach.NativeSocket },
			what: "this machine itself uses the interface (the address 192.0.2.1/24, the default route): a link with native: socket",
			do:   "native: auto"},
		{name: "an edge passes nothing", facts: used, plan: func(p *Plan) { p.Port.Role = model.RoleEdge },
			what: "this machine itself uses the interface (the address", do: "take another interface"},
		{name: "zero copy where ssh goes", facts: used, plan: func(p *Plan) { p.Port.Bind = attach.BindZeroCopy },
			what: "bind: zerocopy is refused on the interface by which this host is reached", do: "allow_zerocopy: true"},
		{name: "zero copy is allowed", facts: used, plan: func(p *Plan) {
			p.Port.Bind, p.Port.AllowZeroCopy = attach.BindZeroCopy, true
		}, level: Note, what: "this machine itself uses the interface"},
		{name: "the MTU is left", facts: used, plan: func(p *Plan) { p.Need = 1514 }, level: Costs,
			what: "the MTU is 1500, but the port needs 1514; uelinkd does not change", do: "ip link set dev eth1 mtu 1514, or set mtu: set"},
		{name: "deaf", facts: func(f *Facts) { used(f); f.Promiscuous = false }, level: Costs,
			what: "the interface is not in promiscuous mode", do: "ip link set dev eth1 promisc on"},
		{name: "jumbo frames", facts: func(f *Facts) { f.MTU = 9000 }, what: "the port needs an MTU of 9000, but with chunks of 4096",
			do: "ip link set dev eth1 mtu 3822"},
		{name: "jumbo frames in several buffers", facts: func(f *Facts) {
			f.MTU = 9000
			f.SetFeatures(netdev.Features{Asked: true, XDP: netdev.Basic | netdev.Redirect | netdev.RxSg})
		}, level: Note + 1},
		{name: "tcpdump", facts: func(f *Facts) { f.Sockets = []string{"tcpdump (pid 9)"} }, level: Note,
			what: "packet sockets do not see frames that XDP takes: tcpdump (pid 9)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f, p := nic(), Alone("eth1", model.RoleLink)
			if c.facts != nil {
				c.facts(f)
			}
			if c.plan != nil {
				c.plan(&p)
			}
			r := Judge(f, p)
			if r.Blocked() != (c.level == Blocks) {
				t.Errorf("blocked: %t", r.Blocked())
			}
			if c.change != "" && !slices.Contains(r.Changes, c.change) {
				t.Errorf("changes: %q", r.Changes)
			}
			found(t, r.Findings, Finding{c.level, c.what, c.do})
		})
	}
}

// found demands that the first finding is what is wanted; none where its level is above Note.
func found(t *testing.T, is []Finding, want Finding) {
	t.Helper()
	switch {
	case want.Level > Note && len(is) == 0:
	case want.Level > Note:
		t.Errorf("found %+v", is)
	case len(is) == 0 || is[0].Level != want.Level || !strings.HasPrefix(is[0].What, want.What) ||
		!strings.Contains(is[0].Do, want.Do):
		t.Errorf("found %+v, want %+v", is, want)
	}
}

// The bind mode that is foretold is the one that the daemon chooses.
func TestBindIsForetold(t *testing.T) {
	for _, c := range []struct {
		driver string
		bind   attach.Bind
		mode   attach.Mode
		want   string
	}{
		{"ixgbe", attach.BindAuto, attach.ModeAuto, "zerocopy"}, {"ixgbe", attach.BindCopy, attach.ModeAuto, "copy"},
		{"used by the host", attach.BindAuto, attach.ModeAuto, "copy"},
		{"ixgbe", attach.BindAuto, attach.ModeGeneric, "copy"}, {"ixgbe", attach.BindZeroCopy, attach.ModeGeneric, "copy"},
		{"ice", attach.BindAuto, attach.ModeAuto, "copy"}, {"ice", attach.BindZeroCopy, attach.ModeAuto, "zerocopy"},
	} {
		f, p := nic(), Alone("eth1", model.RoleLink)
		if f.drives(c.driver); c.driver == "used by the host" {
			used(f)
		}
		p.Port.Bind, p.Port.XDP = c.bind, c.mode
		if g := Judge(f, p).Get; g.Bind != c.want || g.Why == "" {
			t.Errorf("%s, bind: %v, xdp: %v: %s because %q, want %s", c.driver, c.bind, c.mode, g.Bind, g.Why, c.want)
		}
	}
}

// An edge on the way to the host is bound without zero copy, unless that is asked for and allowed.
func TestZeroCopyOfAnEdgeOnTheWayToTheHost(t *testing.T) {
	f, p := nic(), Alone("eth1", model.RoleEdge)
	used(f)
	if g := Judge(f, p).Get; g.Bind != "copy" || g.Why != "this machine itself uses the interface" {
		t.Errorf("%s because %q", g.Bind, g.Why)
	}
	p.Port.Bind = attach.BindZeroCopy
	refused := func(f Finding) bool {
		return f.Level == Blocks && strings.HasPrefix(f.What, "bind: zerocopy is refused on the interface by which")
	}
	if r := Judge(f, p); !slices.ContainsFunc(r.Findings, refused) {
		t.Errorf("bind: zerocopy: %+v", r.Findings)
	}
	p.Port.AllowZeroCopy = true
	if r := Judge(f, p); slices.ContainsFunc(r.Findings, refused) || r.Get.Bind != "zerocopy" {
		t.Errorf("allow_zerocopy: true: %+v, %+v", r.Get, r.Findings)
	}
}

// Large batches leave live where the settings, the kernel and the sockets allow it.
func TestTxPath(t *testing.T) {
	veth := func(f *Facts) {
		f.Queues, f.TxQueues, f.Driver.Name = 1, 1, "veth"
		f.SetFeatures(netdev.Features{Asked: true, XDP: netdev.Basic | netdev.Redirect | netdev.RxSg})
	}
	for _, c := range []struct {
		name  string
		facts func(f *Facts)
		path  attach.Path
		why   string // part of it
	}{
		{"a veth", func(*Facts) {}, attach.PathLive, ""},
		{"an old kernel", func(f *Facts) { f.NoLive = "live XDP frames need Linux 5.18" }, attach.PathAFXDP, "Linux 5.18"},
		{"a large MTU", func(f *Facts) { f.MTU = 9000 }, attach.PathAFXDP, "several chunks"},
		{"zero copy", func(f *Facts) {
			f.SetFeatures(netdev.Features{Asked: true, XDP: netdev.Basic | netdev.Redirect | netdev.XSKZeroCopy})
		}, attach.PathAFXDP, "zerocopy"},
		{"another driver", func(f *Facts) { f.Driver.Name, f.NoLive = "igb", "none" }, attach.PathAFXDP, "on veths only"},
	} {
		f := nic()
		veth(f)
		c.facts(f)
		g := Judge(f, Alone("eth1", model.RoleLink)).Get
		if g.TxPath != c.path.String() || !strings.Contains(g.TxWhy, c.why) || (g.TxWhy == "") != (c.why == "") {
			t.Errorf("%s: %s, %q", c.name, g.TxPath, g.TxWhy)
		}
	}
}

// The way to the other end is judged by what crosses it; where the cause is not known, it says "Or".
func TestWay(t *testing.T) {
	peer := netip.MustParseAddr("192.0.2.2")
	for _, c := range []struct {
		way   Way
		xdp   string
		level Level
		says  string
	}{
		{Way{Echoes: 5, Control: 3}, "", Note, "both IP frames and frames of uelink cross the link"},
		{Way{Control: 3}, "", Note, "frames of uelink cross the link, pings do not: does a firewall drop pings"},
		{Way{Echoes: 4}, "", Costs, "a network that carries only IP. Or: no uelinkd"},
		{Way{Echoes: 4, Daemon: true}, "uelink_steer, id 7", Costs, "a network that carries only IP. Or: no uelinkd"},
		{Way{Echoes: 4}, "uelink_steer, id 7", Note, "whether link frames cross the link is not known"},
		{Way{}, "", Costs, "is the wire cut, or is 192.0.2.2 another interface's address?"},
		{Way{Echoes: 5, Control: 3, Twin: "02:00:00:00:00:09"}, "", Costs, "02:00:00:00:00:09 has the address"},
	} {
		c.way.Peer, c.way.Pings = peer, 5
		j := judge{f: &Facts{Way: &c.way, XDPProgram: c.xdp}}
		j.way()
		if f := j.r.Findings; len(f) == 0 || f[0].Level != c.level || !strings.Contains(f[0].What, c.says) ||
			f[0].Do != "" {
			t.Errorf("%+v: %+v", c.way, f)
		}
	}
}
