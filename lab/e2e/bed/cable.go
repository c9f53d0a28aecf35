package bed

import (
	"encoding/json"
	"os/exec"
	"syscall"

	"uelink/lab/cable"
)

// Plugged is a `uelink cable` between a and b.
type Plugged struct{ *Process }

// Cable starts `uelink cable` between interfaces a and b of the wire's namespace, and waits until it carries
// frames. flags are its flags; without flags it loses nothing.
func (top *Topology) Cable(flags ...string) Plugged {
	top.T.Helper()
	args := append([]string{"cable", "-o", "json", "a", "b"}, flags...)
	p := Plugged{Start(top.T, top.Wire, "uelink cable", exec.Command(Program("uelink"), args...))}
	Eventually(top.T, "a cable between a and b", func() string {
		if !p.Running() {
			top.T.Fatal("uelink cable has ended")
		}
		for _, end := range []string{"a", "b"} {
			l, err := top.Wire.Link(end)
			Must(top.T, err)
			if l.Xdp == nil || !l.Xdp.Attached {
				return "no XDP program is on " + end
			}
		}
		return ""
	})
	return p
}

// Pull ends `uelink cable` and returns the counters that it prints.
func (p Plugged) Pull() (r cable.Report) {
	p.T.Helper()
	p.Signal(syscall.SIGINT)
	if code := p.Wait(); code != 0 {
		p.T.Fatalf("uelink cable: exit %d", code)
	}
	Must(p.T, json.Unmarshal([]byte(p.Stdout.String()), &r))
	return r
}

// Dropped returns how many frames the cable lost on purpose, both ways.
func Dropped(r cable.Report) (n uint64) {
	for _, d := range r.Directions {
		n += d.Dropped
	}
	return n
}

// BadWire is the flags of a cable that loses one frame in a hundred and damages one in a thousand, in the kernel also
// before the daemons have attached their XDP programs.
var BadWire = []string{"--mode", "kernel", "--loss", "0.01", "--corrupt", "0.001"}
