package bed

import (
	"os/exec"
	"strings"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

// Replaced is a link of two ends with created edges, whose hosts are in their namespaces. End A can be replaced by
// another one with the same addresses, in another namespace and with a state of its own, as a container is. An
// addressed link crosses a bridge; a transparent one, which no bridge forwards, is one veth.
type Replaced struct {
	Pair
	t       testing.TB
	link    string    // keys of the link ports
	program string    // program uelinkd of end A; "": the program under test
	wire    *netns.NS // namespace of the bridge between the links; nil: no bridge
	b       *netns.NS
	end     func() // ends the services of host A
}

// NewReplaced starts both ends, and waits until LLR runs between them. program is the path of uelinkd for end A, "" for
// the one under test. link has keys of the link ports; with encapsulation: addressed, a bridge joins the links.
func NewReplaced(t testing.TB, program, link string) *Replaced {
	t.Helper()
	r := &Replaced{t: t, link: link, program: program, b: nstest.New(t, "B")}
	if strings.Contains(link, "addressed") {
		InstalledProgram(t, "ip", "iproute2")
		r.wire = nstest.New(t, "wire")
		r.ip("link add br0 type bridge")
		r.ip("link set dev br0 up")
		r.join(r.b, "b")
	}
	r.A = r.place("")
	r.B = NewDaemon(t, r.b, "B", CreatedLink(link, CreatedB, CreatedB6))
	r.B.Start()
	r.A.Start()
	r.Advance()
	return r
}

// ip runs the command ip with arguments in the bridge's namespace.
func (r *Replaced) ip(args string) {
	r.t.Helper()
	Run(r.t, r.wire, exec.Command("ip", strings.Fields(args)...))
}

// join gives a namespace an interface link0, whose other end is a port of the bridge.
func (r *Replaced) join(ns *netns.NS, port string) {
	r.t.Helper()
	Must(r.t, netns.Veth(ns, "link0", r.wire, port, EdgeMTU))
	r.ip("link set dev " + port + " master br0")
}

// place makes a new namespace for end A, with the link and the services of host A, and returns a daemon that is not yet
// started. address is the hardware address of the link's interface, "" for a random one. r.end then ends the services.
func (r *Replaced) place(address string) *Daemon {
	r.t.Helper()
	a := nstest.New(r.t, "A")
	if r.wire != nil {
		r.join(a, "a")
	} else {
		Must(r.t, netns.Veth(a, "link0", r.b, "link0", EdgeMTU))
	}
	if address != "" {
		Run(r.t, a, exec.Command("ip", "link", "set", "dev", "link0", "address", address))
	}
	r.end = Echo(r.t, a)
	d := NewDaemon(r.t, a, "A", CreatedLink(r.link, CreatedA, CreatedA6))
	d.Binary = r.program
	return d
}

// takesNobodyElse is how long a link refuses another partner after it last heard the present one (partner.Silence).
const takesNobodyElse = 3 * time.Second

// Replace kills end A with everything in its namespace, starts another end A, and returns the time when the latter was
// ready. Between the two it waits until end B has given up its partner (some 3 s), because a new container takes longer
// than that.
func (r *Replaced) Replace() (ready time.Time) {
	r.t.Helper()
	return r.replace(takesNobodyElse, "")
}

// ReplaceAtOnce is Replace without the wait.
func (r *Replaced) ReplaceAtOnce() (ready time.Time) {
	r.t.Helper()
	return r.replace(0, "")
}

// ReplaceAlike is Replace without the wait, and the link of the new end A has the hardware address of the old one.
func (r *Replaced) ReplaceAlike() (ready time.Time) {
	r.t.Helper()
	return r.replace(0, r.address("link0"))
}

// replace kills end A, and after a wait starts another end A, whose link has the given hardware address. It returns the
// time at which the new daemon was ready.
func (r *Replaced) replace(wait time.Duration, address string) (ready time.Time) {
	r.t.Helper()
	r.A.Kill()
	time.Sleep(wait)
	r.end()
	if r.wire != nil {
		Must(r.t, r.wire.DeleteLink("a"))
	} else {
		Must(r.t, r.b.DeleteLink("link0"))
	}
	r.A = r.place(address)
	return r.A.Start()
}

// MAC returns the hardware address of host A.
func (r *Replaced) MAC() string {
	r.t.Helper()
	return r.address("uelink0")
}

// address returns the hardware address of an interface at end A.
func (r *Replaced) address(ifname string) string {
	r.t.Helper()
	l, err := r.A.NS.Link(ifname)
	Must(r.t, err)
	return l.HardwareAddr.String()
}
