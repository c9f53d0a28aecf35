package edges

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"uelink/dataplane/ethtool"
	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// createdLink is a link beside the network of host A, whose edge is a veth that the daemon makes.
type createdLink struct {
	bed.Pair
	top          *bed.Topology
	before       string      // the network of host A without the daemon
	ssh, through *connection // over the NICs, and over the link
}

// TestCreatedInterfaceLivesOn: the host's connections over its NIC and over the link survive reloads, kills and starts.
func TestCreatedInterfaceLivesOn(t *testing.T) {
	t.Parallel()
	top := nics(t)
	top.Cable()
	l := createdLink{top: top, before: network(t, top.A), ssh: dial(top, nicB)}
	l.Pair = beside(top, bed.Lossless)
	l.through = dial(top, bed.AddressB)
	l.lives("after the start")
	index, err := top.A.Ifindex("uelink0")
	bed.Must(t, err)
	l.survivesAKill()
	l.survivesReloads(t)
	if now, err := top.A.Ifindex("other0"); err != nil || now != index {
		t.Errorf("interface %d became %d, %v", index, now, err)
	}
	l.survivesDeletion(t)
	l.growsWithTheLink(t)
	l.keepsOffloadsOff(t)
	l.startsWithAnotherName(t)
	if code := l.A.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if out := l.A.Down(); out != "removed edge9 and its other end\n" {
		t.Errorf("uelink down: %s", out)
	}
	l.ssh.lives("after the end")
	same(t, top.A, l.before, false)
}

// lives demands that both connections are open, and that host A has its network and one veth.
func (l *createdLink) lives(when string) {
	t := l.top.T
	t.Helper()
	l.through.lives(when)
	l.ssh.lives(when)
	same(t, l.top.A, l.before, true)
	if n := strings.Count(bed.Run(t, l.top.A, exec.Command("ip", "-o", "link")), "@edge0"); n != 1 {
		t.Errorf("%s there are %d veths for the host", when, n)
	}
}

func (l *createdLink) survivesAKill() {
	l.A.Kill()
	l.ssh.lives("after it was killed")
	l.A.Start()
	l.Advance()
	l.lives("after it was killed and started")
	l.A.AwaitLogLines("took over the existing veth for the host")
}

// survivesReloads gives the veth one more address, then another name.
func (l *createdLink) survivesReloads(t *testing.T) {
	more := bed.CreatedEdge(bed.Lossless, bed.AddressA)
	more.Edge = strings.Replace(more.Edge, bed.AddressA+"/24", bed.AddressA+"/24, 10.99.0.1/24", 1)
	l.A.Reload(more.Text(l.A.Socket))
	l.lives("with one more address")
	if out := addresses(t, l.top.A, "uelink0"); !strings.Contains(out, "10.99.0.1/24") {
		t.Error(out)
	}
	l.A.Reload(strings.Replace(bed.CreatedEdge(bed.Lossless, bed.AddressA).Text(l.A.Socket), "uelink0", "other0", 1))
	l.lives("with another name")
	if out := addresses(t, l.top.A, "other0"); strings.Contains(out, "10.99.0.1/24") {
		t.Error(out)
	}
}

// survivesDeletion demands that a veth that somebody deletes is made again.
func (l *createdLink) survivesDeletion(t *testing.T) {
	bed.Must(t, l.top.A.DeleteLink("edge0"))
	bed.Eventually(t, "the veth again", func() string {
		if _, err := l.top.A.Ifindex("other0"); err != nil {
			return err.Error()
		}
		return l.A.Advances()
	})
	l.lives("after somebody deleted it")
}

// growsWithTheLink demands that the veth's MTU follows that of the link.
func (l *createdLink) growsWithTheLink(t *testing.T) {
	for _, n := range []*netns.NS{l.top.A, l.top.B} {
		bed.Must(t, n.SetMTU("link0", 1600))
	}
	bed.Eventually(t, "the new MTU", func() string {
		at, err := l.top.A.Link("other0")
		if err == nil && at.MTU != 1600-wire.Overhead {
			err = fmt.Errorf("it is %d", at.MTU)
		}
		return text(err)
	})
	bed.Must(t, l.top.A.SetMTU("link0", bed.EdgeMTU))
}

// keepsOffloadsOff demands that an offload that somebody switches on goes off again.
func (l *createdLink) keepsOffloadsOff(t *testing.T) {
	bed.Must(t, l.top.A.Do(func() error {
		_, _, err := ethtool.Enable("other0", []string{"tx-checksum-ip-generic"})
		return err
	}))
	bed.Eventually(t, "offloads that are off", func() string {
		if slices.Contains(bed.Offloads(t, l.top.A, "other0"), "tx-checksum-ip-generic") {
			return "checksums are left to the NIC"
		}
		return ""
	})
	l.lives("after offloads were switched on")
}

// startsWithAnotherName demands that a start after a kill removes the veth that the configuration no longer names.
func (l *createdLink) startsWithAnotherName(t *testing.T) {
	l.A.Kill()
	l.A.HasNoXDP()
	other := bed.Settings{Edge: "create: true, host_interface: uelink9"}.Text(l.A.Socket)
	l.A.Write(strings.Replace(other, "interface: edge0", "interface: edge9", 1))
	l.A.Start()
	out := bed.Run(t, l.top.A, exec.Command("ip", "-o", "link"))
	if strings.Contains(out, "other0") || strings.Contains(out, "edge0") || !strings.Contains(out, "uelink9@edge9") {
		t.Errorf("after a start with another name:\n%s", out)
	}
}

// addresses is those of an interface.
func addresses(t testing.TB, ns *netns.NS, ifname string) string {
	t.Helper()
	return bed.Run(t, ns, exec.Command("ip", "address", "show", "dev", ifname))
}
