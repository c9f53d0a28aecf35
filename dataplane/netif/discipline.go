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
	cutting      = "tbf"
)

// noQdisc is the kind of the kernel's discipline that holds no frame.
const noQdisc = "noqueue"

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
	err = addLeaves(ifindex, queues, cutting, cutAt(longest))
	if errors.Is(err, unix.ENOENT) { // no such kind
		return false, addLeaves(ifindex, queues, "pfifo", nl.NewRtAttr(nl.TCA_OPTIONS, nl.Uint32Attr(hostLimit)))
	}
	return err == nil, err
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

// cutAt returns options of a tbf that delays nothing, cuts packets of TCP that are longer than longest, in octets, into
// frames when they enter, and drops other packets that are longer.
func cutAt(longest int) *nl.RtAttr {
	opt := nl.TcTbfQopt{Rate: nl.TcRateSpec{Rate: ^uint32(0)}, Limit: hostOctets}
	all := nl.NewRtAttr(nl.TCA_OPTIONS, nil)
	all.AddRtAttr(nl.TCA_TBF_PARMS, opt.Serialize())
	all.AddRtAttr(nl.TCA_TBF_RATE64, nl.Uint64Attr(noRate))
	all.AddRtAttr(nl.TCA_TBF_BURST, nl.Uint32Attr(uint32(longest)))
	return all
}

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
