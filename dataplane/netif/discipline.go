package netif

import (
	"errors"
	"fmt"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"uelink/wire"
)

// The queueing disciplines that PushBack adds at the host's end of a veth.
const (
	// hostHandle is the handle of the queueing discipline, by which the process recognizes its own.
	hostHandle = 0x7565_0000
	// hostOctets is how much the discipline tbf holds, and hostLimit how many packets the discipline pfifo holds.
	hostOctets = 64 << 20
	hostLimit  = 10000
	// noRate is a rate in octets a second at which tbf delays no frame: the time of a frame rounds to 0 ns.
	noRate = 1_000_000_000_000_000
	// taggedHeader is the longest Ethernet header: with two VLAN tags.
	taggedHeader = wire.HeaderLen + 2*4
	// Kinds of disciplines: cutting cuts large packets of TCP into frames, uncutting does not.
	cutting   = "tbf"
	uncutting = "pfifo"
)

// noQdisc is the kind of the kernel's discipline that holds no frame.
const noQdisc = "noqueue"

// valve is how a queueing discipline hands frames on.
type valve uint8

const (
	valveOpen    valve = iota // hands frames on at once
	valveShut                 // hands no frame on: all wait, but a tbf still hands on one full frame after the switch
	valveRefuses              // hands waiting frames on at once; new frames are dropped, and the discipline counts them
)

// addQdisc gives an interface a queueing discipline that holds frames of up to longest octets: a single discipline if
// the interface has one TX queue, else an mq with a discipline for each queue. cuts reports whether the discipline cuts
// large packets of TCP into frames: a tbf does, by its burst; a pfifo, which takes the place of tbf on a kernel without
// tbf, does not.
func addQdisc(ifindex, queues, longest int) (cuts bool, err error) {
	if queues > 1 {
		if err := replaceQdisc(ifindex, netlink.HANDLE_ROOT, hostHandle, "mq", nil); err != nil {
			return false, err
		}
	}
	err = addLeaves(ifindex, queues, cutting, cutAt(longest, valveOpen))
	if errors.Is(err, unix.ENOENT) { // no such kind
		return false, addLeaves(ifindex, queues, uncutting, holds(hostLimit))
	}
	return err == nil, err
}

// deleteQdisc deletes the discipline that addQdisc has added to an interface, and returns how many frames it has
// dropped. The disciplines below an mq are deleted first: the kernel's notice of the deletion of an mq has no drops.
func deleteQdisc(ifindex, queues int) (dropped uint64, err error) {
	if queues > 1 {
		for q := range uint32(queues) {
			n, err := deleteOne(ifindex, hostHandle|(q+1), hostHandle+(q+1)<<16)
			if err == nil { // else somebody has replaced this discipline, which goes with the mq
				dropped += n
			}
		}
	}
	n, err := deleteOne(ifindex, netlink.HANDLE_ROOT, hostHandle)
	return dropped + n, err
}

// deleteOne deletes a queueing discipline, and returns how many frames it has dropped. The number comes from the
// kernel's notice of the deletion: statistics read before the deletion lack the last drops.
func deleteOne(ifindex int, parent, handle uint32) (dropped uint64, err error) {
	r := nl.NewNetlinkRequest(unix.RTM_DELQDISC, unix.NLM_F_ACK|unix.NLM_F_ECHO)
	r.AddData(&nl.TcMsg{Family: nl.FAMILY_ALL, Ifindex: int32(ifindex), Parent: parent, Handle: handle})
	notices, err := r.Execute(unix.NETLINK_ROUTE, unix.RTM_DELQDISC)
	if err != nil {
		return 0, err
	}
	for _, notice := range notices {
		n, err := droppedIn(notice)
		if err != nil {
			return dropped, err
		}
		dropped += n
	}
	return dropped, nil
}

// dropsAt is the offset of the counter of drops in struct gnet_stats_queue (linux/gen_stats.h): qlen, backlog, drops.
const dropsAt = 8

// droppedIn returns the number of dropped frames in the kernel's notice about a queueing discipline.
func droppedIn(notice []byte) (uint64, error) {
	attributes, err := nl.ParseRouteAttr(notice[nl.SizeofTcMsg:])
	if err != nil {
		return 0, err
	}
	for _, a := range attributes {
		if a.Attr.Type != nl.TCA_STATS2 {
			continue
		}
		statistics, err := nl.ParseRouteAttr(a.Value)
		if err != nil {
			return 0, err
		}
		for _, s := range statistics {
			if s.Attr.Type == nl.TCA_STATS_QUEUE && len(s.Value) >= dropsAt+4 {
				return uint64(nl.NativeEndian().Uint32(s.Value[dropsAt:])), nil
			}
		}
	}
	return 0, nil
}

// addLeaves sets the disciplines that hold frames, as the root or, with several TX queues, one below the root for each
// queue.
func addLeaves(ifindex, queues int, kind string, options *nl.RtAttr) error {
	if queues <= 1 {
		return replaceQdisc(ifindex, netlink.HANDLE_ROOT, hostHandle, kind, options)
	}
	for q := range queues {
		if err := replaceQdisc(ifindex, hostHandle|uint32(q+1), hostHandle+uint32(q+1)<<16, kind, options); err != nil {
			return err
		}
	}
	return nil
}

// cutAt returns options of a tbf that hands frames on as v says, cuts packets of TCP that are longer than longest, in
// octets, into frames when they enter, and drops other packets that are longer. It delays no frame, or with valveShut
// every frame, by a rate of an octet a second.
func cutAt(longest int, v valve) *nl.RtAttr {
	opt := nl.TcTbfQopt{Rate: nl.TcRateSpec{Rate: ^uint32(0)}, Limit: hostOctets}
	switch v {
	case valveOpen:
	case valveShut:
		opt.Rate.Rate = 1
	case valveRefuses:
		opt.Limit = 0
	}
	all := nl.NewRtAttr(nl.TCA_OPTIONS, nil)
	all.AddRtAttr(nl.TCA_TBF_PARMS, opt.Serialize())
	if v != valveShut {
		all.AddRtAttr(nl.TCA_TBF_RATE64, nl.Uint64Attr(noRate))
	}
	all.AddRtAttr(nl.TCA_TBF_BURST, nl.Uint32Attr(uint32(longest)))
	return all
}

// holds returns options of a pfifo that holds up to limit packets.
func holds(limit uint32) *nl.RtAttr { return nl.NewRtAttr(nl.TCA_OPTIONS, nl.Uint32Attr(limit)) }

// replaceQdisc sets a queueing discipline of the given kind and handle below a parent on an interface, in place of
// any other. If the discipline there has the same kind and handle, its options are changed, and its frames stay.
func replaceQdisc(ifindex int, parent, handle uint32, kind string, options *nl.RtAttr) error {
	r := nl.NewNetlinkRequest(unix.RTM_NEWQDISC, unix.NLM_F_CREATE|unix.NLM_F_REPLACE|unix.NLM_F_ACK)
	r.AddData(&nl.TcMsg{Family: nl.FAMILY_ALL, Ifindex: int32(ifindex), Parent: parent, Handle: handle})
	r.AddData(nl.NewRtAttr(nl.TCA_KIND, nl.ZeroTerminated(kind)))
	if options != nil {
		r.AddData(options)
	}
	if _, err := r.Execute(unix.NETLINK_ROUTE, 0); err != nil {
		return fmt.Errorf("add the queueing discipline %s: %w", kind, err)
	}
	return nil
}
