package main

import (
	"errors"
	"fmt"
	"time"

	"uelink/dataplane/fault"
	"uelink/lab/bench/report"
)

// tcpWires returns the faults of the wires in the table of TCP. The first wire is clean.
func tcpWires() []fault.Config { return []fault.Config{{}, {Loss: 1e-3}, {Loss: 1e-2}} }

// bulkDaemon returns the daemon configuration for one TCP connection at full speed. A small LLR window bounds the
// frames that go-back-N sends again after a loss. A worker without spin leaves the CPU to the host on the same
// core.
func bulkDaemon() daemonConfig {
	return daemonConfig{
		llr:     "local: true, remote: true",
		profile: patient + ", init_action: block, flush_action: block, max_outstanding_frames: 64",
		top:     "spin: 0s",
		stacks:  true,
	}
}

// tcpPath is the circuit of a TCP connection.
type tcpPath struct {
	name string
	*circuit
}

// paths sets up the two paths that the table of TCP compares, and freezes their forwarders: two hosts with only a
// wire between them, then two hosts with two daemons and a wire. Paths are returned also with an error, and must
// be closed.
func (s *session) paths() (list []*tcpPath, err error) {
	link := func(name string) (*circuit, error) { return s.wiredWith(name, bulkDaemon()) }
	for _, p := range []struct {
		name string
		open func(name string) (*circuit, error)
	}{{"plain wire", newPlain}, {"uelink", link}} {
		c, err := p.open(fmt.Sprint("tcp", len(list)))
		list = append(list, &tcpPath{p.name, c})
		if err == nil {
			err = c.address()
		}
		if err != nil {
			return list, fmt.Errorf("%s: %w", p.name, err)
		}
		c.freeze()
	}
	return list, nil
}

// tcp runs the experiment "tcp" and adds its table to the report: the throughput of one TCP connection over bad
// wires, with and without uelink.
func (s *session) tcp() (err error) {
	paths, err := s.paths()
	defer func() {
		for _, p := range paths {
			err = errors.Join(err, p.close())
		}
	}()
	if err != nil {
		return err
	}
	// A contestant is a path over a wire; the paths of a wire are consecutive.
	n := len(tcpWires()) * len(paths)
	t, err := inTurns(s, n, s.rounds, func(i, round int) (bulk, error) {
		bad, p := tcpWires()[i/len(paths)], paths[i%len(paths)]
		bad.Seed = uint64(round*n + i)
		b, err := s.bulk(p.circuit, bad)
		if err != nil {
			err = fmt.Errorf("%s, loss %g: %w", p.name, bad.Loss, err)
		}
		return b, err
	})
	if err != nil {
		return err
	}
	s.reportTCP(paths, t)
	return nil
}

// bulk puts a wire with faults into a path, lets its forwarders run, and measures one TCP connection from host A
// to host B; then it freezes the forwarders and takes the wire out.
func (s *session) bulk(c *circuit, bad fault.Config) (b bulk, err error) {
	pull, err := c.plug(bad)
	if err != nil {
		return b, err
	}
	defer func() { err = errors.Join(err, pull()) }()
	c.thaw()
	defer c.freeze()
	if err := c.up(); err != nil {
		return b, err
	}
	return c.iperf(s.tcpOver())
}

// tcpOver returns how long each measured TCP connection lasts: at least 2 s, because TCP needs time to reach full
// speed.
func (s *session) tcpOver() time.Duration { return max(2*time.Second, s.over).Round(time.Second) }

// tcpTable returns the table without rows.
func (s *session) tcpTable() report.Table {
	return report.Table{
		Name: "tcp", Title: "One TCP connection over a wire that loses frames",
		Columns: report.Columns("loss of the wire", "%g", "path", "%s", "Gbit/s", "%.3f", "retransmissions", "%.0f",
			"paired ratio of Gbit/s to the path's clean wire", "%.3f", "quartiles", "%s", "pairs of windows", "%d"),
		Notes: []string{
			fmt.Sprintf("Medians of %d rounds or more. Wires and paths come in turns, in a different order each round; "+
				"the daemons are frozen while the plain wire is measured. iperf3 sends from host A to host B for %v "+
				"over a cable in the kernel that loses frames both ways; MTU %d, offloads of the hosts off, TCP with "+
				"the kernel's defaults. ",
				s.rounds, s.tcpOver(), tcpMTU) + pairedNote,
			"plain wire: only the cable between the hosts, which is faster than uelink over a wire without loss. " +
				"uelink: two daemons between hosts and cable, LLR both ways, window 64, edge rings of 4096, no spin.",
			"CPU 0 runs the sending iperf3 and daemon A, CPU 1 the receiving iperf3 and daemon B: host and " +
				"daemon share a core. veth does the receiver's work on the sender's CPU.",
		},
	}
}

// reportTCP adds the table to the report: a row for each wire and path, with the ratio to the path on the first wire.
func (s *session) reportTCP(paths []*tcpPath, measured turns[bulk]) {
	t, in := s.tcpTable(), s.cores.prevailing()
	bps := func(b bulk) float64 { return b.bps }
	for i, bad := range tcpWires() {
		for k, p := range paths {
			contestant := i*len(paths) + k
			rounds, astray := measured.count(in, contestant, k)
			rates := measured.values(contestant, rounds, bps)
			to := ratios(rates, measured.values(k, rounds, bps))
			retransmits := median(measured.values(contestant, rounds, func(b bulk) float64 { return b.retransmits }))
			t.Add(bad.Loss, p.name, median(rates)/1e9, retransmits, median(to), quartiles(to), windows(rounds, astray))
		}
	}
	t.Notes = append(t.Notes, s.cores.note())
	s.report.Add(t)
}
