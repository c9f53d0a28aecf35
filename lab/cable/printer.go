package cable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"

	"uelink/internal/table"
)

// printer prints events and live counters to err, and the result to out.
type printer struct {
	out, err io.Writer
	json     bool
	terminal bool          // err is a terminal
	interval time.Duration // time between two prints of the live counters; 0: none
	watch    bool          // live counters are printed as a table
	control  string        // socket for rules; "": none
	plot     string        // file for a picture of the times; "": none
	metrics  string        // file for the counters; "": none
	shown    Report        // report of the last live table
	lines    int           // number of lines of the last live table
}

// run opens a cable, prints that it is ready, carries frames until ctx ends, with live counters, and prints the
// final counters.
func (p *printer) run(ctx context.Context, c Config) error {
	cable, err := Open(c)
	if err != nil {
		return err
	}
	if p.control != "" {
		stop, err := cable.listen(p.control)
		if err != nil {
			return errors.Join(err, cable.Close())
		}
		defer stop()
	}
	if err := p.ready(cable.ready()); err != nil {
		return errors.Join(err, cable.Close())
	}
	stop := p.follow(cable)
	watched := p.followCapture(cable)
	err = cable.Run(ctx)
	watched()
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
	Path     string   `json:"path"` // path of the frames from A: xdp, tcx, clsact or sockets
	Why      string   `json:"why"`  // the reason for mode and path
	GSO      string   `json:"gso"`  // what becomes of super-frames: split or keep
	A        plugged  `json:"a"`
	B        *plugged `json:"b,omitempty"` // the other end, or the peer
	Seed     uint64   `json:"seed"`
	Warnings []string `json:"warnings,omitempty"`
}

// statsEvent is the live counters.
type statsEvent struct {
	Event string `json:"event"` // "stats"
	Report
}

// ready returns the event of a wire that carries frames.
func (c *Cable) ready() readyEvent {
	a := c.ends[0]
	e := readyEvent{
		Event: "ready", Mode: c.mode, XDPMode: a.xdpWord(), GSO: "split", Seed: c.config.Fault.Seed,
		A: plugged{a.name, a.mtu},
	}
	if c.config.KeepGSO {
		e.GSO = "keep"
	}
	e.Path, e.Why = c.path()
	if len(c.ends) > 1 {
		e.B = &plugged{c.ends[1].name, c.ends[1].mtu}
	}
	if c.config.joins() {
		e.Warnings = warnMTU(a, c.ends[1])
	}
	e.Warnings = append(e.Warnings, c.warnings()...)
	return e
}

// warnings returns warnings about faults that may act unexpectedly at these interfaces.
func (c *Cable) warnings() (all []string) {
	views, err := lookAll(c.ends)
	if err != nil || c.mode == ModeUser {
		return nil
	}
	if plain := c.plain(views); plain != "" && c.config.Fault.Corrupt > 0 {
		all = append(all, fmt.Sprintf("the stack behind veth %s leaves checksums unfinished, and no receiver notices "+
			"damage to such frames: a cable between two interfaces with --mode user finishes the checksums before the damage",
			plain))
	}
	return all
}

// path returns the path of the frames from the first end, such as tcx, and the reason in words; "" and the text of the
// error if the interfaces or the counters cannot be read.
func (c *Cable) path() (path, reason string) {
	views, err := lookAll(c.ends)
	if err != nil {
		return "", err.Error()
	}
	counts, err := c.wire.counters()
	if err != nil {
		return "", err.Error()
	}
	path = counts[0].Path
	plain := c.plain(views)
	switch {
	case !c.config.joins():
		return path, "the cable has one interface here: it sends no frame on to another interface"
	case path == pathSockets && c.config.kernelCan() && c.config.Mode != ModeUser:
		return path, fmt.Sprintf("the other end of veth %s leaves checksums unfinished: AF_XDP sockets finish the checksums "+
			"before the cable damages frames", plain)
	case path == pathSockets:
		return path, "AF_XDP sockets, which finish unfinished checksums"
	case path == pathXDP:
		return path, "the other ends of all veths run XDP programs"
	case plain != "":
		return path, fmt.Sprintf("the other end of veth %s runs no XDP program", plain)
	}
	return path, "no XDP redirect between these interfaces"
}

// warnMTU returns warnings about frames too long for one of two interfaces.
func warnMTU(a, b *end) (warnings []string) {
	if a.mtu != b.mtu {
		small := a
		if b.mtu < a.mtu {
			small = b
		}
		warnings = append(warnings, fmt.Sprintf("MTU %d of %s is not MTU %d of %s: frames of more than %d octets "+
			"will vanish at %s", a.mtu, a.name, b.mtu, b.name, small.mtu+14, small.name))
	}
	if a.mtu == b.mtu && a.mtu < linkMTU {
		warnings = append(warnings, fmt.Sprintf("an MTU of %d: frames of more than %d octets vanish, and the frames "+
			"of a link are 14 octets longer than the frames of the hosts, 26 with encapsulation: addressed: "+
			"ip link set dev %s mtu %d; ip link set dev %s mtu %[4]d", a.mtu, a.mtu+14, a.name, linkMTU, b.name))
	}
	return warnings
}

// linkMTU is the least MTU of a link whose hosts have an MTU of 1500.
const linkMTU = 1514

// ready prints to stderr that the cable is plugged in, with its interfaces and mode, and warnings about their MTU;
// as JSON on request.
func (p *printer) ready(e readyEvent) error {
	if p.json {
		return json.NewEncoder(p.err).Encode(e)
	}
	for _, w := range e.Warnings {
		fmt.Fprintln(p.err, "warning:", w)
	}
	_, err := fmt.Fprintf(p.err, "ready: %s, mode %s, XDP in %s mode, seed %d; path %s: %s; super-frames: %s\n",
		e.ends(), e.Mode, e.XDPMode, e.Seed, e.Path, e.Why, e.GSO)
	return err
}

// ends returns the interfaces in words.
func (e readyEvent) ends() string {
	text := fmt.Sprintf("%s (MTU %d)", e.A.Interface, e.A.MTU)
	if e.B == nil {
		return text + " alone"
	}
	return fmt.Sprintf("%s and %s (MTU %d) joined", text, e.B.Interface, e.B.MTU)
}

// missingEvent reports that the reader of the events stood still.
type missingEvent struct {
	Event string `json:"event"` // "missing"
	Lines uint64 `json:"lines"`
}

// notice returns the line in the place of lines that nobody read, in the same format.
func (p *printer) notice(lost uint64) []byte {
	if !p.json {
		return fmt.Appendf(nil, "uelink: %d lines are missing here: nobody read them\n", lost)
	}
	line, err := json.Marshal(missingEvent{"missing", lost})
	if err != nil {
		panic("encode the count of missing lines as JSON: " + err.Error()) // impossible
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
				if p.terminal && !p.json && !table.InBackground(p.err) {
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

// live prints the present counters to stderr as one line, as a table (--watch) or as JSON, and writes the file of
// --metrics. On a terminal the line replaces the previous one; a process in the background prints no line there.
func (p *printer) live(c *Cable) {
	r, err := c.Report()
	if err != nil {
		return
	}
	if p.metrics != "" {
		_ = writeMetrics(p.metrics, r) // the method final returns the error at the end
	}
	if p.json {
		json.NewEncoder(p.err).Encode(statsEvent{"stats", r})
		return
	}
	if p.watch {
		p.table(r)
		return
	}
	line := fmt.Sprintf("%.0fs", r.Seconds)
	for _, d := range r.Directions {
		line += "  " + d.String()
	}
	if p.terminal && table.InBackground(p.err) {
		return
	}
	if p.terminal {
		fmt.Fprintf(p.err, "\r\033[K%s", line[:min(len(line), width(p.err))])
		return
	}
	fmt.Fprintln(p.err, line)
}

// final writes the report, the counters for Prometheus, and the plot.
func (p *printer) final(r Report) error {
	if p.metrics != "" {
		if err := writeMetrics(p.metrics, r); err != nil {
			return err
		}
	}
	return errors.Join(p.report(r), p.draw(r))
}

// report prints the report to stdout, as a table or as JSON.
func (p *printer) report(r Report) error {
	if p.json {
		e := json.NewEncoder(p.out)
		e.SetIndent("", "  ")
		return e.Encode(r)
	}
	return r.WriteTable(p.out)
}

// draw writes the plot to its file, if any.
func (p *printer) draw(r Report) error {
	if p.plot == "" {
		return nil
	}
	if err := os.WriteFile(p.plot, r.Plot().SVG(), 0o644); err != nil {
		return fmt.Errorf("plot: %w", err)
	}
	return nil
}

// width returns how many characters a line on w may have: one less than the width of the terminal; 79 if that is
// unknown.
func width(w io.Writer) int {
	if columns := table.Columns(w); columns > 1 {
		return columns - 1
	}
	return 79
}
