package edges

import (
	"fmt"
	"os/exec"
	"sync"
	"syscall"
	"testing"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// superSettings is a lossless link whose edges take super-frames.
func superSettings() bed.Settings { return bed.Lossless.InSuperFrames() }

// takesSuper waits until an edge takes super-frames, and nothing is wrong with it.
func takesSuper(t *testing.T, d *bed.Daemon) {
	t.Helper()
	bed.Eventually(t, d.Name+": super-frames", func() string {
		if e := d.Edge(); e.Offload != "on" || e.Fault != "" || e.OperStatus != "up" {
			return fmt.Sprintf("%s (%s), %s, fault %q", e.Offload, e.OffloadReason, e.OperStatus, e.Fault)
		}
		return ""
	})
}

// TestSuperFramesThroughFaults: TCP over a wire that loses 1 % arrives octet by octet, over IPv4 and IPv6, while edges
// take super-frames. That is so after, and where the last column says so during, whatever happens to daemon and edge.
func TestSuperFramesThroughFaults(t *testing.T) {
	t.Parallel()
	top := bed.Cabled(t)
	addIPv6(t, top.HostA, hostA6)
	addIPv6(t, top.HostB, hostB6)
	top.Cable("--loss", "0.01")
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", superSettings()), B: bed.NewDaemon(t, top.B, "B", superSettings())}
	p.A.EndsLast()
	p.Start()
	takesSuper(t, p.A)
	takesSuper(t, p.B)
	const octets = 3 << 20
	exchange(t, top.HostA, top.HostB, bed.AddressB, octets)
	exchange(t, top.HostB, top.HostA, hostA6, octets)
	for _, d := range []*bed.Daemon{p.A, p.B} {
		if s := d.Edge().Socket; s.RxSuper == 0 || s.TxSuper == 0 || s.RxSuperMalformed+s.TxSuperRefused > 0 {
			t.Errorf("%s: %+v", d.Name, s)
		}
	}
	ip := func(ns *netns.NS, args ...string) { t.Helper(); bed.Run(t, ns, exec.Command("ip", args...)) }
	ethtool := func(ns *netns.NS, args ...string) {
		t.Helper()
		bed.Run(t, ns, exec.Command("ethtool", append([]string{"-K"}, args...)...))
	}
	for _, f := range []struct {
		name   string
		fault  func()
		during bool // TCP goes on meanwhile
	}{
		{"reload", func() { p.A.Reload(superSettings().Text(p.A.Socket)) }, true},
		{"host's offloads", func() { ethtool(top.HostA, "eth0", "tso", "off", "tx", "off") }, true},
		{"host's offloads on", func() { ethtool(top.HostA, "eth0", "tx", "on", "tso", "on") }, true},
		{"near end's offloads", func() { ethtool(top.A, "edge0", "tso", "off", "tx", "off") }, true},
		{"near end's offloads on", func() { ethtool(top.A, "edge0", "tx", "on", "tso", "on") }, true},
		{"MTU of both ends", func() {
			for _, mtu := range []string{"1400", "1500"} {
				ip(top.HostA, "link", "set", "eth0", "mtu", mtu)
				ip(top.A, "link", "set", "edge0", "mtu", mtu)
			}
		}, true},
		{"down and up", func() {
			ip(top.A, "link", "set", "edge0", "down")
			p.A.OperStatus("edge0", "down")
			ip(top.A, "link", "set", "edge0", "up")
		}, true},
		{"deleted", func() {
			bed.Must(t, top.A.DeleteLink("edge0"))
			p.A.OperStatus("edge0", "absent")
			top.RemakeEdge()
			bed.Must(t, top.HostA.AddAddr("eth0", bed.AddressA+"/24"))
			forget(t, top.HostB)
		}, false},
		{"renamed", func() {
			ip(top.A, "link", "set", "edge0", "name", "other0")
			ip(top.A, "link", "set", "other0", "name", "edge0")
		}, false},
		{"moved", func() {
			ip(top.A, "link", "set", "edge0", "netns", top.HostB.Name(), "name", "moved0")
			p.A.OperStatus("edge0", "absent")
			ip(top.HostB, "link", "set", "moved0", "netns", top.A.Name(), "name", "edge0")
			ip(top.A, "link", "set", "edge0", "up")
		}, false},
		{"killed", func() {
			pid := p.A.PID()
			bed.Must(t, syscall.Kill(pid, syscall.SIGKILL))
			<-p.A.Ended
			ownStackIsSilent(t, top)
			p.A.Start()
			p.Advance()
		}, false},
		{"upgrade", func() { p.A.Upgrade() }, true},
	} {
		var running sync.WaitGroup
		if f.during {
			running.Go(func() { exchange(t, top.HostA, top.HostB, bed.AddressB, octets) })
		}
		f.fault()
		running.Wait()
		t.Log(f.name)
		takesSuper(t, p.A)
		exchange(t, top.HostB, top.HostA, bed.AddressA, 300_000)
		if t.Failed() {
			t.Fatalf("%s: %+v", f.name, p.A.Edge())
		}
	}
}

// ownStackIsSilent demands that the network stack beside a daemon that was killed does not answer its host.
func ownStackIsSilent(t *testing.T, top *bed.Topology) {
	t.Helper()
	const address = "10.77.0.77"
	bed.Must(t, top.A.AddAddr("edge0", address+"/24"))
	bed.Must(t, top.HostA.Do(func() error {
		if exec.Command("ping", "-c", "1", "-W", "1", address).Run() == nil {
			t.Error("with the daemon killed, the kernel answers hostA at the edge")
		}
		return nil
	}))
	bed.Run(t, top.A, exec.Command("ip", "addr", "del", address+"/24", "dev", "edge0"))
}

// TestEdgeWithSuperFramesIsTaken: a second daemon does not get an interface that takes super-frames, though no XDP
// program is on it.
func TestEdgeWithSuperFramesIsTaken(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	p := top.Daemons(superSettings())
	takesSuper(t, p.A)
	bed.Must(t, netns.Veth(top.A, "link1", top.B, "link1", bed.LinkMTU))
	second := bed.NewDaemon(t, top.A, "second", onLink1{})
	second.Launch()
	second.Refused(3, "edge0", "in use by another uelinkd", fmt.Sprint(p.A.PID()))
	exchange(t, top.HostA, top.HostB, bed.AddressB, 100_000)
}

// onLink1 is a configuration with the edge of others and a link of its own.
type onLink1 struct{}

// Text returns the configuration.
func (onLink1) Text(socket string) string {
	return fmt.Sprintf(`control: {socket: %q}
log: {format: json}
ports:
  - {name: link1, interface: link1, role: link}
  - {name: edge0, interface: edge0, role: edge}
xconnects: [{edge: edge0, link: link1}]
`, socket)
}

// TestManyConnectionsOfSuperFrames: 64 connections at once arrive whole beside a flood of UDP, and the receive buffer
// has room for all of TCP.
func TestManyConnectionsOfSuperFrames(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	p := top.Daemons(superSettings())
	takesSuper(t, p.A)
	takesSuper(t, p.B)
	var running sync.WaitGroup
	for range 64 {
		running.Go(func() { exchange(t, top.HostA, top.HostB, bed.AddressB, 200_000) })
	}
	running.Wait()
	for _, d := range []*bed.Daemon{p.A, p.B} {
		if s := d.Edge().Socket; s.RxSuperNoRoom > 0 {
			t.Errorf("%s: %d frames of TCP found no room", d.Name, s.RxSuperNoRoom)
		}
	}
	flood(t, top)
	exchange(t, top.HostA, top.HostB, bed.AddressB, 100_000)
	takesSuper(t, p.A)
	p.NoFlush(t)
}

// flood sends UDP from hostA to hostB for a second as fast as a process can.
func flood(t *testing.T, top *bed.Topology) {
	t.Helper()
	bed.RequireProgram(t, "iperf3", "iperf3")
	server := bed.Start(t, top.HostB, "iperf3 server", exec.Command("iperf3", "-s", "-1", "-B", bed.AddressB))
	bed.Eventually(t, "iperf3 that listens", func() string {
		if bed.Run(t, top.HostB, exec.Command("ss", "-Hltn", "sport", "=", ":5201")) == "" {
			return "it does not"
		}
		return ""
	})
	bed.Run(t, top.HostA, exec.Command("iperf3", "-c", bed.AddressB, "-u", "-b", "0", "-t", "1"))
	server.Wait()
}

// TestCreatedEdgeWithSuperFrames: a host beside the daemon has super-frames, too, instead of push back.
func TestCreatedEdgeWithSuperFrames(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	for _, ns := range []*netns.NS{top.A, top.B} {
		bed.Must(t, ns.DeleteLink("edge0"))
	}
	p := bed.Pair{
		A: bed.NewDaemon(t, top.A, "A", bed.CreatedEdge(superSettings(), bed.AddressA)),
		B: bed.NewDaemon(t, top.B, "B", bed.CreatedEdge(superSettings(), bed.AddressB)),
	}
	p.Start()
	takesSuper(t, p.A)
	takesSuper(t, p.B)
	exchange(t, top.A, top.B, bed.AddressB, 3<<20)
	if s := p.A.Edge().Socket; s.RxSuper == 0 || s.TxSuper == 0 {
		t.Errorf("%+v", s)
	}
	exchange(t, top.B, top.A, bed.AddressA, 300_000)
}
