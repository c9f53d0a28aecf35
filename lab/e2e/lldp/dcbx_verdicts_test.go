package lldp

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
	"uelink/lldp/agent"
)

// finding returns what a daemon has to say about DCBX with a cause, or a Finding without one.
func finding(d *bed.Daemon, cause string) agent.Finding {
	for _, i := range bed.Ask(d, "interfaces", d.Client.LLDPInterfaces) {
		for _, f := range i.DCBX {
			if f.Cause == cause {
				return f
			}
		}
	}
	return agent.Finding{}
}

// cured waits for a verdict of a daemon, types its command, and waits until there is no such verdict and no problem. at
// types a command at the other end; it is nil for a command of this end.
func cured(d *bed.Daemon, cause, command string, at func(command string)) {
	d.T.Helper()
	var f agent.Finding
	bed.Eventually(d.T, "the verdict "+cause, func() string {
		f = finding(d, cause)
		return map[bool]string{true: "there is " + causes(d)}[f.Cause == ""]
	})
	if f.Command != command || (f.At == "") != (at == nil) {
		d.T.Fatalf("%s: command %q at %q, want %q", cause, f.Command, f.At, command)
	}
	if f.At != "" {
		at(strings.ReplaceAll(command, " IF ", " link0 "))
	} else {
		for line := range strings.SplitSeq(command, " && ") {
			d.Tool(strings.Fields(strings.TrimPrefix(line, "uelink "))...).Succeeds()
		}
	}
	bed.Eventually(d.T, "the end of the verdict "+cause, func() string {
		if f := finding(d, cause); f.Cause != "" {
			return f.Text
		}
		return causes(d)
	})
}

// lldptool returns a function that types a command of lldptool in a namespace.
func lldptool(t testing.TB, ns *netns.NS) func(string) {
	return func(command string) {
		t.Helper()
		words := strings.Fields(command)
		if words[0] != "lldptool" {
			t.Fatalf("%q is no command of lldptool", command)
		}
		bed.Run(t, ns, exec.Command(words[0], words[1:]...))
	}
}

// Each verdict about lldpad that a command of lldptool or of uelink ends: typing the command ends it.
func TestCommandsEndVerdictsAboutLLDPAD(t *testing.T) {
	t.Parallel()
	p := newPeers(t, endA("auto", true))
	const set, reload = "uelink config set ports.link0.dcbx.", " && uelink reload"
	for _, c := range []struct {
		cause, command string
		willingA       bool
		willingB       bool
		b              []string // pairs of TLV and values for lldptool
	}{
		{"no_dcbx", "lldptool -T -i IF -V PFC enableTx=yes", true, false,
			[]string{"PFC", "enableTx=no", "ETS-CFG", "enableTx=no", "ETS-REC", "enableTx=no"}},
		{"no_recommendation", "lldptool -T -i IF -V ETS-REC enableTx=yes", true, false, []string{"ETS-REC", "enableTx=no"}},
		{"ets_unusable", "lldptool -T -i IF -V ETS-REC tsa=0:ets,1:ets,2:strict,3:strict,4:strict,5:strict,6:strict," +
			"7:strict up2tc=0:0,1:0,2:0,3:1,4:0,5:0,6:0,7:0 tcbw=50,50,0,0,0,0,0,0", true, false,
			[]string{"ETS-REC", "tsa=0:ets,1:strict tcbw=80,20,0,0,0,0,0,0"}},
		{"pfc_differs", set + "pfc.willing true" + reload, false, false, nil},
		{"pfc_turned_off", "lldptool -T -i IF -V PFC enabled=3", true, false, []string{"PFC", "enabled=none"}},
		{"pfc_turned_off", set + "pfc.willing false" + reload, true, true, []string{"PFC", "enabled=none"}},
		{"mac_tie", set + "pfc.willing false" + reload, true, true, nil},
	} {
		p.lldpadIsB(c.willingB)
		for i := 0; i < len(c.b); i += 2 {
			p.b.Sets(c.b[i], c.b[i+1])
		}
		p.a.Reload(endA("auto", c.willingA).Text(p.a.Socket))
		if c.command[0] == 'l' {
			cured(p.a, c.cause, c.command, lldptool(t, p.w.B))
		} else {
			cured(p.a, c.cause, c.command, nil)
		}
	}
}

// The same between two daemons: a dialect that one end alone speaks, a driver without DCB, and two willing ends with
// one address.
func TestCommandsEndVerdictsOfTwoDaemons(t *testing.T) {
	t.Parallel()
	w := bed.NewWired(t)
	a, b := begin(t, w.A, "A", endA("ieee", true)), begin(t, w.B, "B", endB("cee", false))
	const auto = "uelink config set ports.link0.dcbx.version auto && uelink reload"
	cured(a, "other_dialect", auto, nil)
	if got := said(a); !strings.HasPrefix(got, "cee ") {
		t.Errorf("A has %s", got)
	}
	a.Reload(strings.Replace(endA("auto", true).Text(a.Socket), "mode: on,", "mode: on, dcbnl: apply,", 1))
	cured(a, "nic", "uelink config set ports.link0.dcbx.dcbnl off && uelink reload", nil) // a veth has no DCB
	a.Reload(endA("cee", true).Text(a.Socket))
	b.Reload(endB("ieee", false).Text(b.Socket))
	cured(a, "other_dialect", auto, nil)
	if got := said(a); !strings.HasPrefix(got, "ieee ") {
		t.Errorf("A has %s", got)
	}
	for name, d := range map[string]*bed.Daemon{"a": a, "b": b} {
		bed.Run(t, d.NS, exec.Command("ip", "link", "set", "dev", "link0", "address", "02:00:00:00:00:0a"))
		q := map[string]qaz{"a": endA("auto", true), "b": endB("auto", true)}[name]
		d.Reload(strings.Replace(q.Text(d.Socket), "chassis_id: mac", fmt.Sprintf("chassis_id: %q", "local:"+name), 1))
	}
	cured(a, "pfc_both_willing_here", "uelink config set ports.link0.dcbx.pfc.willing false && uelink reload", nil)
}
