package plan

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"uelink/client"
	"uelink/internal/netns"
	"uelink/lab/traffic"
)

// Options is a run of a plan.
type Options struct {
	Plan    string    // "llr" or "cbfc"
	Only    []string  // IDs of cases; empty: all
	Short   bool      // without the cases that take long, and lossy cases with go-back-N alone
	Daemons [2]string // paths of uelinkd at A and B

	// Ends that already run: sockets of their daemons and names of their link ports, the interfaces to join by the
	// wire, and the interfaces of their hosts. Empty sockets: everything is made for the run. The wire is always made.
	Sockets [2]string
	Ports   [2]string
	Wires   [2]traffic.End
	Hosts   [2]traffic.End
}

// Validate returns the first error in the options.
func (o *Options) Validate() error {
	cases := Cases(o.Plan)
	if cases == nil {
		return fmt.Errorf("plan %q: want %s or %s", o.Plan, LLR, CBFC)
	}
	if _, err := pick(cases, o.Only, true); err != nil {
		return err
	}
	if (o.Sockets[0] == "") != (o.Sockets[1] == "") {
		return errors.New("one socket is given: want the sockets of both ends (socket-a, socket-b)")
	}
	for i := range o.Sockets {
		if o.Sockets[i] != "" && (o.Wires[i].Interface == "" || o.Hosts[i].Interface == "") {
			return errors.New("running daemons need the interfaces of the wire and of the hosts " +
				"(wire-a, wire-b, host-a, host-b)")
		}
	}
	if o.Wires[0].NetNS != o.Wires[1].NetNS {
		return errors.New("both interfaces of the wire must be in one network namespace (wire-a, wire-b)")
	}
	return nil
}

// Run runs the cases of a plan and returns the results; progress is called after each. Lossy cases run with go-back-N
// and with selective replay; with Short, or between running daemons, they run once. An error means that the bed
// could not be made, or that ctx has ended; then the report has the results so far.
func Run(ctx context.Context, o Options, progress func(Result)) (r Report, err error) {
	if err := o.Validate(); err != nil {
		return r, err
	}
	open := newBed
	if o.Sockets[0] != "" {
		open = running
	}
	b, err := open(o)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	r.Plan = o.Plan
	cases, err := pick(Cases(o.Plan), o.Only, !o.Short)
	if err != nil {
		return r, err
	}
	kinds := []string{goBackN, selective}
	if o.Short || o.Sockets[0] != "" {
		kinds = kinds[:1]
	}
	for _, c := range cases {
		for _, replay := range kinds {
			if ctx.Err() != nil {
				return r, ctx.Err()
			}
			if replay != goBackN && !c.lossy {
				continue
			}
			result := b.run(ctx, c, replay)
			r.Results = append(r.Results, result)
			progress(result)
		}
	}
	return r, nil
}

// Traffic carries 1,000 frames over a good wire and 5,000 over one that loses 1 % of all frames, between the ends of
// the options, and returns what was seen: a test of traffic alone.
func Traffic(ctx context.Context, o Options) (r Result, err error) {
	b, err := newBed(o)
	if err != nil {
		return r, err
	}
	defer func() { err = errors.Join(err, b.close()) }()
	return b.run(ctx, Case{ID: "0", Title: "Traffic alone", run: func(ctx context.Context, t *trial) error {
		s := common().withTimer(20 * time.Millisecond)
		if o.Plan == CBFC {
			s = lossless(s)
		}
		if err := t.fresh(ctx, s); err != nil {
			return err
		}
		if _, err := t.carry(ctx, 1000, 256, 32); err != nil {
			return err
		}
		if _, err := t.rule("kind=any p=1% drop"); err != nil {
			return err
		}
		c := t.between(5000, 256, 32)
		if o.Plan == CBFC {
			c.Priorities = []uint8{3}
		}
		d, err := t.send(ctx, c)
		t.whole("1 % lost: ", &d)
		return err
	}}, goBackN), nil
}

// running returns the bed of ends that run already.
func running(o Options) (b *bed, err error) {
	b = &bed{short: o.Short}
	for i, name := range []string{"A", "B"} {
		b.ends[i] = &end{name: name, client: client.NewClient(o.Sockets[i]), port: o.Ports[i], host: o.Hosts[i]}
	}
	within := func(f func() error) error { return f() }
	if space := o.Wires[0].NetNS; space != "" {
		within = func(f func() error) error { return netns.Within(filepath.Join(netns.Dir, space), f) }
	}
	b.wire, err = plug(within, o.Wires[0].Interface, o.Wires[1].Interface)
	return b, err
}
