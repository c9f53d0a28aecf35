package cable

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"

	"uelink/dataplane/fault"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

// couple is two hosts joined by a veth without anything between them, as a container and its host:
//
//	left: host0 --- a :middle
type couple struct {
	*bench
	place string // of the namespace on the left
}

func newCouple(t testing.TB) *couple {
	b := &bench{t: t, middle: nstest.New(t, "near")}
	ns := nstest.New(t, "far")
	must(t, netns.Veth(ns, "host0", b.middle, "a", 1500))
	b.hosts[0] = &station{t: t, ns: ns}
	b.hosts[1] = &station{t: t, ns: b.middle}
	for i, ifname := range []string{"host0", "a"} {
		must(t, b.hosts[i].ns.Do(func() error { return b.hosts[i].open(ifname) }))
		must(t, b.hosts[i].ns.AddAddr(ifname, fmt.Sprintf("10.97.0.%d/24", i+1)))
	}
	return &couple{b, ns.Path()}
}

// A packet socket at the losing end sees lost frames too: only the stack does not get them.
func TestOneInterfaceLosesWhatArrives(t *testing.T) {
	const n = 3000
	for name, c := range map[string]Config{
		"tcx": {}, "clsact": {noTCX: true}, "peer": {Peer: "NETNS:host0"}, "peer, clsact": {Peer: "NETNS:host0", noTCX: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := newCouple(t)
			c.A, c.Fault = "a", fault.Config{Loss: 0.1, Seed: 3}
			c.Peer = strings.ReplaceAll(c.Peer, "NETNS", b.place)
			cable, stop := b.plug(c)
			for from := range cable.ends {
				to := 1 - from
				got := b.datagrams(from, n)
				var d Direction
				for _, d = range report(t, cable).Directions {
					if d.From == "a" == (to == 1) {
						break
					}
				}
				if d.Forwarded-uint64(got) > 10 || d.To != "host" { // ARP of the hosts
					t.Errorf("to host %d: %d datagrams, counted %+v", to, got, d)
				}
				near(t, "dropped", d.Dropped, d.Dropped+d.Forwarded, 0.1, 1)
			}
			stop()
			if program, promiscuity := b.taken("a"); program || promiscuity != 0 {
				t.Errorf("a is left with a program: %v, promiscuity %d", program, promiscuity)
			}
		})
	}
}

// datagrams sends n datagrams from one host to the other and returns how many the other's stack has received. Few are
// under way at a time, so that no queue overruns.
func (b *couple) datagrams(from, n int) (got int) {
	b.t.Helper()
	to := 1 - from
	address := fmt.Sprintf("10.97.0.%d:97", to+1)
	var server net.PacketConn
	must(b.t, b.hosts[to].ns.Do(func() (err error) {
		server, err = net.ListenPacket("udp4", address)
		return err
	}))
	defer server.Close()
	raw, err := server.(*net.UDPConn).SyscallConn()
	must(b.t, err)
	must(b.t, raw.Control(func(fd uintptr) {
		err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, 64<<20)
	}))
	must(b.t, err)
	var client net.Conn
	must(b.t, b.hosts[from].ns.Do(func() (err error) {
		client, err = net.Dial("udp4", address)
		return err
	}))
	defer client.Close()
	buf := make([]byte, 16)
	for range n {
		_, err := client.Write([]byte("data"))
		must(b.t, err)
		must(b.t, server.SetReadDeadline(time.Now().Add(100*time.Microsecond)))
		if _, _, err := server.ReadFrom(buf); err == nil {
			got++
		}
	}
	must(b.t, server.SetReadDeadline(time.Now().Add(100*time.Millisecond)))
	for {
		if _, _, err := server.ReadFrom(buf); err != nil {
			return got
		}
		got++
	}
}

func TestOneInterfaceCarriesTCPWithLoss(t *testing.T) {
	b := newCouple(t)
	cable, stop := b.plug(Config{A: "a", Peer: b.place + ":host0", Fault: fault.Config{Loss: 0.02}})
	must(t, b.tcp(3_000_000))
	stop()
	for _, d := range report(t, cable).Directions {
		if d.Dropped == 0 || d.SuperFrames > 0 && d.From == "a" {
			t.Errorf("counted %+v", d)
		}
	}
}

// An interface that is lost ends the cable with an error that says how.
func TestLostInterfaceEndsTheCable(t *testing.T) {
	for name, c := range map[string]struct {
		lose func(b *couple) error
		want string
	}{
		"renamed": {func(b *couple) error { return rename(b.middle, "a", "a2") }, "a was renamed to a2"},
		"moved": {func(b *couple) error { return ip(b.middle, "link set dev a netns "+b.hosts[0].ns.Name()) },
			"a is gone (deleted"},
		"deleted": {func(b *couple) error { return b.middle.DeleteLink("a") }, "is gone (deleted"},
		"peer renamed": {func(b *couple) error { return rename(b.hosts[0].ns, "host0", "eth9") },
			":host0 was renamed to eth9"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newCouple(t)
			var cable *Cable
			must(t, b.middle.Do(func() (err error) {
				cable, err = Open(Config{A: "a", Peer: b.place + ":host0", Fault: fault.Config{Loss: 1}})
				return err
			}))
			must(t, c.lose(b))
			if err := cable.Run(context.Background()); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Run: %v", err)
			}
			must(t, cable.Close())
		})
	}
}

// ip runs the command ip in a namespace.
func ip(n *netns.NS, args string) error {
	cmd, output := exec.Command("ip", strings.Fields(args)...), bytes.Buffer{}
	cmd.Stderr = &output
	if err := n.Run(cmd); err != nil {
		return fmt.Errorf("ip %s: %w: %s", args, err, output.String())
	}
	return nil
}

// rename gives an interface another name.
func rename(n *netns.NS, from, to string) error {
	return errors.Join(n.SetLink(from, false), ip(n, "link set dev "+from+" name "+to))
}

func TestPeerWhoseNamespaceIsGone(t *testing.T) {
	b := newCouple(t)
	for peer, want := range map[string]string{
		"none:eth0":          "there is no such network namespace",
		"/none:eth0":         "there is no such network namespace",
		b.place + ":missing": "there is no such interface",
	} {
		if err := b.fails(Config{A: "a", Peer: peer}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", peer, err)
		}
	}
	if err := b.fails(Config{A: "a", Peer: b.middle.Path() + ":a"}); err == nil ||
		!strings.Contains(err.Error(), "another") {
		t.Errorf("the interface itself as peer: %v", err)
	}
}

func TestTwoCablesOnOneInterface(t *testing.T) {
	for name, c := range map[string]Config{"split": {A: "a"}, "keep": {A: "a", KeepGSO: true}} {
		t.Run(name, func(t *testing.T) {
			b := newCouple(t)
			_, stop := b.plug(c)
			if err := b.fails(c); err == nil || !strings.Contains(err.Error(), "another") ||
				!strings.Contains(err.Error(), "uelink_cable") {
				t.Errorf("%v", err)
			}
			stop()
		})
	}
}

func TestExtremeShares(t *testing.T) {
	const n = 500
	for _, loss := range []float64{0, 1e-9, 1} {
		b := newCouple(t)
		cable, stop := b.plug(Config{A: "a", Fault: fault.Config{Loss: loss}})
		for range n {
			b.hosts[0].send(numbered(1, 60))
		}
		stop()
		want := fault.Counters{Forwarded: n}
		if loss == 1 {
			want = fault.Counters{Dropped: n}
		}
		if d := report(t, cable).Directions[0].Counters; d != want {
			t.Errorf("loss %v: counted %+v", loss, d)
		}
	}
}

// With --wait a process waits for interfaces that come later, and for a namespace that comes later.
func TestProcessWaitsForItsInterfaces(t *testing.T) {
	b := newCouple(t)
	must(t, rename(b.middle, "a", "later"))
	p := b.start("-o json --loss 1 --wait later --peer " + b.place + ":host0")
	if text := p.line(t); text != `{"event":"waiting","interfaces":["later"]}` {
		t.Errorf("said %q", text)
	}
	must(t, b.middle.SetLink("later", true))
	if text := p.line(t); !strings.Contains(text, `"event":"ready"`) {
		t.Errorf("said %q", text)
	}
	must(t, p.Process.Signal(syscall.SIGTERM))
	must(t, p.Wait())

	p = b.start("--wait never")
	if text := p.line(t); text != "waiting for never" {
		t.Errorf("said %q", text)
	}
	must(t, p.Process.Signal(syscall.SIGTERM))
	var exit *exec.ExitError
	if err := p.Wait(); !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("ended with %v", err)
	}
}

// A container's namespace has no name: its process names it. The cable does not keep it alive, and ends with it.
func TestPeerByItsProcess(t *testing.T) {
	b := newCouple(t)
	container := exec.Command("sleep", "600")
	must(t, b.hosts[0].ns.Start(container))
	must(t, b.hosts[0].ns.Unname())
	peer := fmt.Sprintf("%d:host0", container.Process.Pid)
	var cable *Cable
	must(t, b.middle.Do(func() (err error) {
		cable, err = Open(Config{A: "a", Peer: peer, Fault: fault.Config{Loss: 0.02}})
		return err
	}))
	must(t, b.tcp(1_000_000))
	for _, d := range report(t, cable).Directions {
		if d.Forwarded == 0 {
			t.Errorf("counted %+v", d)
		}
	}
	must(t, container.Process.Kill())
	_ = container.Wait() // killed
	if err := cable.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "is gone with its network") {
		t.Errorf("Run: %v", err)
	}
	must(t, cable.Close())
}

// A killed process leaves no program on its interfaces.
func TestKilledProcessLeavesNoProgram(t *testing.T) {
	b := newCouple(t)
	p := b.start("-o json --loss 1 a --peer " + b.place + ":host0")
	if text := p.line(t); !strings.Contains(text, `"event":"ready"`) {
		t.Errorf("said %q", text)
	}
	must(t, p.Process.Kill())
	p.Wait()
	for i, ifname := range []string{"host0", "a"} {
		ns := b.hosts[i].ns
		index, err := ns.Ifindex(ifname)
		must(t, err)
		eventually(t, "no program on "+ifname, func() bool {
			left := -1
			must(t, ns.Do(func() error {
				l, err := ns.Link(ifname)
				if err != nil {
					return err
				}
				found, err := link.QueryPrograms(link.QueryOptions{Target: index, Attach: ebpf.AttachTCXIngress})
				if err == nil {
					left = len(found.Programs)
				}
				if l.Xdp != nil && l.Xdp.Attached {
					left++
				}
				return err
			}))
			return left == 0
		})
	}
}
