package cable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"uelink/internal/table"
)

// printer prints events and live counters to err, and the result to out.
type printer struct {
	out, err io.Writer
	json     bool
	terminal bool          // err is a terminal
	interval time.Duration // of live counters, 0: none
}

// run opens a cable, prints that it is ready, carries frames until ctx ends, with live counters, and prints the
// final counters.
func (p *printer) run(ctx context.Context, c Config) error {
	cable, err := Open(c)
	if err != nil {
		return err
	}
	if err := p.ready(cable); err != nil {
		return errors.Join(err, cable.Close())
	}
	stop := p.follow(cable)
	err = cable.Run(ctx)
	stop()
	report, reportErr := cable.Report()
	if reportErr == nil {
		reportErr = p.final(report)
	}
	return errors.Join(err, reportErr, cable.Close())
}

// plugged is an interface in the ready event.
type plugged struct {
	Interface string `json:"interface"`
	MTU       int    `json:"mtu"`
}

// readyEvent reports that frames flow.
type readyEvent struct {
	Event    string   `json:"event"` // "ready"
	Mode     string   `json:"mode"`
	XDPMode  string   `json:"xdp_mode"`
	A        plugged  `json:"a"`
	B        plugged  `json:"b"`
	Seed     uint64   `json:"seed"`
	Warnings []string `json:"warnings,omitempty"`
}

// statsEvent is the live counters.
type statsEvent struct {
	Event string `json:"event"` // "stats"
	Report
}

func (c *Cable) ready() readyEvent {
	a, b := c.ends[0], c.ends[1]
	e := readyEvent{
		Event: "ready", Mode: c.config.mode(), XDPMode: a.xdpMode.String(), Seed: c.config.Fault.Seed,
		A: plugged{a.name, a.mtu}, B: plugged{b.name, b.mtu},
	}
	if a.mtu != b.mtu {
		small := a
		if b.mtu < a.mtu {
			small = b
		}
		e.Warnings = append(e.Warnings, fmt.Sprintf("MTU %d of %s is not MTU %d of %s: frames of more than %d octets "+
			"will vanish at %s", a.mtu, a.name, b.mtu, b.name, small.mtu+14, small.name))
	}
	if a.mtu == b.mtu && a.mtu < linkMTU {
		e.Warnings = append(e.Warnings, fmt.Sprintf("an MTU of %d: frames of more than %d octets vanish, and those of a "+
			"link are 14 octets longer than those of its hosts, 26 with encapsulation: addressed: "+
			"ip link set dev %s mtu %d; ip link set dev %s mtu %[4]d", a.mtu, a.mtu+14, a.name, linkMTU, b.name))
	}
	return e
}

// linkMTU is the least MTU of a link whose hosts have an MTU of 1500.
const linkMTU = 1514

// ready prints to stderr that the cable is plugged in, with its interfaces and mode, and warnings about their MTU;
// as JSON on request.
func (p *printer) ready(c *Cable) error {
	e := c.ready()
	if p.json {
		return json.NewEncoder(p.err).Encode(e)
	}
	for _, w := range e.Warnings {
		fmt.Fprintln(p.err, "warning:", w)
	}
	_, err := fmt.Fprintf(p.err, "ready: %s (MTU %d) and %s (MTU %d) joined, mode %s, XDP in %s mode, seed %d\n",
		e.A.Interface, e.A.MTU, e.B.Interface, e.B.MTU, e.Mode, e.XDPMode, e.Seed)
	return err
}

// missingEvent reports that the reader of the events stood still.
type missingEvent struct {
	Event string `json:"event"` // "missing"
	Lines uint64 `json:"lines"`
}

// notice returns the line that stands in the place of lines which nobody read, in the format of the others.
func (p *printer) notice(lost uint64) []byte {
	if !p.json {
		return fmt.Appendf(nil, "uelink: %d lines are missing here: nobody read them\n", lost)
	}
	line, err := json.Marshal(missingEvent{"missing", lost})
	if err != nil {
		panic("a number is no JSON: " + err.Error()) // impossible
	}
	return append(line, '\n')
}

// follow starts a goroutine that prints the live counters every interval to stderr. stop ends the goroutine and
// waits for its end. With interval 0 it does nothing.
func (p *printer) follow(c *Cable) (stop func()) {
	if p.interval == 0 {
		return func() {}
	}
	done, over := make(chan struct{}), sync.WaitGroup{}
	over.Go(func() {
		every := time.NewTicker(p.interval)
		defer every.Stop()
		for {
			select {
			case <-every.C:
				p.live(c)
			case <-done:
				if p.terminal && !p.json {
					fmt.Fprintln(p.err)
				}
				return
			}
		}
	})
	return func() {
		close(done)
		over.Wait()
	}
}

// live prints the present counters to stderr as one line, or as JSON. On a terminal the line replaces the previous
// one.
func (p *printer) live(c *Cable) {
	r, err := c.Report()
	if err != nil {
		return
	}
	if p.json {
		json.NewEncoder(p.err).Encode(statsEvent{"stats", r})
		return
	}
	line := fmt.Sprintf("%.0fs", r.Seconds)
	for _, d := range r.Directions {
		line += "  " + d.String()
	}
	if p.terminal {
		fmt.Fprintf(p.err, "\r\033[K%s", line[:min(len(line), width(p.err))])
		return
	}
	fmt.Fprintln(p.err, line)
}

// final prints the report to stdout, as a table or as JSON.
func (p *printer) final(r Report) error {
	if p.json {
		e := json.NewEncoder(p.out)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	return r.WriteTable(p.out)
}

// width returns how many characters a line on w may have: one less than the width of the terminal; 79 if that is
// unknown.
func width(w io.Writer) int {
	if columns := table.Columns(w); columns > 1 {
		return columns - 1
	}
	return 79
}
