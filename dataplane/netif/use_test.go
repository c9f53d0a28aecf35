package netif

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"uelink/internal/netns/nstest"
)

// Which uses count as the host's, and which interfaces count as the way to the host.
func TestUse(t *testing.T) {
	for _, c := range []struct {
		name       string
		ssh        string
		commands   []string
		text       string
		management bool
	}{
		{name: "nothing"},
		{name: "address", commands: []string{"address add 10.5.0.1/24 dev near"}, text: "the address 10.5.0.1/24"},
		{name: "link-local of IPv6", commands: []string{"address add fe80::5/64 dev near"}},
		{name: "default route", commands: []string{"address add 10.5.0.1/24 dev near", "route add default via 10.5.0.2"},
			text: "the address 10.5.0.1/24, the default route", management: true},
		{name: "default route of IPv6", commands: []string{"route add default via fe80::2 dev near"},
			text: "the default route", management: true},
		{name: "two hops", commands: []string{"address add 10.5.0.1/24 dev near",
			"route add default nexthop via 10.5.0.2 nexthop via 10.5.0.3"},
			text: "the address 10.5.0.1/24, the default route", management: true},
		{name: "ssh", ssh: "192.0.2.9 50000 10.5.0.1 22", commands: []string{"address add 10.5.0.1/24 dev near"},
			text: "the address 10.5.0.1/24, the ssh connection in use", management: true},
		{name: "ssh elsewhere", ssh: "192.0.2.9 50000 10.6.0.1 22", commands: []string{"address add 10.5.0.1/24 dev near"},
			text: "the address 10.5.0.1/24"},
		{name: "master", commands: []string{"link add br0 type bridge", "link set near master br0", "link set br0 up",
			"address add 10.5.0.1/24 dev br0", "route add default via 10.5.0.2"},
			text: "the address 10.5.0.1/24, the default route, the master br0", management: true},
		{name: "on top of it", commands: []string{"link add mv0 link near type macvlan", "address add 10.5.0.1/24 dev mv0"},
			text: "the address 10.5.0.1/24, the upper interface mv0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv(sshVariable, c.ssh)
			w := newWorld(t)
			w.ipv6()
			for _, command := range c.commands {
				w.ip(command)
			}
			w.do(func() {
				i := w.mustOwn()
				defer i.Release()
				use, err := i.Use()
				if err != nil || use.String() != c.text || use.Any() != (c.text != "") || use.Management() != c.management {
					t.Errorf("%q, %+v, %v; want %q", use, use, err, c.text)
				}
			})
		})
	}
}

// The two ends of a veth name each other; neither is on top of the other.
func TestEndsOfAVethInOneNamespace(t *testing.T) {
	w := newWorld(t)
	w.ip("link add one type veth peer name two")
	w.ip("address add 10.5.0.1/24 dev two")
	w.do(func() {
		i, err := OpenRecords("", w.log).Own("one", w.log)
		must(t, err)
		if use, err := i.Use(); err != nil || use.Any() {
			t.Errorf("%+v, %v", use, err)
		}
	})
}

// ip runs iproute2 in the namespace of "near".
func (w *world) ip(command string) {
	w.t.Helper()
	if _, err := exec.LookPath("ip"); err != nil {
		nstest.Missing(w.t, "ip (Debian package iproute2: make deps)")
	}
	cmd := exec.Command("ip", strings.Fields(command)...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := w.near.Run(cmd); err != nil {
		w.t.Fatalf("ip %s: %v: %s", command, err, &out)
	}
}

// The third of the four words is this host's address.
func TestServerAddress(t *testing.T) {
	for value, want := range map[string]string{
		"192.0.2.9 50000 10.5.0.1 22":               "10.5.0.1",
		"2001:db8::9 50000 2001:db8::1 22":          "2001:db8::1",
		"fe80::9%eth0 50000 fe80::1%eth0 22":        "fe80::1",
		"::ffff:192.0.2.9 50000 ::ffff:10.5.0.1 22": "10.5.0.1",
		"": "", "10.5.0.1": "", "a b c d": "", "1 2 3": "",
	} {
		a, ok := serverAddress(value)
		if ok != (want != "") || ok && a.String() != want {
			t.Errorf("%q: %v %v, want %q", value, a, ok, want)
		}
	}
}

func TestParent(t *testing.T) {
	if got := parent(1); got != 0 {
		t.Errorf("the parent of process 1 is %d", got)
	}
	if got := parent(1 << 30); got != 0 {
		t.Errorf("the parent of a process that is not there is %d", got)
	}
	own := exec.Command("sleep", "60")
	must(t, own.Start())
	defer func() { _ = own.Process.Kill(); _ = own.Wait() }()
	if got := parent(own.Process.Pid); got != os.Getpid() {
		t.Errorf("the parent of a child is %d, not %d", got, os.Getpid())
	}
}

// ipv6 switches IPv6 on for "near".
func (w *world) ipv6() {
	w.t.Helper()
	must(w.t, w.near.Do(func() error {
		return os.WriteFile("/proc/sys/net/ipv6/conf/near/disable_ipv6", []byte("0"), 0)
	}))
}

// Addresses and default routes that come and go are reported, also a change while an earlier signal is still
// unread.
func TestChangesOfUsesAreTold(t *testing.T) {
	w := newWorld(t)
	ctx, stop := context.WithCancel(t.Context())
	var changed <-chan struct{}
	w.do(func() {
		var err error
		changed, err = WatchUses(ctx)
		must(t, err)
	})
	for _, command := range []string{"address add 10.5.0.1/24 dev near", "route add default via 10.5.0.2",
		"route del default", "address del 10.5.0.1/24 dev near"} {
		w.ip(command)
		select {
		case _, open := <-changed:
			if !open {
				t.Fatalf("%s: it ended", command)
			}
		case <-time.After(10 * time.Second):
			t.Errorf("%s: nothing is told", command)
		}
	}
	stop()
	for open := true; open; {
		select {
		case _, open = <-changed:
		case <-time.After(10 * time.Second):
			t.Fatal("it does not end")
		}
	}
}

func TestMessagesThatChangeUses(t *testing.T) {
	for _, c := range []struct {
		kind    uint16
		data    []byte
		changes bool
	}{
		{unix.RTM_NEWADDR, nil, true},
		{unix.RTM_DELADDR, nil, true},
		{unix.RTM_NEWROUTE, []byte{unix.AF_INET, 0}, true},
		{unix.RTM_DELROUTE, []byte{unix.AF_INET6, 0}, true},
		{unix.RTM_NEWROUTE, []byte{unix.AF_INET, 24}, false},
		{unix.RTM_NEWROUTE, []byte{unix.AF_INET}, false},
		{unix.RTM_NEWLINK, []byte{0, 0}, false},
	} {
		m := syscall.NetlinkMessage{Header: syscall.NlMsghdr{Type: c.kind}, Data: c.data}
		if got := changesUse(m); got != c.changes {
			t.Errorf("type %d, % x: %t", c.kind, c.data, got)
		}
	}
}
