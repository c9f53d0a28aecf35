package drivers

import (
	"runtime"
	"strings"
	"testing"

	"uelink/lab/e2e/bed"
)

// topOfSupport is the first twenty lines of what `uelink support` writes about a daemon.
func topOfSupport(d *bed.Daemon) string {
	d.T.Helper()
	out := d.ToolText("support", "-")
	return strings.Join(strings.SplitAfter(out, "\n")[:20], "")
}

// tells waits until the first twenty lines of a report tell of something.
func tells(d *bed.Daemon, want string) {
	d.T.Helper()
	bed.Eventually(d.T, d.Name+": support tells: "+want, func() string {
		if top := topOfSupport(d); !strings.Contains(top, want) {
			return top
		}
		return ""
	})
}

// A link on which all is well, and what can be done to it from outside: the cause is in
// the first twenty lines.
func TestSupportTellsTheCause(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{}.ByFrame())
	tells(p.A, "- nothing: the ports are up")
	t.Run("interface", func(t *testing.T) {
		bed.Must(t, top.B.SetLink("link0", false))
		tells(p.A, "port link0: the interface is down")
		bed.Must(t, top.B.SetLink("link0", true))
		p.Advance()
	})
	t.Run("RX queues", func(t *testing.T) {
		if runtime.NumCPU() < 2 {
			t.Skip("skipped: a veth has as many queues as there are CPUs, and here is one")
		}
		bed.Channels(t, top.A, "link0", 2, 1)
		tells(p.A, "the RX queues were changed from 1 to 2 (ethtool -L): the sockets are reopened")
	})
	t.Run("XDP program", func(t *testing.T) {
		detachProgram(t, programOf(t, top.A, "link0"))
		tells(p.A, "somebody has taken uelink's XDP program off the interface")
	})
	t.Run("silence", func(t *testing.T) {
		p.B.Kill()
		tells(p.A, "partner is silent: is uelinkd running at the other end with LLR on")
	})
	t.Run("no daemon", func(t *testing.T) {
		p.A.Kill()
		tells(p.A, "no daemon: nobody listens on "+p.A.Socket)
	})
}

// Frames that come where nobody looks.
func TestSupportTellsOfFramesThatAreNotSeen(t *testing.T) {
	t.Parallel()
	if runtime.NumCPU() < 2 {
		t.Skip("skipped: a veth has as many queues as there are CPUs, and here is one")
	}
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{Edge: "queues: 1"}.ByFrame())
	bed.Channels(t, top.A, "edge0", 2, 1)
	bed.Channels(t, top.HostA, "eth0", 1, 2)
	send, _ := queueSender(t, top.HostA, "eth0", 1)
	bed.Eventually(t, "support tells of the queue", func() string {
		send(bed.Probe(1, 100))
		const want = "port edge0: frames come by RX queues that have no socket"
		if text := topOfSupport(p.A); !strings.Contains(text, want) {
			return text
		}
		return ""
	})
}

// Ends that do not fit together.
func TestSupportTellsOfMismatches(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		b    bed.Settings
		want string
	}{
		"dialect":   {bed.Settings{Link: "dialect: ue1"}, "partner speaks dialect ue1, this port seed"},
		"FCS image": {bed.Settings{Link: "fcs: false"}, "partner sends no FCS image and this port demands one"},
		"LLR":       {bed.Settings{LLR: `mode: "off"`}, "partner does not accept LLR from this port"},
		"EtherType of data": {bed.Settings{Link: "ethertypes: {data: 0x9101, control: 0x88B6}"},
			"partner sends data under EtherType 0x9101"},
		"EtherTypes swapped": {bed.Settings{Link: "ethertypes: {data: 0x88B6, control: 0x88B5}"},
			"partner sends under EtherType 0x88b5"},
	} {
		t.Run(name, func(t *testing.T) {
			top := bed.Direct(t)
			p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", bed.Settings{}), B: bed.NewDaemon(t, top.B, "B", c.b)}
			p.A.Start()
			p.B.Start()
			tells(p.A, c.want)
		})
	}
}

// Peers of DCBX, and one direction of LLDP.
func TestSupportTellsOfDCBX(t *testing.T) {
	for name, c := range map[string]struct {
		a, b bed.LLDPOnly
		want string
	}{
		"priorities": {bed.LLDPOnly{DCBX: "mode: on, pfc: {willing: false, priorities: [3]}"},
			bed.LLDPOnly{DCBX: "mode: on, pfc: {willing: false, priorities: [4]}"},
			"port link0: DCBX PFC: PFC has priorities 3 here and 4 at the peer"},
		"priorities, CEE": {bed.LLDPOnly{DCBX: "mode: on, version: cee, pfc: {willing: false, priorities: [3]}"},
			bed.LLDPOnly{DCBX: "mode: on, version: cee, pfc: {willing: false, priorities: [4]}"},
			"port link0: DCBX PFC: the peer's settings are not compatible with ours"},
		"disabled there": {bed.LLDPOnly{DCBX: "mode: on, version: cee"},
			bed.LLDPOnly{DCBX: "mode: on, version: cee, pfc: {enabled: false}"},
			"port link0: DCBX PFC: the peer has the feature disabled"},
		"one way": {bed.LLDPOnly{LLDP: "mode: tx-only", DCBX: "mode: on"}, bed.LLDPOnly{DCBX: "mode: on"},
			"DCBX is disabled because LLDP does not go both ways"},
	} {
		t.Run(name, func(t *testing.T) {
			w := bed.NewWired(t)
			p := bed.Pair{A: bed.NewDaemon(t, w.A, "A", c.a), B: bed.NewDaemon(t, w.B, "B", c.b)}
			p.A.Start()
			p.B.Start()
			tells(p.A, c.want)
		})
	}
}
