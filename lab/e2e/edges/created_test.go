package edges

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/dataplane/ethtool"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// Addresses of the hosts on their NICs, beside the link.
const (
	nicA = "192.0.2.1"
	nicB = "192.0.2.2"
)

// nics is two hosts, each with one interface that it uses itself, and a namespace for a cable between them. The
// daemons run in the namespaces of the hosts.
func nics(t testing.TB) *bed.Topology {
	t.Helper()
	bed.InstalledProgram(t, "ip", "iproute2")
	top := &bed.Topology{T: t, A: nstest.New(t, "A"), B: nstest.New(t, "B"), Wire: nstest.New(t, "wire")}
	top.HostA, top.HostB = top.A, top.B
	bed.Must(t, netns.Veth(top.A, "link0", top.Wire, "a", bed.EdgeMTU))
	bed.Must(t, netns.Veth(top.B, "link0", top.Wire, "b", bed.EdgeMTU))
	bed.Must(t, top.A.AddAddr("link0", nicA+"/24"))
	bed.Must(t, top.B.AddAddr("link0", nicB+"/24"))
	for _, n := range []*netns.NS{top.A, top.B} {
		bed.Must(t, n.Do(func() error { return likeANIC("link0") }))
	}
	return top
}

// likeANIC has a veth send whole checksums, as a NIC does, and take frames that XDP has redirected: the cable is made
// of XDP.
func likeANIC(ifname string) error {
	on, _, err := ethtool.Offloads(ifname)
	if err == nil {
		err = ethtool.Disable(ifname, on)
	}
	if err == nil {
		_, _, err = ethtool.Enable(ifname, []string{"rx-gro"})
	}
	return err
}

// beside starts a daemon at each end, whose host has a way through the link.
func beside(top *bed.Topology, s bed.Settings) bed.Pair {
	top.T.Helper()
	p := bed.Pair{
		A: bed.NewDaemon(top.T, top.A, "A", bed.CreatedEdge(s, bed.AddressA)),
		B: bed.NewDaemon(top.T, top.B, "B", bed.CreatedEdge(s, bed.AddressB)),
	}
	p.A.Start()
	p.B.Start()
	p.Advance()
	return p
}

// network is all of a host's interfaces, addresses and routes, and features and channels of its NIC, as iproute2 and
// ethtool tell them.
func network(t testing.TB, ns *netns.NS) string {
	t.Helper()
	tool := bed.InstalledProgram(t, "ethtool", "ethtool")
	var all strings.Builder
	for _, args := range []string{"-d link show dev link0", "-d link", "address show dev link0", "route"} {
		all.WriteString(bed.Run(t, ns, exec.Command("ip", strings.Fields(args)...)))
	}
	for _, flag := range []string{"-k", "-l"} {
		all.WriteString(bed.Run(t, ns, exec.Command(tool, flag, "link0")))
	}
	// Not how old something is, and the index of the cable's program at the other end.
	return regexp.MustCompile(`valid_lft \S+ preferred_lft \S+`).ReplaceAllString(all.String(), "")
}

// featuresOf is where ethtool begins.
const featuresOf = "\nFeatures for link0:\n"

// while is what a program on link0 changes of how it is shown.
var while = regexp.MustCompile(`(?m) xdp(generic)?\b|^ +prog/xdp id .*\n`)

// same demands that the NIC's settings are as before; with running, except for the daemon's program and veth.
func same(t testing.TB, ns *netns.NS, before string, running bool) {
	t.Helper()
	now := network(t, ns)
	if running {
		now = while.ReplaceAllString(now, "")
		nic, _, _ := strings.Cut(before, "\n1: ")
		_, features, _ := strings.Cut(before, featuresOf)
		if !strings.HasPrefix(now, nic) || !strings.HasSuffix(now, featuresOf+features) {
			t.Errorf("while the daemon runs link0 is in\n%s\nnot as in\n%s", now, before)
		}
		return
	}
	if now != before {
		t.Errorf("afterwards it is\n%s\nnot\n%s", now, before)
	}
}

// connection is a TCP connection of the two hosts, as ssh has one.
type connection struct {
	t  testing.TB
	at net.Conn
}

// dial connects A to an address of B, which answers each line with itself.
func dial(top *bed.Topology, address string) *connection {
	top.T.Helper()
	var l net.Listener
	bed.Must(top.T, top.B.Do(func() (err error) {
		l, err = net.Listen("tcp4", address+":0")
		return err
	}))
	top.T.Cleanup(func() { l.Close() })
	go func() {
		if c, err := l.Accept(); err == nil {
			_, _ = io.Copy(c, c)
			c.Close()
		}
	}()
	c := &connection{t: top.T}
	bed.Must(top.T, top.A.Do(func() (err error) {
		c.at, err = net.DialTimeout("tcp4", l.Addr().String(), bed.Patience)
		return err
	}))
	top.T.Cleanup(func() { c.at.Close() })
	return c
}

// lives demands that a line comes back.
func (c *connection) lives(when string) {
	c.t.Helper()
	bed.Must(c.t, c.at.SetDeadline(time.Now().Add(bed.Patience)))
	if _, err := fmt.Fprintln(c.at, when); err != nil {
		c.t.Fatalf("%s: %v", when, err)
	}
	if line, err := bufio.NewReader(c.at).ReadString('\n'); err != nil || line != when+"\n" {
		c.t.Fatalf("%s: %q, %v", when, line, err)
	}
}

// TestHostsOwnWayThroughTheLink: two hosts with one NIC each keep the NIC as it is, and get a second way to each
// other, on which a bad wire loses nothing.
func TestHostsOwnWayThroughTheLink(t *testing.T) {
	bed.RequireProgram(t, "iperf3", "iperf3")
	ping := bed.InstalledProgram(t, "ping", "iputils-ping")
	top := nics(t)
	cable := top.Cable()
	before := network(t, top.A)
	ssh := dial(top, nicB)
	ssh.lives("before the start")
	s := bed.BulkSettings
	p := beside(top, s)
	ssh.lives("after the start")
	same(t, top.A, before, true)
	top.OnlyRealLosses()

	uelink0, err := top.A.Link("uelink0")
	bed.Must(t, err)
	if e := p.A.Edge(); uelink0.MTU != bed.EdgeMTU-wire.Overhead || e.HostInterface != "uelink0" ||
		e.Address != bed.AddressA+"/24" || e.MTU != uelink0.MTU {
		t.Errorf("uelink0 has an MTU of %d; %+v", uelink0.MTU, e)
	}
	out := bed.Run(t, top.A, exec.Command(ping, "-n", "-q", "-M", "do", "-s", fmt.Sprint(uelink0.MTU-28), "-c", "100",
		"-i", "0.002", bed.AddressB))
	if !strings.Contains(out, " 0% packet loss") {
		t.Error(out)
	}
	good := top.BothWays(p)
	cable.Pull()
	cable = top.Cable("--loss", "0.01")
	bad := top.BothWays(p) // it tells of retransmissions
	ssh.lives("over a bad wire")
	if n := bed.Dropped(cable.Pull()); n == 0 {
		t.Error("the bad wire dropped nothing")
	}
	t.Logf("a bad wire leaves %.2f of the throughput from A to B, %.2f from B to A", bad[0]/good[0], bad[1]/good[1])
	if c := p.A.Link().Counters; c.TxNative != 0 || c.RxNative != 0 {
		t.Errorf("%d native frames sent, %d taken", c.TxNative, c.RxNative)
	}
	top.Cable()
	for _, d := range []*bed.Daemon{p.A, p.B} {
		if code := d.Terminate(); code != 0 {
			t.Errorf("exit %d", code)
		}
		d.Down()
	}
	ssh.lives("after the end")
	same(t, top.A, before, false)
}

// TestVLANOnTheHostsWay: frames of the host with a VLAN tag cross, as long as the MTU lets them be and 4 octets more.
// They are those of a VLAN interface; not every kernel has one.
func TestVLANOnTheHostsWay(t *testing.T) {
	top := nics(t)
	top.Cable("--loss", "0.01")
	beside(top, bed.Lossless)
	from, to := bed.Open(t, top.A, "uelink0", unix.ETH_P_ALL), bed.Open(t, top.B, "uelink0", unix.ETH_P_ALL)
	l, err := top.A.Link("uelink0")
	bed.Must(t, err)
	for n, octets := range []int{wire.MinFrameLen, 1000, l.MTU + wire.HeaderLen} {
		sent := bed.Tag(bed.Probe(uint32(n), octets), 0x8100, 7)
		from.Send(sent)
		to.Await("the frame with its tag", func(f []byte) bool { return bytes.Equal(f, sent) })
	}
}

// text is an error, or nothing.
func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
