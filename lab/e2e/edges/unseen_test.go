package edges

import (
	"errors"
	"flag"
	"os"
	"testing"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
	"uelink/wire"
)

var superOctets = flag.Int64("super.octets", 4<<20, "octets of each stream of TCP between hosts with super-frames")

// unseen is two hosts behind edges that take super-frames, over a link whose wire loses 1 %.
type unseen struct {
	*testing.T
	top          *bed.Topology
	pair         bed.Pair
	hostA        *netns.NS
	hostB        *netns.NS
	seenA, seenB *sight
}

// TestHostsSeeNoCut: hosts that send and receive super-frames see the octets, headers and datagrams that they would see
// behind one wire, also where a super-frame must not be cut or joined as others are.
func TestHostsSeeNoCut(t *testing.T) {
	t.Parallel()
	for _, offload := range []string{"on", "auto"} {
		t.Run(offload, func(t *testing.T) {
			t.Parallel()
			u := newUnseen(t, "offload: "+offload)
			for _, c := range []struct {
				name string
				do   func(*unseen)
			}{
				{"streams", (*unseen).streams},
				{"half close", (*unseen).halfClose},
				{"urgent octets", (*unseen).urgent},
				{"IP options", (*unseen).options},
				{"timestamps", (*unseen).timestamps},
				{"ECN", (*unseen).congestion},
				{"accurate ECN", (*unseen).accurate},
				{"USO and GRO", (*unseen).bursts},
				{"fragments", (*unseen).fragments},
				{"one tag", func(u *unseen) { u.tags(vlan{0x8100, 100 | 3<<13}) }},
				{"two tags", func(u *unseen) { u.tags(vlan{0x8100, 100}, vlan{0x88a8, 200}) }},
			} {
				t.Run(c.name, func(t *testing.T) {
					u.T = t
					c.do(u)
					u.whole()
				})
			}
		})
	}
}

// newUnseen starts two daemons between two hosts. edge has keys of the edge ports.
func newUnseen(t *testing.T, edge string) *unseen {
	settings := bed.Lossless
	settings.Edge = edge
	top := bed.Cabled(t)
	for ns, names := range map[*netns.NS][]string{top.A: {"link0"}, top.B: {"link0"}, top.Wire: {"a", "b"}} {
		for _, name := range names {
			bed.Must(t, ns.SetMTU(name, bed.LinkMTU+wire.VLANTagLen)) // room for a second tag
		}
	}
	addIPv6(t, top.HostA, hostA6)
	addIPv6(t, top.HostB, hostB6)
	top.Cable("--loss", "0.01")
	u := &unseen{T: t, top: top, pair: top.Daemons(settings), hostA: top.HostA, hostB: top.HostB}
	takesSuper(t, u.pair.A)
	takesSuper(t, u.pair.B)
	u.seenA, u.seenB = watch(t, top.HostA), watch(t, top.HostB)
	return u
}

// whole demands that both edges still take super-frames, have refused none, and that the link has given up none.
func (u *unseen) whole() {
	u.Helper()
	for _, d := range []*bed.Daemon{u.pair.A, u.pair.B} {
		e := d.Edge()
		s := e.Socket
		if e.Offload != "on" || e.Fault != "" || s.RxSuperMalformed+s.TxSuperRefused+s.RxSuperNoRoom > 0 {
			u.Errorf("%s: %s (%s), fault %q, notice %q, %+v", d.Name, e.Offload, e.OffloadReason, e.Fault, e.Notice, e.Socket)
		}
	}
	u.pair.NoFlush(u.T)
}

// super returns how many super-frames both edges have had from their hosts, and given to them.
func (u *unseen) super() (rx, tx uint64) {
	for _, d := range []*bed.Daemon{u.pair.A, u.pair.B} {
		s := d.Edge().Socket
		rx, tx = rx+s.RxSuper, tx+s.TxSuper
	}
	return rx, tx
}

// crossed demands that super-frames came from the hosts since a count, and went to them if joined says so.
func (u *unseen) crossed(rx, tx uint64, joined bool) {
	u.Helper()
	rxNow, txNow := u.super()
	u.Logf("%d super-frames from the hosts, %d to them", rxNow-rx, txNow-tx)
	if rxNow == rx || joined && txNow == tx {
		u.Error("no super-frames")
	}
}

// set sets a variable of TCP in both hosts until the end of the test. It returns an error for a value that this kernel
// does not know.
func (u *unseen) set(name, value string) (err error) {
	path := "/proc/sys/net/ipv4/" + name
	for _, host := range []*netns.NS{u.hostA, u.hostB} {
		var before []byte
		err = errors.Join(err, host.Do(func() (err error) {
			if before, err = os.ReadFile(path); err != nil {
				return err
			}
			return os.WriteFile(path, []byte(value), 0)
		}))
		u.Cleanup(func() { bed.Must(u.T, host.Do(func() error { return os.WriteFile(path, before, 0) })) })
	}
	return err
}

// addresses of hostB.
var toB = []string{bed.AddressB, hostB6}

// streams exchanges octets both ways, over IPv4 and IPv6.
func (u *unseen) streams() {
	rx, tx := u.super()
	for _, to := range toB {
		exchange(u.T, u.hostA, u.hostB, to, *superOctets)
	}
	u.crossed(rx, tx, true)
}

// tags exchanges octets of full frames between hosts that put tags in front of all frames, and take them away.
func (u *unseen) tags(tags ...vlan) {
	for _, host := range []*netns.NS{u.hostA, u.hostB} {
		u.Cleanup(filter(u.T, host, push(tags), pop(tags)))
	}
	rx, tx := u.super()
	for _, to := range toB {
		exchange(u.T, u.hostA, u.hostB, to, 1<<20)
	}
	if len(tags) < 2 { // the kernel cuts frames with more tags before it sends them
		u.crossed(rx, tx, true)
	}
}
