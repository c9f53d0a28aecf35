package tools

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// worst returns the first line of `uelink status`, and demands the exit code that fits to its state.
func worst(d *bed.Daemon) (state, problem, command string) {
	d.T.Helper()
	a := d.Tool("status")
	first := a.Objects()[0]
	if state = first["state"].(string); (a.Code == 0) != (state == "ok") || a.Code > 1 {
		d.T.Errorf("exit %d of the state %q: %s", a.Code, state, a.Stderr)
	}
	return state, first["problem"].(string), first["type"].(string)
}

// tells waits until the status names a problem, and returns the command that it tells to type.
func tells(d *bed.Daemon, words string) (command string) {
	d.T.Helper()
	bed.Eventually(d.T, "the status names the cause", func() string {
		var problem string
		if _, problem, command = worst(d); !strings.Contains(problem, words) {
			return fmt.Sprintf("it says %q", problem)
		}
		return ""
	})
	return command
}

// heals waits until no port has a problem.
func heals(d *bed.Daemon) {
	d.T.Helper()
	bed.Eventually(d.T, "a port is not well", func() string {
		if state, problem, _ := worst(d); state != "ok" {
			return problem
		}
		return ""
	})
}

// The status names the cause of each fault; who does what it says has a link again.
func TestStatusNamesCauseAndCure(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	heals(p.A)
	for _, fault := range []struct {
		name, words string
		put         func()
		mend        func(command string)
	}{
		{"a lost wire", "the interface is down", func() { bed.Must(t, top.B.SetLink("link0", false)) },
			func(command string) {
				if command != "ip link set dev link0 up, here and at the other end" {
					t.Errorf("it says to type %q", command)
				}
				for _, end := range []*netns.NS{top.A, top.B} {
					bed.Run(t, end, exec.Command(bed.InstalledProgram(t, "ip", "iproute2"), "link", "set", "dev", "link0", "up"))
				}
			}},
		{"another dialect", "partner speaks dialect ue1, this port seed: set the same dialect at both ends",
			func() { p.B.Reload(bed.Settings{Link: "dialect: ue1"}.Text(p.B.Socket)) },
			func(string) { p.B.Reload(bed.Settings{Link: "dialect: seed"}.Text(p.B.Socket)) }},
		{"a killed partner", "partner is silent: is uelinkd running there", func() { p.B.Kill() },
			func(string) { p.B.Start() }},
		{"LLR off", "partner does not accept LLR from this port",
			func() { p.B.Tool("llr", "local", "disable", "link0").Succeeds() },
			func(string) { p.B.Tool("llr", "local", "enable", "link0").Succeeds() }},
	} {
		t.Run(fault.name, func(t *testing.T) {
			fault.put()
			fault.mend(tells(p.A, fault.words))
			heals(p.A)
		})
	}
}
