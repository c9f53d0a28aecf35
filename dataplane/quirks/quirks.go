// Package quirks lists known peculiarities of NIC drivers that no program can query: features that a driver
// refuses, operations that interrupt the network, commands that crash the kernel. Each entry names its source.
package quirks

import "slices"

// Kind is the subject of an entry, which decides how uelink reacts.
type Kind uint8

// The kinds of quirks.
const (
	AvoidZeroCopy   Kind = iota // bind: auto does not try zero copy
	KernelOops                  // a command crashes the kernel
	AwayOnAttach                // no frames for seconds while an XDP program or zero-copy socket comes or goes
	MTUUnderXDP                 // the MTU cannot be raised under an XDP program: uelink detaches it for a moment
	AvoidDriverMode             // xdp: auto does not try driver mode
	StopsOnReset                // a reset may stop the NIC for good: uelink restarts the NIC
	GenericOnly                 // the driver has no XDP
	NeedsQueues                 // XDP needs queues that the network stack does not use
)

// String returns the name in JSON of the kind of driver fault, such as kernel_oops or avoid_zero_copy.
func (k Kind) String() string {
	return [...]string{"avoid_zero_copy", "kernel_oops", "away_on_attach", "mtu_under_xdp", "avoid_driver_mode",
		"stops_on_reset",
		"generic_only", "needs_queues", "?"}[min(k, NeedsQueues+1)]
}

// MarshalText returns the name of the kind of driver fault, such as kernel_oops, as octets. The error is always nil.
func (k Kind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Quirk is one peculiarity of a driver.
type Quirk struct {
	Driver string `json:"-"` // as in ethtool -i
	Kind   Kind   `json:"kind"`
	What   string `json:"what"`             // the peculiarity, in words
	Advice string `json:"advice,omitempty"` // the remedy; empty: none
	Source string `json:"source"`           // a document of the tree, or a public thread
}

// seen is the source of peculiarities observed by the makers of uelink.
const seen = "docs/LESSONS.md"

// table has an entry for each quirk, by driver.
var table = []Quirk{
	{"e1000e", GenericOnly, "the driver has no XDP: frames are taken in generic mode, which is slower", "", seen},
	{"e1000e", StopsOnReset, "a reset of the PCI function may leave the NIC deaf, and the driver does not notice: " +
		"uelinkd sets the interface down and up, unless the host itself uses the interface", "", seen},
	{"ena", AvoidZeroCopy, "with zero copy the driver resets its NIC under load, and other users report damaged memory",
		"set bind: zerocopy to use zero copy nevertheless", "https://github.com/amzn/amzn-drivers/issues/221"},
	{"ice", AvoidZeroCopy, "when a zero-copy socket comes or goes under load the driver may take its NIC for hung; " +
		"after the reset the host may be unreachable until it boots",
		"set bind: zerocopy to use zero copy nevertheless, but not on the NIC that you log in by",
		"https://github.com/intel/ethernet-linux-ice/pull/62"},
	{"igb", AvoidZeroCopy, "with zero copy a frame above 1024 octets (above 3072 with chunks of 4096) arrives in two " +
		"chunks, and the first such frame stops a link", "bind: zerocopy needs chunk_size: 4096", seen},
	{"igb", AwayOnAttach, "the NIC is away for about 5 s while an XDP program comes or goes", "", seen},
	{"igb", MTUUnderXDP, "the MTU cannot be raised while an XDP program is on the interface",
		"set the MTU before uelinkd starts, so that a later change does not take the link down", seen},
	{"igb", StopsOnReset, "a reset of the PCI function stops the NIC, and the driver may not notice, or with zero copy " +
		"does not notice: uelinkd attaches its XDP program again, which restarts the NIC", "", seen},
	{"igb", KernelOops, "ethtool -t offline crashes the kernel while a socket is bound with zero copy",
		"stop uelinkd before a self test, or set bind: copy", seen},
	{"mlx5_core", AwayOnAttach, "the NIC is away for 1 to 10 s while an XDP program comes or goes", "",
		"https://github.com/cilium/cilium/issues/13526"},
	{"st_gmac", AvoidZeroCopy, "with zero copy a queue whose fill ring was empty once may stop for good",
		"set bind: zerocopy to use zero copy nevertheless", "https://github.com/analogdevicesinc/linux/issues/3517"},
	{"virtio_net", NeedsQueues, "XDP wants a TX queue for each CPU beside those of the network stack, and the number " +
		"of queues cannot be changed under a program",
		"give the machine twice as many queues as CPUs, or lower those in use before uelinkd starts (ethtool -L)",
		"https://github.com/xdp-project/xdp-tutorial/issues/277"},
	{"vmxnet3", AvoidDriverMode, "after the driver has started its NIC anew (down and up, another MTU, ethtool -G) it " +
		"hands XDP no frames any more, so xdp: auto is generic, which is slower", "set xdp: driver to use driver mode nevertheless",
		seen},
}

// FindAll returns the known faults (quirks) of a driver, by its name in ethtool -i.
func FindAll(driver string) (all []Quirk) {
	for _, q := range table {
		if q.Driver == driver {
			all = append(all, q)
		}
	}
	return all
}

// Find returns the known fault of the given kind that a driver has; false if the driver has none.
func Find(driver string, k Kind) (Quirk, bool) {
	i := slices.IndexFunc(table, func(q Quirk) bool { return q.Driver == driver && q.Kind == k })
	if i < 0 {
		return Quirk{}, false
	}
	return table[i], true
}

// Network returns the name of the network in which NICs of a driver are, if that network carries only IP, so that no
// frame of a link crosses; "" for other drivers.
func Network(driver string) string {
	return map[string]string{"ena": "EC2", "gve": "Google Cloud", "mana": "Azure"}[driver]
}
