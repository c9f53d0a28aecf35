package e2e

import (
	"runtime"
	"strings"
	"testing"
)

// topOfSupport is the first twenty lines of what `uelink support` writes about a daemon.
func (d *daemon) topOfSupport() string {
	d.t.Helper()
	out := d.text("support", "-")
	return strings.Join(strings.SplitAfter(out, "\n")[:20], "")
}

// tells waits until the first twenty lines of a report tell of something.
func (d *daemon) tells(want string) {
	d.t.Helper()
	eventually(d.t, d.name+": support tells: "+want, func() string {
		if top := d.topOfSupport(); !strings.Contains(top, want) {
			return top
		}
		return ""
	})
}

// A link on which all is well, and what can be done to it from outside: the cause is in
// the first twenty lines.
func TestSupportTellsTheCause(t *testing.T) {
	t.Parallel()
	top := direct(t)
	p := top.daemons(settings{})
	p.a.tells("- nothing: the ports are up")
	t.Run("interface", func(t *testing.T) {
		must(t, top.B.SetLink("link0", false))
		p.a.tells("port link0: the interface is down")
		must(t, top.B.SetLink("link0", true))
		p.advance()
	})
	t.Run("RX queues", func(t *testing.T) {
		if runtime.NumCPU() < 2 {
			t.Skip("skipped: a veth has as many queues as there are CPUs, and here is one")
		}
		channels(t, top.A, "link0", 2, 1)
		p.a.tells("the RX queues were changed from 1 to 2 (ethtool -L): the sockets are opened anew")
	})
	t.Run("XDP program", func(t *testing.T) {
		detachProgram(t, programOf(t, top.A, "link0"))
		p.a.tells("somebody has taken uelink's XDP program off the interface")
	})
	t.Run("silence", func(t *testing.T) {
		p.b.kill()
		p.a.tells("partner is silent: is uelinkd running there with LLR on?")
	})
	t.Run("no daemon", func(t *testing.T) {
		p.a.kill()
		p.a.tells("no daemon: nobody listens on " + p.a.socket)
	})
}

// Frames that come where nobody looks.
func TestSupportTellsOfFramesThatAreNotSeen(t *testing.T) {
	t.Parallel()
	if runtime.NumCPU() < 2 {
		t.Skip("skipped: a veth has as many queues as there are CPUs, and here is one")
	}
	top := direct(t)
	p := top.daemons(settings{edge: "queues: 1"})
	channels(t, top.A, "edge0", 2, 1)
	channels(t, top.hostA, "eth0", 1, 2)
	send := queueSender(t, top.hostA, "eth0", 1)
	eventually(t, "support tells of the queue", func() string {
		send(probe(1, 100))
		const want = "port edge0: frames come by RX queues that have no socket"
		if said := p.a.topOfSupport(); !strings.Contains(said, want) {
			return said
		}
		return ""
	})
}

// Ends that do not fit together.
func TestSupportTellsOfMismatches(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		b    settings
		want string
	}{
		"dialect":   {settings{link: "dialect: ue1"}, "partner speaks dialect ue1, this port seed"},
		"FCS image": {settings{link: "fcs: false"}, "partner sends no FCS image and this port demands one"},
		"LLR":       {settings{llr: `mode: "off"`}, "partner does not accept LLR from this port"},
		"EtherType of data": {settings{link: "ethertypes: {data: 0x9101, control: 0x88B6}"},
			"partner sends data under EtherType 0x9101"},
		"EtherTypes swapped": {settings{link: "ethertypes: {data: 0x88B6, control: 0x88B5}"},
			"partner sends under EtherType 0x88b5"},
	} {
		t.Run(name, func(t *testing.T) {
			top := direct(t)
			p := pair{newDaemon(t, top.A, "A", settings{}), newDaemon(t, top.B, "B", c.b)}
			p.a.start()
			p.b.start()
			p.a.tells(c.want)
		})
	}
}

// Peers of DCBX, and one direction of LLDP.
func TestSupportTellsOfDCBX(t *testing.T) {
	for name, c := range map[string]struct {
		a, b lldpOnly
		want string
	}{
		"priorities": {lldpOnly{dcbx: "mode: on, pfc: {willing: false, priorities: [3]}"},
			lldpOnly{dcbx: "mode: on, pfc: {willing: false, priorities: [4]}"},
			"port link0: DCBX PFC: the peer's settings are not compatible with ours"},
		"disabled there": {lldpOnly{dcbx: "mode: on"}, lldpOnly{dcbx: "mode: on, pfc: {enabled: false}"},
			"port link0: DCBX PFC: the peer has it disabled"},
		"one way": {lldpOnly{lldp: "mode: tx-only", dcbx: "mode: on"}, lldpOnly{dcbx: "mode: on"},
			"DCBX is disabled because LLDP does not go both ways"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWired(t)
			p := pair{newDaemon(t, w.A, "A", c.a), newDaemon(t, w.B, "B", c.b)}
			p.a.start()
			p.b.start()
			p.a.tells(c.want)
		})
	}
}
