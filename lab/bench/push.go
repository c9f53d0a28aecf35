package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"uelink/dataplane/fault"
	"uelink/lab/bench/report"
)

// pushConnections returns for how many TCP connections at a time edges that push back are measured.
func pushConnections() []int { return []int{1, 8} }

// pushed is the result of TCP connections from host A to host B in a window.
type pushed struct {
	bulk
	dropped float64 // frames dropped by both daemons, their sockets and the host's queueing discipline
	pps     float64 // frames a second that edge A has received
	ping    float64 // mean round-trip time of the ping meanwhile, ms
	daemon  float64 // CPU time of daemon A for a frame, ns
	sender  float64 // CPU time of iperf3 for a frame, ns
}

// push runs the experiment "push" and adds its table to the report: TCP through edges on which frames without room
// are dropped, and through edges that push back, over a clean wire.
func (s *session) push() (err error) {
	var paths []*tcpPath
	defer func() {
		for _, p := range paths {
			err = errors.Join(err, p.close())
		}
	}()
	for _, value := range []string{"off", "on"} {
		config := bulkDaemon()
		config.edge = ", offload: off, push_back: " + value
		c, err := s.wiredWith("push-"+value, config)
		paths = append(paths, &tcpPath{value, c})
		if err == nil {
			err = c.address()
		}
		if err != nil {
			return fmt.Errorf("push_back: %s: %w", value, err)
		}
		c.freeze()
	}
	counts := pushConnections()
	t, err := inTurns(s, len(counts)*len(paths), s.rounds, func(i, _ int) (pushed, error) {
		return s.pushed(paths[i%len(paths)].circuit, counts[i/len(paths)])
	})
	if err == nil {
		s.reportPush(paths, t)
	}
	return err
}

// pushed puts a clean wire into a circuit, lets its daemons run, and measures a number of TCP connections and a ping
// beside them; then it freezes the daemons and takes the wire out. The daemons of the other circuits are frozen.
func (s *session) pushed(c *circuit, connections int) (w pushed, err error) {
	pull, err := c.plug(fault.Config{})
	if err != nil {
		return w, err
	}
	defer func() { err = errors.Join(err, pull()) }()
	c.thaw()
	defer c.freeze()
	if err := c.up(); err != nil {
		return w, err
	}
	frames, dropped, err := c.edges()
	if err != nil {
		return w, err
	}
	cpu, err := c.devices[0].cpuTime()
	if err != nil {
		return w, err
	}
	over := s.tcpOver()
	ping, err := startOn(c.hosts[0], "0", "ping", "-q", "-i", "0.05", "-w", fmt.Sprint(int(over.Seconds())),
		tcpAddresses()[1])
	if err != nil {
		return w, err
	}
	if w.bulk, err = c.iperf(over, "-P", fmt.Sprint(connections)); err != nil {
		return w, errors.Join(err, ping.stop())
	}
	out, err := ping.wait(patience)
	if err != nil {
		return w, err
	}
	after, err := c.devices[0].cpuTime()
	if err != nil {
		return w, err
	}
	allFrames, allDropped, err := c.edges()
	if err != nil {
		return w, err
	}
	n := float64(allFrames - frames)
	w.dropped, w.pps = float64(allDropped-dropped), n/over.Seconds()
	w.daemon, w.sender = float64(after-cpu)/n, w.cpu*float64(over)/n
	w.ping, err = meanPing(string(out))
	return w, err
}

// edges returns how many frames edge A has received, and how many frames were dropped at all ports of both daemons;
// frames that arrived at a port without a socket do not count.
func (c *circuit) edges() (received, dropped uint64, err error) {
	for i, f := range c.devices {
		ports, err := f.(*daemon).client.Ports(context.Background())
		if err != nil {
			return 0, 0, err
		}
		for _, p := range ports {
			dropped += p.RxDropped + p.TxDropped - p.Counters.RxNoSocket
			if i == 0 && p.Name == "edge0" {
				received = p.Counters.RxFrames
			}
		}
	}
	return received, dropped, nil
}

// meanPing returns the mean round-trip time in the last line of ping, in ms.
func meanPing(out string) (ms float64, err error) {
	_, figures, found := strings.Cut(out, "min/avg/max/mdev = ")
	fields := strings.Split(figures, "/")
	if !found || len(fields) < 4 {
		return 0, fmt.Errorf("ping printed no round-trip time: %s", out)
	}
	_, err = fmt.Sscan(fields[1], &ms)
	return ms, err
}

// pushTable returns the table without rows.
func (s *session) pushTable() report.Table {
	return report.Table{
		Name: "push", Title: "TCP at edges that push back",
		Columns: report.Columns("connections", "%d", "push_back", "%s", "frames dropped", "%.0f", "segments again", "%.0f",
			"Gbit/s", "%.3f", "frames/s", "%.0f", "ping, ms", "%.1f", "daemon, ns a frame", "%.0f",
			"sender, ns a frame", "%.0f", "paired ratio of Gbit/s to off", "%.2f", "quartiles", "%s", "pairs of windows", "%d"),
		Notes: []string{
			fmt.Sprintf("Medians of %d rounds or more of %v. Daemons with push_back on and off run in turns, and idle "+
				"daemons are frozen. iperf3 sends from host A to host B over a clean wire, beside a ping every 50 ms; MTU "+
				"%d, offloads of the hosts off, TCP with the kernel's defaults. Ratios are of the throughput. ", s.rounds, s.tcpOver(), tcpMTU) + pairedNote,
			"CPU 0 runs the sending iperf3 and daemon A, whose figure is in the table. CPU 1 runs the receiving iperf3 " +
				"and daemon B. With push_back: on the kernel's NAPI and a part of TCP run in the daemon's thread.",
		},
	}
}

// reportPush adds the table to the report: a row for each number of connections and path.
func (s *session) reportPush(paths []*tcpPath, measured turns[pushed]) {
	t, in := s.pushTable(), s.cores.prevailing()
	for i, connections := range pushConnections() {
		for k, p := range paths {
			contestant, off := i*len(paths)+k, i*len(paths)
			rounds, astray := measured.count(in, contestant, off)
			figure := func(index int, f func(pushed) float64) []float64 { return measured.values(index, rounds, f) }
			middle := func(f func(pushed) float64) float64 { return median(figure(contestant, f)) }
			bps := func(w pushed) float64 { return w.bps }
			to := ratios(figure(contestant, bps), figure(off, bps))
			t.Add(connections, p.name, middle(func(w pushed) float64 { return w.dropped }),
				middle(func(w pushed) float64 { return w.retransmits }), middle(bps)/1e9,
				middle(func(w pushed) float64 { return w.pps }), middle(func(w pushed) float64 { return w.ping }),
				middle(func(w pushed) float64 { return w.daemon }), middle(func(w pushed) float64 { return w.sender }),
				median(to), quartiles(to), windows(rounds, astray))
		}
	}
	t.Notes = append(t.Notes, s.cores.note())
	s.report.Add(t)
}
