package station_test

import (
	"context"
	"encoding/hex"
	"os/exec"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lldp"
	"uelink/lldp/agent"
	"uelink/lldp/station"
)

// patience is how long a test waits for what takes real time at most.
const patience = 20 * time.Second

// world is two namespaces joined by a veth.
type world struct{ a, b *netns.NS }

func newWorld(t *testing.T) world {
	w := world{nstest.New(t, "a"), nstest.New(t, "b")}
	must(t, netns.Veth(w.a, "left", w.b, "right", 1500))
	return w
}

// veth joins the namespaces again.
func (w world) veth(t *testing.T) {
	t.Helper()
	must(t, netns.Veth(w.a, "left", w.b, "right", 1500))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// running is the agents of a namespace with the events since they were opened.
type running struct {
	*station.Agents
	events <-chan agent.Event
	thread int // that Run is on
}

// start opens agents in a namespace, with a host name of their own, and runs them until the test ends.
func start(t *testing.T, ns *netns.NS, c station.Config) *running {
	t.Helper()
	r := &running{}
	opened := make(chan error)
	ended := make(chan error, 1)
	ctx, stop := context.WithCancel(context.Background())
	go func() {
		ended <- ns.Do(func() error {
			if err := unix.Unshare(unix.CLONE_NEWUTS); err != nil {
				opened <- err
				return err
			}
			agents, err := station.Open(c, zap.NewNop())
			r.Agents, r.thread = agents, unix.Gettid()
			if err == nil {
				r.events, _ = agents.Subscribe()
			}
			opened <- err
			if err != nil {
				return err
			}
			return agents.Run(ctx)
		})
	}()
	must(t, <-opened)
	t.Cleanup(func() {
		stop()
		must(t, <-ended)
		must(t, r.Close())
	})
	return r
}

// on is a configuration with one port.
func on(ifname string) station.Config {
	return station.Config{System: station.System{Name: "host-" + ifname, Description: "a test",
		Chassis: policy("local:chassis-" + ifname)}, Ports: []station.Port{{Name: "port0", Interface: ifname}}}
}

func policy(s string) lldp.Policy {
	p, err := lldp.ParseChassisPolicy(s)
	if err != nil {
		panic(err)
	}
	return p
}

// expect waits for an event of that kind.
func (r *running) expect(t *testing.T, kind string) agent.Event {
	t.Helper()
	late := time.After(patience)
	seen := []string{}
	for {
		select {
		case e := <-r.events:
			if e.Kind == kind {
				return e
			}
			seen = append(seen, e.Kind+" "+e.Text)
		case <-late:
			t.Fatalf("no event %s in %v, but %q", kind, patience, seen)
		}
	}
}

// expectText waits for an event of that kind and text.
func (r *running) expectText(t *testing.T, kind, text string) {
	t.Helper()
	for r.expect(t, kind).Text != text {
	}
}

// waitUp waits until every interface can be used.
func (r *running) waitUp(t *testing.T) {
	t.Helper()
	eventually(t, "the interfaces are up", func() bool {
		for _, i := range r.Interfaces() {
			if i.RxState != lldp.RxWaitForFrame {
				return false
			}
		}
		return true
	})
}

// eventually waits for something that no event tells.
func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("not in %v: %s", patience, what)
		}
	}
}

// injector sends raw frames on an interface.
type injector struct{ fd int }

func newInjector(t *testing.T, ns *netns.NS, ifname string) *injector {
	t.Helper()
	i := &injector{}
	must(t, ns.Do(func() (err error) {
		i.fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
		return err
	}))
	index, err := ns.Ifindex(ifname)
	must(t, err)
	must(t, unix.Bind(i.fd, &unix.SockaddrLinklayer{Ifindex: index}))
	t.Cleanup(func() { unix.Close(i.fd) })
	return i
}

// send waits while the interface has no room.
func (i *injector) send(t testing.TB, frame []byte) {
	t.Helper()
	for {
		_, err := unix.Write(i.fd, frame)
		if err == nil {
			return
		}
		if err != unix.ENOBUFS && err != unix.EAGAIN && err != unix.EINTR {
			t.Fatal(err)
		}
	}
}

// ip runs iproute2 in a namespace, for what package netns has no call for.
func ip(t *testing.T, ns *netns.NS, args ...string) {
	t.Helper()
	path, err := exec.LookPath("ip")
	if err != nil {
		nstest.Missing(t, "iproute2")
	}
	cmd := exec.Command(path, args...)
	out := &limited{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := ns.Run(cmd); err != nil {
		t.Fatalf("ip %v: %v: %s", args, err, out.text)
	}
}

// limited keeps the beginning of what a program says.
type limited struct{ text []byte }

func (l *limited) Write(b []byte) (int, error) {
	l.text = append(l.text, b[:min(len(b), 64<<10-min(len(l.text), 64<<10))]...)
	return len(b), nil
}

func (l *limited) String() string { return string(l.text) }

// octets reads hexadecimal with blanks.
func octets(t *testing.T, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	must(t, err)
	return b
}
