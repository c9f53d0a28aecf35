package restarts

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"uelink/client"
	"uelink/lab/e2e/bed"
	"uelink/wire"
)

// A capture goes on in the same file, and no frame is missing in it.
func TestCaptureGoesOnAcrossUpgrades(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	s := bed.Lossless
	file := filepath.Join(t.TempDir(), "link0.pcapng")
	s.Link = "capture: " + file
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", s), B: bed.NewDaemon(t, top.B, "B", bed.Lossless)}
	p.Start()
	b := flowBothWays(t, top, slowRate)
	for range 3 {
		p.A.Upgrade()
	}
	b.whole()
	bed.Must(t, syscall.Kill(p.A.PID(), syscall.SIGTERM))
	p.A.Wait()
	octets, err := os.ReadFile(file)
	bed.Must(t, err)
	seen := map[uint32]int{}
	probe := bed.Probe(0, wire.MinFrameLen)
	for {
		i := bytes.Index(octets, probe[wire.AddrLen:2*wire.AddrLen])
		if i < 0 {
			break
		}
		octets = octets[i+wire.AddrLen:]
		// Behind a shim: its sequence number may look like the probe's EtherType.
		if inner := octets[wire.ShimLen:]; bytes.HasPrefix(inner, probe[2*wire.AddrLen:wire.HeaderLen]) {
			seen[binary.BigEndian.Uint32(inner[2:])]++
		}
	}
	for n := range min(b.from.sent, b.to.sent) {
		if seen[n] < 2 { // one of each way
			t.Fatalf("frame %d is %d times in the capture", n, seen[n])
		}
	}
}

// A TCP connection goes on across ten upgrades, and sends no segment again for them.
func TestTCPAcrossUpgrades(t *testing.T) {
	bed.RequireProgram(t, "iperf3", "iperf3")
	top := bed.Direct(t)
	top.OnlyRealLosses()
	p := top.Daemons(bed.BulkSettings)
	p.A.EndsLast()
	p.B.EndsLast()
	end := top.TCPSeconds(4)
	for i := range 10 {
		[]*bed.Daemon{p.A, p.B}[i%2].Upgrade()
		time.Sleep(200 * time.Millisecond) // traffic between: nothing waits for this time
	}
	perSecond, repeat := end()
	if repeat > 0 {
		t.Errorf("%d segments were sent again", repeat)
	}
	t.Logf("Mbit/s of each second: %.0f", perSecond)
}

// Watches of events go on with the next process. A watch of frames ends, and says why.
func TestWatchesAcrossUpgrades(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	p := top.Daemons(bed.Lossless)
	p.A.EndsLast()
	tool := func(args ...string) *bed.Process {
		args = append([]string{"--socket", p.A.Socket}, args...)
		return bed.Start(t, top.A, "uelink watch", exec.Command(bed.Program("uelink"), args...))
	}
	events, frames := tool("watch"), tool("watch", "frames", "link0")
	bed.Eventually(t, "frames that are shown", func() string {
		if frames.Stdout.String() == "" {
			return "none"
		}
		return ""
	})
	for i := range 3 {
		p.A.Upgrade()
		bed.Eventually(t, "the event", func() string {
			text := events.Stdout.String()
			if n := strings.Count(text, "has taken over: program "); n != i+1 || !events.Running() {
				return fmt.Sprintf("%d times in %s%s", n, text, events.Stderr)
			}
			return ""
		})
		bed.Must(t, said(events.Stdout.String(), fmt.Sprintf("process %d, has taken over", p.A.PID()), ", SHA-256 ",
			fmt.Sprintf("asked for by user 0, process %d", os.Getpid())))
	}
	if code := frames.Wait(); code == 0 {
		t.Error("the watch of frames has not failed")
	}
	bed.Must(t, said(frames.Stderr.String(), "another process has taken over: start the command again"))
	bed.Must(t, top.A.SetLink("link0", false)) // an event after all upgrades
	bed.Eventually(t, "an event of the last process", func() string {
		if text := events.Stdout.String(); !strings.Contains(text, "oper_status") {
			return text
		}
		return ""
	})
}

// meter reads the counters of a daemon again and again, and keeps those that step back.
type meter struct {
	client  *client.Client
	last    map[string]float64
	back    []string
	reads   int
	stop    chan struct{}
	running sync.WaitGroup
}

// newMeter starts to read.
func newMeter(t *testing.T, d *bed.Daemon) *meter {
	m := &meter{client: client.NewClient(d.Socket), last: map[string]float64{}, stop: make(chan struct{})}
	m.running.Go(func() {
		for {
			select {
			case <-m.stop:
				return
			case <-time.After(10 * time.Millisecond):
				m.read(t.Context())
			}
		}
	})
	return m
}

// read compares the counters with those read before.
func (m *meter) read(ctx context.Context) {
	ports, err := m.client.Ports(ctx)
	if err != nil {
		return // a connection that the old process has accepted
	}
	m.reads++
	for _, p := range ports {
		text, err := json.Marshal(p)
		var tree any
		if err == nil {
			err = json.Unmarshal(text, &tree)
		}
		if err != nil {
			m.back = append(m.back, err.Error())
			return
		}
		m.compare(p.Name, tree, false)
	}
}

// compare walks through JSON, and compares the numbers below keys of counters.
func (m *meter) compare(at string, tree any, counts bool) {
	switch v := tree.(type) {
	case map[string]any:
		for key, below := range v {
			m.compare(at+"."+key, below, counts || key == "counters" || key == "socket" || key == "sockets" ||
				key == "rx_dropped" || key == "tx_dropped")
		}
	case []any:
		for i, below := range v {
			m.compare(fmt.Sprintf("%s[%d]", at, i), below, counts)
		}
	case float64:
		if counts && v < m.last[at] {
			m.back = append(m.back, fmt.Sprintf("%s: %v after %v", at, v, m.last[at]))
		}
		if counts {
			m.last[at] = v
		}
	}
}

// end ends the reading, and demands counters that never stepped back.
func (m *meter) end(t *testing.T) {
	t.Helper()
	close(m.stop)
	m.running.Wait()
	m.client.Close()
	for _, b := range m.back {
		t.Error(b)
	}
	t.Logf("%d counters read %d times", len(m.last), m.reads)
}
