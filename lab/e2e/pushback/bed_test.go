package pushback

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/control/api"
	"uelink/dataplane/netif"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// pushing is settings of a link that loses nothing, with an edge that pushes back.
func pushing() bed.Settings {
	s := bed.Lossless
	s.Edge = "push_back: on"
	return s
}

// bedOf starts two daemons, whose edges push back, and opens the hosts' packet sockets.
func bedOf(t *testing.T, s bed.Settings) (top *bed.Topology, p bed.Pair, to *bed.Packets) {
	t.Helper()
	top = bed.Direct(t)
	p = daemonsOf(t, top, s)
	return top, p, bed.Open(t, top.HostB, "eth0", bed.ProbeType)
}

// daemonsOf starts two daemons, whose edges push back.
func daemonsOf(t *testing.T, top *bed.Topology, s bed.Settings) (p bed.Pair) {
	t.Helper()
	needPushes(t)
	p = top.Daemons(s)
	pushes(p.A, "on")
	pushes(p.B, "on")
	return p
}

// needPushes skips a test on a kernel whose veth does not push back.
func needPushes(t *testing.T) {
	t.Helper()
	if err := netif.Pushes(); err != nil {
		nstest.Missing(t, "a veth that pushes back: "+err.Error())
	}
}

// pushes waits until the edge of a daemon has a state of push_back.
func pushes(d *bed.Daemon, state string) {
	d.T.Helper()
	bed.Eventually(d.T, "push_back "+state, func() string {
		if e := d.Edge(); e.PushBack != state {
			return fmt.Sprintf("it is %q: %s", e.PushBack, e.PushBackReason)
		}
		return ""
	})
}

// octets is the length of a probe.
const octets = 200

// crowd makes a host send n probes at once, numbered from 0. More than the veth holds wait in the host's queueing
// discipline, but no more than it has room for.
func crowd(t *testing.T, host *netns.NS, n uint32) {
	t.Helper()
	crowdFrom(t, host, "eth0", 0, n)
}

// crowdFrom does the work of crowd by one of several interfaces of a host, with probes numbered from first.
func crowdFrom(t *testing.T, host *netns.NS, ifname string, first, n uint32) {
	t.Helper()
	index, err := host.Ifindex(ifname)
	bed.Must(t, err)
	bed.Must(t, host.Do(func() error {
		fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, 64<<20); err != nil {
			return err
		}
		for i := range n {
			if err := unix.Sendto(fd, bed.Probe(first+i, octets), 0, &unix.SockaddrLinklayer{Ifindex: index}); err != nil {
				return err
			}
		}
		return nil
	}))
}

// arrive demands that the probes [0, n) come, each once and unchanged. Frames of one sender may overtake each other at
// the receiving host, where the kernel has a backlog for each CPU.
func arrive(t *testing.T, to *bed.Packets, n uint32) {
	t.Helper()
	seen := make([]bool, n)
	for i := range n {
		f := to.Await(fmt.Sprintf("probe %d of %d", i, n), func([]byte) bool { return true })
		number := bed.ProbeNumber(f)
		if number >= n || seen[number] || string(f) != string(bed.Probe(number, octets)) {
			t.Fatalf("after %d probes there came another: % x", i, f)
		}
		seen[number] = true
	}
}

// lost returns how many frames a daemon, or the kernel on their way to it, has dropped. Frames that came before the
// sockets were open do not count.
func lost(e api.Port) uint64 { return e.RxDropped + e.TxDropped - e.Counters.RxNoSocket }

// nothingLost demands that no edge and no link has dropped a frame.
func nothingLost(t *testing.T, p bed.Pair) {
	t.Helper()
	noneDropped(t, p.A.Edge(), p.A.Link(), p.B.Edge(), p.B.Link())
}

// noneDropped demands that none of the ports has dropped a frame.
func noneDropped(t *testing.T, ports ...api.Port) {
	t.Helper()
	for _, port := range ports {
		if n := lost(port); n > 0 {
			t.Errorf("%s %s: %d frames are dropped: %+v %+v %+v", port.MAC, port.Name, n, port.Counters, port.Device,
				port.Socket)
		}
	}
}

// sh runs a command of a host.
func sh(t *testing.T, ns *netns.NS, command string) string {
	t.Helper()
	words := strings.Fields(command)
	return bed.Run(t, ns, exec.Command(words[0], words[1:]...))
}

// endOf returns what a daemon changes on the host's end of a veth: the queueing discipline, and gso_max_segs.
func endOf(t *testing.T, ns *netns.NS, ifname string) string {
	t.Helper()
	qdisc := "noqueue"
	if out := sh(t, ns, "tc qdisc show dev "+ifname+" root"); strings.TrimSpace(out) != "" {
		qdisc = strings.Fields(out)[1]
	}
	out := sh(t, ns, "ip -d link show dev "+ifname)
	_, after, _ := strings.Cut(out, "gso_max_segs ")
	return qdisc + " " + strings.Fields(after)[0]
}

// The two states of the host's end.
const (
	asBefore = "noqueue 65535"
	changed  = "tbf 65535"
)

// ends waits until the host's end of the veth is in a state.
func ends(t *testing.T, ns *netns.NS, want string) {
	t.Helper()
	bed.Eventually(t, "host's end "+want, func() string {
		if got := endOf(t, ns, "eth0"); got != want {
			return got
		}
		return ""
	})
}

// crosses demands that frames cross at once, and not by the watchdog.
func crosses(t *testing.T, top *bed.Topology, p bed.Pair, to *bed.Packets) {
	t.Helper()
	from := bed.Open(t, top.HostA, "eth0", bed.ProbeType)
	bed.AwaitCrossing(from, to, 10*time.Second)
	to.Drain()
	before := p.A.Edge()
	crowd(t, top.HostA, 2000)
	arrive(t, to, 2000)
	if n := lost(p.A.Edge()) - lost(before); n > 0 {
		t.Errorf("%d of 2000 frames were dropped", n)
	}
}
