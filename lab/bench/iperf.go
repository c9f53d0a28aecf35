package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"uelink/dataplane/ethtool"
	"uelink/internal/netns"
	"uelink/lab/bench/kernel"
)

// tcpMTU is the MTU of the hosts.
const tcpMTU = 1500

// tcpAddresses returns the addresses of host A and host B.

func tcpAddresses() [2]string { return [2]string{"10.78.0.1", "10.78.0.2"} }

// newPlain makes the namespaces of two hosts and of a wire between them, without forwarders. A cable has still to
// be plugged in. After an error, everything is removed.
//
//	hostA            wire            hostB
//	host0 ~ wireA [        ] wireB ~ host0
func newPlain(name string) (c *circuit, err error) {
	c = &circuit{}
	defer func() {
		if err != nil {
			err = errors.Join(err, c.close())
			c = &circuit{}
		}
	}()
	if c.wire, err = netns.New(name + "-wire"); err != nil {
		return c, err
	}
	for i, side := range []string{"A", "B"} {
		if c.hosts[i], err = netns.New(name + "-host" + side); err != nil {
			return c, err
		}
		if err = netns.Veth(c.hosts[i], "host0", c.wire, "wire"+side, tcpMTU); err != nil {
			return c, err
		}
		l, err := kernel.New(kernel.Config{})
		if err != nil {
			return c, err
		}
		c.loads = append(c.loads, l)
		if err = l.Pass(c.hosts[i], "host0"); err != nil {
			return c, err
		}
	}
	return c, nil
}

// address sets MTU and IP address of both hosts' interfaces, and turns their offloads off, for TCP.
func (c *circuit) address() error { return errors.Join(c.assign(), c.withoutOffloads()) }

// assign sets MTU and IP address of both hosts' interfaces.
func (c *circuit) assign() error {
	for i, host := range c.hosts {
		if err := errors.Join(host.SetMTU("host0", tcpMTU),
			host.AddAddr("host0", tcpAddresses()[i]+"/24")); err != nil {
			return err
		}
	}
	return nil
}

// withoutOffloads turns the offloads of both hosts' interfaces off: nobody finishes a checksum behind a wire of XDP
// programs.
func (c *circuit) withoutOffloads() error {
	for _, host := range c.hosts {
		if err := host.Do(func() error {
			on, _, err := ethtool.Offloads("host0")
			if err != nil {
				return err
			}
			return ethtool.Disable("host0", on)
		}); err != nil {
			return err
		}
	}
	return nil
}

// bulk is the result of TCP connections: throughput, retransmissions, and the part of a CPU that iperf3 took to send.
type bulk struct{ bps, retransmits, cpu float64 }

// iperf runs iperf3, one TCP connection from host A to host B for a time, or several with the flag -P, and returns
// throughput, retransmissions and the sender's share of a CPU. If the server does not listen yet when the client
// starts, the client starts again.
func (c *circuit) iperf(over time.Duration, flags ...string) (b bulk, err error) {
	server, err := startOn(c.hosts[1], "1", "iperf3", "-s", "-1", "-B", tcpAddresses()[1])
	if err != nil {
		return b, err
	}
	defer func() { err = errors.Join(err, server.stop()) }()
	args := append([]string{"-c", tcpAddresses()[1], "-J", "-t", fmt.Sprint(int(over.Seconds())), "--connect-timeout",
		"2000"}, flags...)
	var out []byte
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		client, err := startOn(c.hosts[0], "0", "iperf3", args...)
		if err != nil {
			return b, err
		}
		if out, err = client.wait(over + patience); err != nil || !strings.Contains(string(out), `"error":`) {
			return iperfResult(out, err)
		}
	}
	return b, fmt.Errorf("iperf3 has not connected within %v: %s", patience, out)
}

// iperfResult parses the JSON output of iperf3: throughput in bits a second, and retransmissions. If problem is
// not nil, it is returned instead.
func iperfResult(out []byte, problem error) (bulk, error) {
	var r struct {
		End struct {
			Sent struct {
				Retransmits float64 `json:"retransmits"`
			} `json:"sum_sent"`
			Received struct {
				BPS float64 `json:"bits_per_second"`
			} `json:"sum_received"`
			CPU struct {
				Host float64 `json:"host_total"` // percent
			} `json:"cpu_utilization_percent"`
		} `json:"end"`
	}
	if problem == nil {
		problem = json.Unmarshal(out, &r)
	}
	return bulk{r.End.Received.BPS, r.End.Sent.Retransmits, r.End.CPU.Host / 100}, problem
}
