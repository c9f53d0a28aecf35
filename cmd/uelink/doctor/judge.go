package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"uelink/dataplane/attach"
	"uelink/dataplane/model"
	"uelink/dataplane/netdev"
	"uelink/dataplane/netif"
	"uelink/dataplane/quirks"
	"uelink/dataplane/xsk"
)

// Plan is the port that an interface shall become.
type Plan struct {
	Port model.PortSettings // Name is empty without a configuration
	Need int                // least MTU, octets; 0: any
}

// judge builds a report, finding by finding.
type judge struct {
	f     *Facts
	p     Plan        // with auto values decided by the host's use of the interface
	asked attach.Bind // bind as configured: auto, where p.Port.Bind is decided
	r     Report
}

// Judge returns the report of how a plan, the settings that uelinkd would use, fits the facts of its interface. The
// plan is first adapted to the host's use of the interface, as uelinkd does. Each step adds facts, changes and findings
// to the report; the findings are then sorted, the worst first.
func Judge(f *Facts, p Plan) Report {
	j := judge{f: f, p: p, asked: p.Port.Bind, r: newReport(p)}
	j.p.Port = p.Port.AdaptTo(f.Use)
	j.r.Facts = f
	for _, step := range []func(){j.kind, j.xdp, j.mtu, j.sockets, j.pushBack, j.offloads, j.users, j.carrier, j.quirks,
		j.way} {
		step()
	}
	slices.SortStableFunc(j.r.Findings, func(a, b Finding) int { return int(a.Level) - int(b.Level) })
	return j.r
}

// find adds a finding of level l to the report. Its text is made of format and args, and do is its cure.
func (j *judge) find(l Level, do, format string, args ...any) {
	j.r.Findings = append(j.r.Findings, Finding{l, fmt.Sprintf(format, args...), do})
}

func (j *judge) change(format string, args ...any) {
	j.r.Changes = append(j.r.Changes, fmt.Sprintf(format, args...))
}

// kind adds a finding for an interface that is not Ethernet, or that uelinkd would create though it exists.
func (j *judge) kind() {
	if t := j.f.LinkType; t != "" && t != "ether" && t != "loopback" {
		j.find(Blocks, "take another interface", "the interface carries no Ethernet frames (link/%s)", t)
	}
	if j.p.Port.Host != nil && !j.f.Made {
		j.find(Blocks, fmt.Sprintf("choose another name, or remove the interface (ip link delete dev %s)", j.f.Interface),
			"uelinkd would create the interface (create: true), but it exists already, and uelinkd did not create it")
	}
}

// driver returns the words "the driver NAME", for findings; without a name "the driver".
func (j *judge) driver() string { return strings.TrimSpace("the driver " + j.f.Driver.Name) }

// xdp writes the mode in which the XDP program would run into the report, and adds the program to the changes. It adds
// findings for a driver without XDP, and for a program that is already on the interface.
func (j *judge) xdp() {
	native, asked := j.f.Abilities.Native, j.p.Port.XDP
	tried, _ := netif.Abilities{Driver: j.f.Driver.Name}.XDP(asked)
	mode := "driver"
	switch {
	case tried == attach.ModeGeneric:
		mode = "generic"
	case native == netdev.Unknown:
		mode = "driver or generic"
		j.find(Note, "", "the kernel does not report the XDP features of the driver (Linux 6.3 and later do)")
	case native == netdev.No && asked == attach.ModeDriver:
		j.find(Blocks, "set xdp: auto", "%s has no XDP, but the port demands driver mode (xdp: driver)", j.driver())
	case native == netdev.No:
		mode = "generic"
		j.find(Costs, "", "%s has no XDP: frames are taken in generic mode, which is slower", j.driver())
	}
	j.r.Get.XDPMode = mode
	j.change("uelinkd's XDP program attached (%s mode)", mode)
	j.attached()
}

// attached adds a finding for an XDP program that is already on the interface.
func (j *judge) attached() {
	switch x := j.f.XDPProgram; {
	case x == "":
	case strings.HasPrefix(x, "uelink_steer"):
		j.find(Note, "", "uelinkd has the interface: the XDP program %s of uelinkd is attached", x)
	case strings.HasPrefix(x, "id "): // the kernel shows the name to CAP_SYS_ADMIN only
		j.find(Blocks, "run this as root, to see the name of the program",
			"an XDP program is attached to the interface, by uelinkd or another process: %s", x)
	default:
		j.find(Blocks, j.f.unshown.xdpRemoval, "another XDP program is attached to the interface: %s", x)
	}
}

// sockets writes into the report the bind mode of the AF_XDP sockets, the path of transmission, their RX queues,
// and the memory that they lock.
func (j *judge) sockets() {
	zero, reason := j.zeroCopy()
	g := &j.r.Get
	g.Bind, g.Why = attach.BindCopy.String(), reason
	if zero {
		g.Bind = attach.BindZeroCopy.String()
	}
	j.txPath(zero)
	asked := netif.Sockets{Queues: j.p.Port.Queues, TxQueue: j.p.Port.TxQueue}
	numbers, err := asked.Numbers(j.f.Queues, j.f.TxQueues)
	if err != nil {
		j.missingQueues(&asked, err)
		return
	}
	queues := attach.QueuesOf(numbers)
	g.RxQueues, g.TxQueue, g.Queues = queues.List(), numbers[0], len(numbers)
	g.Memory = g.Queues * (j.p.Port.RxRingSize + j.p.Port.RingSize) * g.Chunk * g.Pieces
	if g.Queues == j.f.Queues {
		j.change("an AF_XDP socket on each of %d RX queues", g.Queues)
		return
	}
	j.change("an AF_XDP socket on the RX queues %v of %d", queues, j.f.Queues)
	j.unserved(queues, g.TxQueue)
}

// txPath writes into the report how large batches of frames leave: as live frames, or else by the sockets, with the
// reason. zero is whether the sockets are bound with zero copy.
func (j *judge) txPath(zero bool) {
	g := &j.r.Get
	g.TxPath = attach.PathAFXDP.String()
	g.TxWhy = cmp.Or(j.p.Port.NoLive(j.f.Driver.Name, max(j.f.Queues, j.f.TxQueues)), j.f.NoLive)
	switch {
	case g.TxWhy != "":
	case g.Pieces > 1:
		g.TxWhy = "a frame may take several chunks"
	case zero:
		g.TxWhy = "the NIC reads the chunks itself (bind: zerocopy)"
	default:
		g.TxPath = attach.PathLive.String()
	}
}

// pushBack decides whether an edge would push back. Whether push back works is known only after the daemon has tried
// it.
func (j *judge) pushBack() {
	g := &j.r.Get
	if j.p.Port.Role != model.RoleEdge {
		return
	}
	mode, reason := j.p.Port.WantsPushBack(g.Pieces)
	switch {
	case mode != model.PushOn:
	case j.f.Kind != "veth":
		mode, reason = j.p.Port.CannotPushBack("the interface is no veth")
	case j.f.NoPushBack != "":
		mode, reason = j.p.Port.CannotPushBack(j.f.NoPushBack)
	default:
		j.change("the other end of the veth gets a queueing discipline (tbf), or gso_max_segs 16 if it has a discipline " +
			"of the host's own")
	}
	if g.PushBack, g.PushBackWhy = string(mode), reason; mode == model.PushLossy {
		j.find(Costs, "push_back: off", "push_back: on is not possible: %s", reason)
	}
}

// missingQueues reports queues of the plan that the interface does not have.
func (j *judge) missingQueues(asked *netif.Sockets, cause error) {
	need := asked.TxQueue.Number
	if list := asked.Queues.List(); len(list) > 0 {
		need = max(need, list[len(list)-1])
	}
	j.find(Blocks, "name other queues, or "+j.f.Steering.SetBoth(j.f.Interface, need+1), "%v", cause)
}

// zeroCopy reports whether the sockets would be bound with zero copy, and the reason. It adds a finding for a driver
// without zero copy where the plan demands zero copy.
func (j *judge) zeroCopy() (zero bool, reason string) {
	s, mode := &j.p.Port, attach.ModeDriver
	if j.r.Get.XDPMode == "generic" {
		mode = attach.ModeGeneric
	}
	zero, reason = netif.Abilities{Driver: j.f.Driver.Name, Features: j.f.unshown.features}.ZeroCopy(mode,
		j.r.Get.Pieces)
	switch {
	case j.asked == attach.BindCopy:
		zero, reason = false, "as configured (bind: copy)"
	case s.Bind == attach.BindCopy:
		zero, reason = false, "this machine itself uses the interface"
	case s.Bind == attach.BindZeroCopy:
		if j.f.Abilities.ZeroCopy == netdev.No && mode == attach.ModeDriver {
			j.find(Blocks, "set bind: auto", "the driver has no zero copy, but the port demands it (bind: zerocopy)")
		}
		zero, reason = mode == attach.ModeDriver, "as configured (bind: zerocopy)"
	}
	return zero, reason
}

// unserved adds a finding for RX queues without a socket, where frames may still arrive. served is the set of RX
// queues with a socket, leaves is the TX queue.
func (j *judge) unserved(served attach.Queues, leaves int) {
	text, do := fmt.Sprintf("queues: %v, but the interface has %d RX queues", served, j.f.Queues), "set queues: 0"
	if n := len(served.List()); served == attach.FirstQueues(n) {
		do += ", or " + j.f.Steering.SetQueues(j.f.Interface, n)
	}
	if !served.Contains(0) {
		text += "; on most NICs all frames of a link come by queue 0, like all frames without an IP header"
	}
	p := &j.p.Port
	if line := netif.Steer(j.f.Interface, j.f.Steering, served, leaves, p.OwnEtherTypes()...); line != "" {
		do += ", or " + line
	}
	j.find(Costs, do, "%s: frames that come by a queue without a socket go to the host's network, and are counted", text)
}

// chunks computes, for an MTU, the chunk size, the number of chunks for a frame, and the largest MTU with that
// chunk size, and writes them into the report.
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

// mtu adds to the report the change from the present MTU to the needed one, or a finding why that change cannot be
// made.
func (j *judge) mtu() {
	s, now, need := &j.p.Port, j.f.MTU, max(j.p.Need, j.f.MTU)
	j.chunks(need)
	g := &j.r.Get
	g.MTU = need
	set := fmt.Sprintf("ip link set dev %s mtu %d", j.f.Interface, need)
	switch {
	case need > g.MaxMTU:
		j.find(Blocks, fmt.Sprintf("ip link set dev %s mtu %d", j.f.Interface, g.MaxMTU),
			"the port needs an MTU of %d, but with chunks of %d octets the largest is %d", need, g.Chunk, g.MaxMTU)
	case need > now && s.MTU == model.MTUCheck:
		j.find(Blocks, set+", or set mtu: set", "the MTU is %d, but the port needs %d", now, need)
	case need > now && s.LeavesMTU(j.f.Use):
		g.MTU = now
		j.find(Costs, set+", or set mtu: set",
			"the MTU is %d, but the port needs %d; uelinkd does not change the MTU, because this machine "+
				"uses the interface: longer frames are dropped", now, need)
	case need > now:
		j.change("MTU %d to %d", now, need)
	}
}

// offloads adds a finding for offloads that leave frames unfinished (merged, or without checksums). A link with
// native: pass has no finding: only its own frames reach it, and no offload touches their EtherType or checksums.
func (j *judge) offloads() {
	on, s := j.f.Offloads, &j.p.Port
	switch {
	case len(on) == 0:
	case s.Offloads != model.OffloadsLeave:
		j.change("offloads off: %s", strings.Join(on, " "))
	case s.Role != model.RoleLink || s.Native != attach.NativePass:
		j.find(Costs, fmt.Sprintf("set offloads: off, or ethtool -K %s %s off", j.f.Interface,
			strings.Join(on, " off ")),
			"%d offloads are on and stay on: frames may come merged, or with checksums that the daemon has to finish",
			len(on))
	}
}

// carrier adds findings for an interface that is down, has no carrier, or whose firmware takes LLDP frames.
func (j *judge) carrier() {
	switch {
	case !j.f.Up:
		j.find(Costs, fmt.Sprintf("ip link set dev %s up", j.f.Interface), "the interface is down")
	case !j.f.Carrier:
		j.find(Costs, "", "there is no carrier: is the cable in, and the other end up?")
	}
	if j.f.FirmwareLLDP {
		j.find(Costs, j.f.unshown.lldpCommand,
			"an LLDP agent in the firmware of the NIC takes LLDP frames: uelinkd sees none")
	}
}

// quirks adds a finding for each known quirk of the driver. Those that cost nothing with this plan are notes. That the
// driver works in generic mode only is left out where the kernel itself reports the XDP features.
func (j *judge) quirks() {
	notes := []quirks.Kind{quirks.AvoidZeroCopy, quirks.StopsOnReset}
	if j.r.Get.Bind != attach.BindZeroCopy.String() {
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

// way adds findings about the way to the other end, if it was probed: another station with the same address, and
// whether pings (IP frames) and control frames (link frames) have come from there.
func (j *judge) way() {
	w := j.f.Way
	if w == nil {
		return
	}
	if w.Twin != "" {
		j.find(Costs, "", "%s has the address %s of this interface, too: give one of the two another address", w.Twin,
			w.Own)
	}
	pings := fmt.Sprintf("%s answers %d of %d pings", w.Peer, w.Echoes, w.Pings)
	switch frames := fmt.Sprintf("%d control frames of a link arrived in %v", w.Control, probeLasts); {
	case w.Echoes > 0 && w.Control > 0:
		j.find(Note, "", "%s, and %s: both IP frames and frames of uelink cross the link", pings, frames)
	case w.Control > 0:
		j.find(Note, "",
			"%s, and %s: frames of uelink cross the link, pings do not: does a firewall drop pings, or is %s the address of "+
				"another interface?", pings, frames, w.Peer)
	case w.Echoes > 0 && !w.Daemon && strings.HasPrefix(j.f.XDPProgram, "uelink_steer"):
		j.find(Note, "", "%s; uelinkd has the interface, but does not answer: whether link frames cross the link is not "+
			"known", pings)
	case w.Echoes > 0:
		j.find(Costs, "", "%s, and no control frame of a link arrived in %v: a network that carries only IP. Or: no "+
			"uelinkd with LLR on is there. Or: a bridge or firewall on the way drops the link's EtherTypes, or its "+
			"group address 01-80-c2-00-00-0e", pings, probeLasts)
	default:
		j.find(Costs, "", "%s, and no control frame of a link arrived in %v: is the wire cut, or is %s another "+
			"interface's address?", pings, probeLasts, w.Peer)
	}
}
