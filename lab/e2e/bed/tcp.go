package bed

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"uelink/internal/netns"
)

// BulkSettings is for one TCP connection at full speed. A small LLR window keeps go-back-N from repeating many frames
// for each loss. spin is off because both hosts and both daemons share two cores here: a spinning worker would take
// the CPU from the processes it waits for. The edge keeps its default, which takes a whole TCP window at once.
var BulkSettings = Settings{Profile: Lossless.Profile + ", max_outstanding_frames: 64", Top: "spin: 0s"}

// bulk is the result of one TCP connection.
type bulk struct {
	bps         float64
	retransmits int
}

// bulkOctets is the length of one connection: some 44,000 frames.
const bulkOctets = "64M"

// tcp sends bulkOctets by one TCP connection from hostA to hostB, or with reverse from hostB to hostA, and returns
// throughput and retransmissions. It uses iperf3.
func (top *Topology) tcp(reverse bool) bulk {
	top.T.Helper()
	server := Start(top.T, top.HostB, "iperf3 server", exec.Command("iperf3", "-s", "-1", "-B", AddressB))
	args := []string{"-c", AddressB, "-J", "-n", bulkOctets, "--connect-timeout", "2000"}
	if reverse {
		args = append(args, "-R")
	}
	var out string
	Eventually(top.T, "an iperf3 run", func() string {
		client := Start(top.T, top.HostA, "iperf3 client", exec.Command("iperf3", args...))
		code := client.Wait()
		// With -J a refused client exits 0 and has the error in its JSON.
		if out = client.Stdout.String(); code != 0 || strings.Contains(out, `"error":`) {
			return fmt.Sprintf("exit %d: %s", code, out)
		}
		return ""
	})
	server.Wait()
	var r struct {
		End struct {
			Sent struct {
				Retransmits int `json:"retransmits"`
			} `json:"sum_sent"`
			Received struct {
				BPS float64 `json:"bits_per_second"`
			} `json:"sum_received"`
		} `json:"end"`
	}
	Must(top.T, json.Unmarshal([]byte(out), &r))
	return bulk{r.End.Received.BPS, r.End.Sent.Retransmits}
}

// TCPSeconds starts TCP traffic by iperf3, with these flags of the client, from hostA to hostB for a number of seconds.
// The returned function waits for the end of the traffic, and returns the throughput of each second in Mbit/s and the
// number of retransmitted segments.
func (top *Topology) TCPSeconds(seconds int, flags ...string) (end func() (perSecond []float64, retransmits int)) {
	top.T.Helper()
	server := Start(top.T, top.HostB, "iperf3 server", exec.Command("iperf3", "-s", "-1", "-B", AddressB))
	Eventually(top.T, "iperf3 that listens", func() string {
		if Run(top.T, top.HostB, exec.Command("ss", "-Hltn", "sport", "=", ":5201")) == "" {
			return "it does not"
		}
		return ""
	})
	client := Start(top.T, top.HostA, "iperf3 client", exec.Command("iperf3", append(flags, "-c", AddressB, "-J",
		"-t", fmt.Sprint(seconds))...))
	return func() (perSecond []float64, retransmits int) {
		top.T.Helper()
		server.Wait()
		code := client.Wait()
		var r struct {
			Error     string
			Intervals []struct {
				Sum struct {
					BPS         float64 `json:"bits_per_second"`
					Retransmits int
				}
			}
		}
		Must(top.T, json.Unmarshal([]byte(client.Stdout.String()), &r))
		if code != 0 || r.Error != "" {
			top.T.Errorf("iperf3: exit %d, %s", code, r.Error)
		}
		for _, i := range r.Intervals {
			perSecond, retransmits = append(perSecond, i.Sum.BPS/1e6), retransmits+i.Sum.Retransmits
		}
		return perSecond, retransmits
	}
}

// BothWays measures a TCP connection from hostA to hostB, and then one from hostB to hostA, and returns their
// throughput in bits a second. It reports an error of the test if TCP retransmitted anything.
func (top *Topology) BothWays(p Pair) (bps [2]float64) {
	top.T.Helper()
	for i, reverse := range []bool{false, true} {
		b := top.tcp(reverse)
		top.T.Logf("reverse (host B to A) %v: %.0f Mbit/s, %d retransmissions", reverse, b.bps/1e6, b.retransmits)
		if b.retransmits > 0 {
			top.T.Errorf("reverse (host B to A) %v: %d retransmissions; the edges dropped %d frames of hosts for want of room; "+
				"counters of the kernel of host A: %s; of host B: %s", reverse, b.retransmits, top.overrun(p),
				kernelCounters(top.T, top.HostA), kernelCounters(top.T, top.HostB))
		}
		bps[i] = b.bps
	}
	return bps
}

// kernelCounters returns counters of a host's kernel as text, to explain retransmissions: those of TCP that are not 0
// (TcpExt in /proc/net/netstat), and those of the interfaces (/proc/net/dev).
func kernelCounters(t testing.TB, host *netns.NS) string {
	t.Helper()
	var all []string
	Must(t, host.Do(func() error {
		text, err := os.ReadFile("/proc/thread-self/net/netstat")
		if err != nil {
			return err
		}
		lines := strings.Split(string(text), "\n")
		names, values := strings.Fields(lines[0]), strings.Fields(lines[1])
		for i, name := range names {
			if i > 0 && values[i] != "0" {
				all = append(all, name+" "+values[i])
			}
		}
		dev, err := os.ReadFile("/proc/thread-self/net/dev")
		all = append(all, string(dev))
		return err
	}))
	return strings.Join(all, ", ")
}

// OnlyRealLosses makes the hosts' TCP retransmit lost or overtaken segments only, not segments whose answer is late:
// its timers run out when another process has the CPU for long, whatever the wire does. TCP still finds losses by
// duplicate acknowledgements. Frames for a host wait at one CPU (RPS): the kernel has a queue for each CPU, and on a
// busy machine frames of a daemon's thread that has moved to another CPU overtake those before them.
func (top *Topology) OnlyRealLosses() {
	top.T.Helper()
	for _, host := range []*netns.NS{top.HostA, top.HostB} {
		for name, value := range map[string]string{
			"tcp_early_retrans": "0",        // no tail loss probes
			"tcp_rto_min_us":    "10000000", // longer than any daemon waits for a CPU
		} {
			Must(top.T, host.Do(func() error { return os.WriteFile("/proc/sys/net/ipv4/"+name, []byte(value), 0) }))
		}
		Run(top.T, host, exec.Command("unshare", "--mount", "sh", "-ec",
			"mount -t sysfs sysfs /sys; for q in /sys/class/net/*/queues/rx-*/rps_cpus; do echo 1 >$q; done"))
	}
}

// overrun returns how many frames of the hosts both daemons together have lost because the edge's socket had no
// room.
func (top *Topology) overrun(p Pair) (n uint64) {
	for _, d := range []*Daemon{p.A, p.B} {
		s := d.Edge().Socket
		n += s.RxRingFull + s.RxDropped
	}
	return n
}
