package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"uelink/bpf"
	"uelink/dataplane"
	"uelink/dataplane/netdev"
	"uelink/dataplane/netif"
	"uelink/dataplane/quirks"
	"uelink/dataplane/xsk"
)

// Plan is what an interface is to be used for.
type Plan struct {
	Port dataplane.PortSettings // Name is empty where there is no configuration
	Need int                    // MTU that it has to have, octets; 0: any
}

// judge makes a report.
type judge struct {
	f     *Facts
	p     Plan     // with what is auto decided by who uses the interface
	asked xsk.Bind // before that
	r     Report
}

// Judge says what facts mean for a plan.
func Judge(f *Facts, p Plan) Report {
	j := judge{f: f, p: p, asked: p.Port.Bind, r: newReport(p)}
	j.p.Port = p.Port.Beside(f.Use)
	j.r.Facts = f
	for _, step := range []func(){j.kind, j.xdp, j.mtu, j.sockets, j.offloads, j.users, j.carrier, j.quirks} {
		step()
	}
	slices.SortStableFunc(j.r.Findings, func(a, b Finding) int { return int(a.Level) - int(b.Level) })
	return j.r
}

// find notes a finding.
func (j *judge) find(l Level, do, what string, args ...any) {
	j.r.Findings = append(j.r.Findings, Finding{l, fmt.Sprintf(what, args...), do})
}

func (j *judge) change(what string, args ...any) {
	j.r.Changes = append(j.r.Changes, fmt.Sprintf(what, args...))
}

// kind judges what the interface is.
func (j *judge) kind() {
	if t := j.f.LinkType; t != "" && t != "ether" && t != "loopback" {
		j.find(Blocks, "take another interface", "it carries no Ethernet frames (link/%s)", t)
	}
	if j.p.Port.Host != nil && !j.f.Made {
		j.find(Blocks, fmt.Sprintf("choose another name, or remove it (ip link delete dev %s)", j.f.Interface),
			"create: true makes it, but it is there already, and uelink has not made it")
	}
}

// driver is the driver in words.
func (j *judge) driver() string { return strings.TrimSpace("the driver " + j.f.Driver.Name) }

// xdp judges the mode of the XDP program.
func (j *judge) xdp() {
	native, asked := j.f.Abilities.Native, j.p.Port.XDP
	tried, _ := netif.Abilities{Driver: j.f.Driver.Name}.XDP(asked)
	mode := "driver"
	switch {
	case tried == bpf.ModeGeneric:
		mode = "generic"
	case native == netdev.Unknown:
		mode = "driver or generic"
		j.find(Note, "", "the kernel does not tell what the driver can do (it would from Linux 6.3 on)")
	case native == netdev.No && asked == bpf.ModeDriver:
		j.find(Blocks, "set xdp: auto", "%s has no XDP, and xdp: driver asks for it", j.driver())
	case native == netdev.No:
		mode = "generic"
		j.find(Costs, "", "%s has no XDP: frames are taken in generic mode, which is slower", j.driver())
	}
	j.r.Get.XDPMode = mode
	j.change("an XDP program attached (%s mode)", mode)
	j.attached()
}

// attached judges the XDP program that the interface has already.
func (j *judge) attached() {
	switch x := j.f.XDPProgram; {
	case x == "":
	case strings.HasPrefix(x, "uelink_steer"):
		j.find(Note, "", "uelinkd has the interface: its XDP program %s is on it", x)
	case strings.HasPrefix(x, "id "): // its name is shown to CAP_SYS_ADMIN only
		j.find(Blocks, "run this as root, which sees whose it is", "an XDP program is on it, of uelinkd or another: %s", x)
	default:
		j.find(Blocks, fmt.Sprintf("ip link set dev %s xdp off", j.f.Interface), "another XDP program is on it: %s", x)
	}
}

// sockets judges how the AF_XDP sockets would be bound, and to which RX queues.
func (j *judge) sockets() {
	zero, why := j.zeroCopy()
	g := &j.r.Get
	g.Bind, g.Why = xsk.BindCopy.String(), why
	if zero {
		g.Bind = xsk.BindZeroCopy.String()
	}
	asked := netif.Sockets{Queues: j.p.Port.Queues, TxQueue: j.p.Port.TxQueue}
	numbers, err := asked.Numbers(j.f.Queues, j.f.TxQueues)
	if err != nil {
		j.notThere(&asked, err)
		return
	}
	with := netif.QueuesOf(numbers)
	g.RxQueues, g.TxQueue, g.Queues = with.List(), numbers[0], len(numbers)
	g.Memory = g.Queues * (j.p.Port.RxRingSize + j.p.Port.RingSize) * g.Chunk * g.Pieces
	if g.Queues == j.f.Queues {
		j.change("an AF_XDP socket on each of %d RX queues", g.Queues)
		return
	}
	j.change("an AF_XDP socket on the RX queues %v of %d", with, j.f.Queues)
	j.missed(with, g.TxQueue)
}

// notThere judges that sockets are asked for on queues that the interface has not.
func (j *judge) notThere(asked *netif.Sockets, why error) {
	need := asked.TxQueue.Number
	if list := asked.Queues.List(); len(list) > 0 {
		need = max(need, list[len(list)-1])
	}
	j.find(Blocks, fmt.Sprintf("name others, or ethtool -L %s combined %d", j.f.Interface, need+1), "%v", why)
}

// zeroCopy tells whether the sockets would be bound with zero copy, and why.
func (j *judge) zeroCopy() (zero bool, why string) {
	s, mode := &j.p.Port, bpf.ModeDriver
	if j.r.Get.XDPMode == "generic" {
		mode = bpf.ModeGeneric
	}
	zero, why = netif.Abilities{Driver: j.f.Driver.Name, Features: j.f.features}.ZeroCopy(mode, j.r.Get.Pieces)
	switch {
	case j.asked == xsk.BindCopy:
		zero, why = false, "bind: copy asks for it"
	case s.Bind == xsk.BindCopy:
		zero, why = false, "the host uses the interface itself"
	case s.Bind == xsk.BindZeroCopy:
		if j.f.Abilities.ZeroCopy == netdev.No && mode == bpf.ModeDriver {
			j.find(Blocks, "set bind: auto", "the driver has no zero copy, and bind: zerocopy asks for it")
		}
		zero, why = mode == bpf.ModeDriver, "bind: zerocopy asks for it"
	}
	return zero, why
}

// missed judges that frames may come by RX queues without a socket.
func (j *judge) missed(with netif.Queues, leaves int) {
	what, do := fmt.Sprintf("queues: %v, but frames come by %d RX queues", with, j.f.Queues), "set queues: 0"
	if n := len(with.List()); with == netif.FirstQueues(n) {
		do += fmt.Sprintf(", or ethtool -L %s combined %d", j.f.Interface, n)
	}
	if !with.Has(0) {
		what += ", and what has no IP header, as all of a link, by queue 0 on most NICs"
	}
	p := &j.p.Port
	if line := netif.Steer(j.f.Interface, j.f.Steering, with, leaves, p.OwnEtherTypes()...); line != "" {
		do += ", or " + line
	}
	j.find(Costs, do, "%s: those of the others go to the host's network, and are counted", what)
}

// chunks works out the chunks of the frame memory for an MTU, and the largest MTU that such chunks carry.
func (j *judge) chunks(mtu int) {
	g := &j.r.Get
	g.Chunk = j.p.Port.ChunkSize
	if g.Chunk == 0 {
		g.Chunk = netif.ChunkFor(mtu)
	}
	g.Pieces = netif.PiecesFor(mtu, g.Chunk)
	g.MaxMTU = netif.FitsPieces(g.Chunk, xsk.MostPieces)
	if j.f.Abilities.MultiBuffer == netdev.No && g.XDPMode == "driver" {
		g.MaxMTU = netif.Fits(cmp.Or(j.p.Port.ChunkSize, netif.LargeChunk))
	}
}

// mtu judges the MTU that there is, and that there has to be.
func (j *judge) mtu() {
	s, now, need := &j.p.Port, j.f.MTU, max(j.p.Need, j.f.MTU)
	j.chunks(need)
	g := &j.r.Get
	g.MTU = need
	set := fmt.Sprintf("ip link set dev %s mtu %d", j.f.Interface, need)
	switch {
	case need > g.MaxMTU:
		j.find(Blocks, fmt.Sprintf("ip link set dev %s mtu %d", j.f.Interface, g.MaxMTU),
			"an MTU of %d is more than chunks of %d octets carry here, which is %d", need, g.Chunk, g.MaxMTU)
	case need > now && s.MTU == dataplane.MTUCheck:
		j.find(Blocks, set+", or set mtu: set", "the MTU is %d, and %d are needed", now, need)
	case need > now && s.LeavesMTU(j.f.Use):
		g.MTU = now
		j.find(Costs, set+", or set mtu: set", "the MTU is %d, %d are needed, and it is left so since the host uses the "+
			"interface: longer frames are dropped", now, need)
	case need > now:
		j.change("MTU %d to %d", now, need)
	}
}

// offloads judges what of a frame may be left undone. With native: pass a link gets none but its own, which no offload
// touches: they have an EtherType of their own, and come with their checksums.
func (j *judge) offloads() {
	on, s := j.f.Offloads, &j.p.Port
	switch {
	case len(on) == 0:
	case s.Offloads != dataplane.OffloadsLeave:
		j.change("offloads off: %s", strings.Join(on, " "))
	case s.Role != dataplane.RoleLink || s.Native != bpf.NativePass:
		j.find(Costs, fmt.Sprintf("set offloads: off, or ethtool -K %s %s off", j.f.Interface, strings.Join(on, " off ")),
			"%d offloads are on and stay on: frames may come merged, or without checksums", len(on))
	}
}

func (j *judge) carrier() {
	switch {
	case !j.f.Up:
		j.find(Costs, fmt.Sprintf("ip link set dev %s up", j.f.Interface), "the interface is down")
	case !j.f.Carrier:
		j.find(Costs, "", "there is no carrier: is the cable in, and the other end up?")
	}
	if j.f.FirmwareLLDP {
		j.find(Costs, j.f.LLDPCommand, "an LLDP agent in the firmware of the NIC takes LLDP frames: uelinkd sees none")
	}
}

func (j *judge) quirks() {
	notes := []quirks.Kind{quirks.AvoidZeroCopy, quirks.StopsOnReset}
	if j.r.Get.Bind != xsk.BindZeroCopy.String() {
		notes = append(notes, quirks.KernelOops)
	}
	for _, q := range j.f.Quirks {
		level := Costs
		if slices.Contains(notes, q.Kind) {
			level = Note
		}
		if q.Kind != quirks.GenericOnly || j.f.Abilities.Native == netdev.Unknown {
			j.find(level, q.Advice, "%s: %s (%s)", q.Driver, q.What, q.Source)
		}
	}
}
