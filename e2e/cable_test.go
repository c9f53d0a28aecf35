package e2e

import (
	"encoding/json"
	"os/exec"
	"syscall"

	"uelink/cable"
)

// plugged is a `uelink cable` between a and b.
type plugged struct{ *process }

// cable starts a cable with the given flags; without flags the wire is good.
func (top *topology) cable(flags ...string) plugged {
	top.t.Helper()
	args := append([]string{"cable", "-o", "json", "a", "b"}, flags...)
	p := plugged{start(top.t, top.wire, "uelink cable", exec.Command(program("uelink"), args...))}
	eventually(top.t, "a cable between a and b", func() string {
		if !p.running() {
			top.t.Fatal("uelink cable has ended")
		}
		for _, end := range []string{"a", "b"} {
			l, err := top.wire.Link(end)
			must(top.t, err)
			if l.Xdp == nil || !l.Xdp.Attached {
				return "no XDP program is on " + end
			}
		}
		return ""
	})
	return p
}

// pull ends the cable and returns its report.
func (p plugged) pull() (r cable.Report) {
	p.t.Helper()
	p.signal(syscall.SIGINT)
	if code := p.wait(); code != 0 {
		p.t.Fatalf("uelink cable: exit %d", code)
	}
	must(p.t, json.Unmarshal([]byte(p.stdout.String()), &r))
	return r
}

// dropped returns how many frames the cable lost on purpose, both ways.
func dropped(r cable.Report) (n uint64) {
	for _, d := range r.Directions {
		n += d.Dropped
	}
	return n
}
