package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"uelink/dataplane/fault"
	"uelink/internal/netns"
)

// congestionControls returns the congestion controls of the hosts' TCP that this kernel has: cubic, which nearly every
// host has, and bbr, which does not treat a lost segment as a sign of congestion.
func congestionControls() (list []string, err error) {
	text, err := os.ReadFile("/proc/sys/net/ipv4/tcp_available_congestion_control")
	for _, name := range []string{"cubic", "bbr"} {
		if slices.Contains(strings.Fields(string(text)), name) {
			list = append(list, name)
		}
	}
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("this kernel has neither cubic nor bbr: %s", text)
	}
	return list, err
}

// hostsPath is the circuit between two hosts, and its name in the tables.
type hostsPath struct {
	name string
	*circuit
}

// hostsDaemon returns the configuration of the daemons between hosts: that of the README, whose link never gives up.
func hostsDaemon() daemonConfig {
	c := reliable(patient + ", init_action: block, flush_action: block")
	c.stacks = true
	return c
}

// hostsPaths sets up the paths between hosts: a plain wire, then for each uelinkd program a wire between two daemons.
// It freezes their forwarders, so that only those of the path under measurement take CPU time. Paths are returned also
// with an error, and must be closed.
func (s *session) hostsPaths() (list []*hostsPath, err error) {
	open := []func(name string) (*circuit, error){s.plainHosts}
	names := []string{"plain wire"}
	for _, program := range s.uelinkds {
		name := "uelink"
		if len(s.uelinkds) > 1 {
			name = program
		}
		names = append(names, name)
		open = append(open, func(name string) (*circuit, error) { return s.linkedHosts(name, program) })
	}
	for i, name := range names {
		c, err := open[i](fmt.Sprint("hosts", i))
		list = append(list, &hostsPath{name, c})
		if err != nil {
			return list, fmt.Errorf("%s: %w", name, err)
		}
		c.freeze()
	}
	return list, nil
}

// plainHosts joins two hosts by a wire that has no cable yet. Their offloads are off, because behind XDP programs
// nobody finishes a checksum. Close the returned circuit also after an error.
func (s *session) plainHosts(name string) (*circuit, error) {
	c, err := newPlain(name)
	if err != nil {
		return c, err
	}
	return c, errors.Join(c.address(), c.forgetPaths())
}

// linkedHosts joins two hosts by two daemons of a program and a wire that has no cable yet. The hosts' offloads are as
// the daemons leave them. Close the returned circuit also after an error.
func (s *session) linkedHosts(name, program string) (*circuit, error) {
	c, err := newCircuit(name)
	if err != nil {
		return &circuit{}, err // the circuit has been closed
	}
	if err := errors.Join(c.assign(), c.forgetPaths()); err != nil {
		return c, err
	}
	return c, c.start(func(ns *netns.NS, cpu int) (forwarder, error) {
		return startDaemon(ns, cpu, s.newDir(), program, hostsDaemon())
	})
}

// forgetPaths keeps the TCP of both hosts from using metrics of earlier connections, which crossed other wires.
func (c *circuit) forgetPaths() error {
	for _, host := range c.hosts {
		if err := host.Do(func() error {
			return os.WriteFile("/proc/sys/net/ipv4/tcp_no_metrics_save", []byte("1"), 0)
		}); err != nil {
			return err
		}
	}
	return nil
}

// hosted is the result of a load between two hosts. CPU times are in seconds.
type hosted struct {
	asked
	hosts   float64 // CPU time of both hosts
	daemons float64 // CPU time of the forwarders between the hosts
}

// p50 returns the median time of an answer, µs. The methods below return the other figures of the tables: Gbit/s,
// segments sent again, CPU seconds for a GB (of the hosts, and of hosts and daemons), and GB for a CPU second of all.
func (h hosted) p50() float64         { return h.P50 }
func (h hosted) gbps() float64        { return h.BPS / 1e9 }
func (h hosted) retransmits() float64 { return h.Retransmits }
func (h hosted) hostsCPU() float64    { return h.hosts / max(1, h.Octets) * 1e9 }
func (h hosted) allCPU() float64      { return (h.hosts + h.daemons) / max(1, h.Octets) * 1e9 }
func (h hosted) perCPU() float64      { return 1 / h.allCPU() }

// hosts runs the experiment "hosts" and adds its tables to the report: how long requests take between two hosts, and
// how much TCP carries, over a wire alone and over a link, by loss of the wire and by congestion control.
func (s *session) hosts() (err error) {
	controls, err := congestionControls()
	if err != nil {
		return err
	}
	paths, err := s.hostsPaths()
	defer func() {
		for _, p := range paths {
			err = errors.Join(err, p.close())
		}
	}()
	if err != nil {
		return err
	}
	// A contestant is a path under a congestion control over a wire. The paths of one control and wire are consecutive.
	n := len(s.losses) * len(controls) * len(paths)
	t, err := inTurns(s, n, s.rounds, func(i, round int) ([]hosted, error) {
		k := i / len(paths)
		bad, control, p := s.losses[k/len(controls)], controls[k%len(controls)], paths[i%len(paths)]
		bad.Seed = uint64(round*n + i)
		did, err := s.perform(p.circuit, bad, control)
		if err != nil {
			err = fmt.Errorf("%s, loss %g, %s: %w", p.name, bad.Loss, control, err)
		}
		return did, err
	})
	if err == nil {
		s.reportHosts(paths, controls, t)
	}
	return err
}

// perform puts a wire with faults into a circuit, lets its forwarders run, and performs every load once with a
// congestion control; then it freezes the forwarders and takes the wire out. It returns the results by load.
func (s *session) perform(c *circuit, bad fault.Config, control string) (list []hosted, err error) {
	pull, err := c.plug(bad)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, pull()) }()
	c.thaw()
	defer c.freeze()
	if err := c.up(); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	b, err := startOn(c.hosts[1], "1", self, answerCommand, control)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, b.stop()) }()
	if err := b.await(listening, func() bool { return b.Stdout.String() == listening+"\n" }); err != nil {
		return nil, err
	}
	for i, l := range hostLoads() {
		h, err := s.load(c, b, self, control, i)
		if err != nil {
			return list, fmt.Errorf("%s: %w", l.name, errors.Join(err, b.failed()))
		}
		list = append(list, h)
	}
	return list, nil
}

// load performs load i of hostLoads: it runs host A as a process of this program, whose path is self, and returns the
// result that host A prints, with the CPU times of hosts and forwarders. b is the running process of host B.
func (s *session) load(c *circuit, b *process, self, control string, i int) (h hosted, err error) {
	before, err := c.cpuTimes(b)
	if err != nil {
		return h, err
	}
	over := s.over / 2
	if hostLoads()[i].connections > 0 {
		over = s.tcpOver()
	}
	a, err := startOn(c.hosts[0], "0", self, askCommand, control, strconv.Itoa(i), over.String())
	if err != nil {
		return h, err
	}
	out, err := a.wait(over + hostsPatience)
	if err == nil && !a.Cmd.ProcessState.Success() {
		err = a.failed()
	}
	if err == nil {
		err = json.Unmarshal(out, &h.asked)
	}
	after, problem := c.cpuTimes(b)
	h.hosts, h.daemons = h.CPU+after.hosts-before.hosts, after.daemons-before.daemons
	return h, errors.Join(err, problem)
}

// hostsPatience is how long a load may take beyond its time.
const hostsPatience = 10 * stallTime

// cpuTimes returns, in the fields hosts and daemons, the CPU time of host B and of the forwarders so far.
func (c *circuit) cpuTimes(b *process) (h hosted, err error) {
	ns, err := b.cpuTime()
	h.hosts = time.Duration(ns).Seconds()
	for _, f := range c.devices {
		ns, problem := f.cpuTime()
		h.daemons += time.Duration(ns).Seconds()
		err = errors.Join(err, problem)
	}
	return h, err
}
