package tools

import (
	"fmt"
	"strings"
	"syscall"
	"testing"

	"uelink/control/api"
	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// line is the first line of `uelink status`.
type line struct{ state, port, problem, command, at string }

// worst returns the first line of `uelink status`, and demands the exit code that fits to its state.
func worst(d *bed.Daemon) (l line) {
	d.T.Helper()
	a := d.Tool("status")
	first := a.Objects()[0]
	for key, into := range map[string]*string{
		"state": &l.state, "port": &l.port, "problem": &l.problem, "type": &l.command, "at": &l.at,
	} {
		*into = first[key].(string)
	}
	if (a.Code == 0) != (l.state == "ok") || a.Code > 1 {
		d.T.Errorf("exit %d of the state %q: %s", a.Code, l.state, a.Stderr)
	}
	return l
}

// heals waits until no port has a problem, but for frames that the driver has dropped without a carrier: the status
// shows these for another 10 s.
func heals(d *bed.Daemon) {
	d.T.Helper()
	bed.Eventually(d.T, d.Name+": a port is not well", func() string {
		if l := worst(d); l.state != "ok" && !strings.HasPrefix(l.problem, "the driver drops frames to be sent") {
			return l.problem
		}
		return ""
	})
}

// person is somebody at the two ends of a link who knows nothing, and does what `uelink status` says.
type person struct {
	bed.Pair
	t    *testing.T
	text map[*bed.Daemon]string // configuration in force; none: not known
}

// follows waits until the status at an end names a cause by words, and types what it says, or what the status of the
// other end says, if this one has no command.
func (p *person) follows(d *bed.Daemon, words string) {
	p.t.Helper()
	var l line
	bed.Eventually(p.t, d.Name+": the status names the cause", func() string {
		if l = worst(d); !strings.Contains(l.problem, words) || l.state == "ok" {
			return fmt.Sprintf("it says %q, to type %q", l.problem, l.command)
		}
		return ""
	})
	p.t.Logf("%s: %s %s: %s: %s (at %q)", d.Name, strings.ToUpper(l.state), l.port, l.problem, l.command, l.at)
	if l.at != "" {
		p.t.Fatalf("where is %s?", l.at)
	}
	if l.command != "" {
		p.types(d, l.command)
		return
	}
	other := map[*bed.Daemon]*bed.Daemon{p.A: p.B, p.B: p.A}[d]
	if !other.Running() {
		other.Start() // the status asks whether uelinkd runs there
		return
	}
	bed.Eventually(p.t, other.Name+": the command", func() string {
		if l = worst(other); l.command == "" {
			return fmt.Sprintf("it says %q", l.problem)
		}
		return ""
	})
	p.t.Logf("%s: %s %s: %s: %s", other.Name, strings.ToUpper(l.state), l.port, l.problem, l.command)
	p.types(other, l.command)
}

// types types a command at an end.
func (p *person) types(d *bed.Daemon, command string) {
	p.t.Helper()
	p.runs(d, command)
	if strings.HasSuffix(command, api.ReloadCommand) {
		d.AwaitNotify("RELOADING=1")
		d.AwaitNotify("READY=1")
	}
}

// runs runs a command in a shell at an end.
func (p *person) runs(d *bed.Daemon, command string) {
	p.t.Helper()
	p.t.Logf("%s # %s\n%s", d.Name, command, d.Shell(p.t, d.NS, command))
}

// A person's way: the status alone names the cause of each fault, and the command that it tells to type heals the link.
func TestStatusNamesCauseAndCure(t *testing.T) {
	t.Parallel()
	top := bed.NewTopology(t)
	bed.Must(t, netns.Veth(top.A, "link0", top.B, "link0", bed.LinkMTU))
	p := &person{Pair: top.Daemons(bed.Settings{
		Link: "mtu: check, dialect: seed", Edge: "pfc: {mode: static, priorities: [0], rate: 1Mbps}",
		Profile: "max_replay_count: 1, max_replay_timer: 100ms, hold_timeout: 1s, re_init_on_flush: false",
	}), t: t}
	hostA, hostB := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
	heals(p.A)
	const last = 1000
	flushes := p.A.LLRCounters().TxFlush
	for _, fault := range []struct {
		name  string
		at    *bed.Daemon // where the person sits
		words string
		put   func()
	}{
		{"a lost wire", p.A, "no carrier", func() { bed.Must(t, top.B.SetLink("link0", false)) }},
		{"a lost wire, here", p.A, "switched off", func() { bed.Must(t, top.A.SetLink("link0", false)) }},
		{"another dialect", p.A, "partner speaks dialect ue1, this port seed",
			func() { p.types(p.B, "uelink config set ports.link0.dialect ue1 && uelink reload") }},
		{"an MTU too small", p.B, "the MTU of link0 is 1400",
			func() { bed.Must(t, top.B.SetMTU("link0", 1400)) }},
		{"an MTU too small there", p.A, "partner takes link frames of up to 1418 octets",
			func() { bed.Must(t, top.B.SetMTU("link0", 1400)) }},
		{"a held edge", p.B, "stops the port by PFC", func() {
			frame := make([]byte, wire.MinFrameLen)
			wire.PutPFC(frame, wire.MAC{2, 0, 0, 0, 0, 0x77}, wire.PFC{Enable: 1, Quanta: [wire.Priorities]uint16{0xFFFF}})
			hostB.Send(frame)
			for n := range uint32(100) {
				hostA.Send(bed.Probe(n, 200))
			}
		}},
		{"a killed partner", p.A, "partner is silent: is uelinkd running at the other end", func() { p.B.Kill() }},
		{"a flush", p.A, "LLR has given up", func() {
			p.B.Signal(syscall.SIGSTOP)
			defer p.B.Signal(syscall.SIGCONT)
			bed.Eventually(t, "FLUSH", func() string {
				hostA.Send(bed.Probe(1, 200)) // B may acknowledge the first ones before it stops
				if p.A.LLRCounters().TxFlush == flushes {
					return "there is none"
				}
				return ""
			})
		}},
		{"LLR off", p.A, "partner does not accept LLR from this port",
			func() { p.types(p.B, "uelink llr local disable link0") }},
	} {
		ok := t.Run(fault.name, func(t *testing.T) {
			p.t = t
			fault.put()
			p.follows(fault.at, fault.words)
			heals(p.A)
			heals(p.B)
			hostA.Send(bed.Probe(last, 200))
			hostB.Await("a frame across the link", func(f []byte) bool { return bed.ProbeNumber(f) == last })
		})
		if p.t = t; !ok {
			return
		}
	}
}
