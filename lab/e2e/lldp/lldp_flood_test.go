package lldp

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
	"uelink/lldp"
	"uelink/lldp/lldptest"
	"uelink/wire"
)

// expense is what a process has used.
type expense struct {
	at       time.Time
	worked   time.Duration // CPU time of all its threads
	resident int           // KiB
}

// expenseOf is the present one.
func expenseOf(p *bed.Process) (e expense) {
	p.T.Helper()
	e.at = time.Now()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", p.Cmd.Process.Pid))
	bed.Must(p.T, err)
	for _, task := range tasks {
		text, err := os.ReadFile(task)
		bed.Must(p.T, err)
		var worked, waited, slices int64
		_, err = fmt.Sscan(string(text), &worked, &waited, &slices)
		bed.Must(p.T, err)
		e.worked += time.Duration(worked)
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.Cmd.Process.Pid))
	bed.Must(p.T, err)
	for line := range strings.Lines(string(status)) {
		if text, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			_, err := fmt.Sscan(text, &e.resident)
			bed.Must(p.T, err)
		}
	}
	return e
}

// since says what was used since then.
func (e expense) since(then expense) string {
	took := e.at.Sub(then.at)
	return fmt.Sprintf("%v, %.1f %% of a CPU, RSS %d KiB before and %d KiB after", took.Round(time.Millisecond),
		100*float64(e.worked-then.worked)/float64(took), then.resident, e.resident)
}

// 100,000 LLDPDUs a second of unknown stations: the daemon keeps its memory bounded, and its present neighbour.
func TestLLDPFlood(t *testing.T) {
	const frames, perMillisecond, room = 200_000, 100, 16 << 10 // KiB
	w := bed.NewWired(t)
	a := begin(t, w.A, "A", bed.LLDPOnly{LLDP: "tx_interval: 30s", Top: named("flooded")})
	b := begin(t, w.B, "B", bed.LLDPOnly{LLDP: "tx_interval: 1s, tx_hold: 4", Top: named("real")})
	a.AwaitNeighbor("real")
	peer, rng := bed.Open(t, w.B, "link0", wire.EtherTypeLLDP), rand.New(rand.NewPCG(1, 2))
	pool := make([][]byte, 20_000)
	for i := range pool {
		pool[i] = lldptest.Stranger(rng, 65535)
	}
	quiet := expenseOf(a.Process)
	time.Sleep(time.Second) // what a second without a flood costs
	before := expenseOf(a.Process)
	t.Logf("before: %s", before.since(quiet))
	for i := range frames {
		f := pool[i%len(pool)]
		binary.BigEndian.PutUint32(f[wire.HeaderLen+5:], uint32(i)) // another chassis id each time
		peer.Send(f)
		if i%perMillisecond == 0 {
			time.Sleep(time.Until(before.at.Add(time.Duration(i/perMillisecond) * time.Millisecond)))
		}
	}
	during := expenseOf(a.Process)
	t.Logf("during: %s; %.0f LLDPDUs/s", during.since(before), frames/during.at.Sub(before.at).Seconds())
	time.Sleep(time.Second)
	after := expenseOf(a.Process)
	t.Logf("after: %s", after.since(during))
	if peak := max(during.resident, after.resident); peak > before.resident+room {
		t.Errorf("the resident set grew from %d to %d KiB", before.resident, peak)
	}

	s, list := lldpStatistics(a), a.Neighbors()
	t.Logf("%d taken, %d dropped by the socket, %d without room", s.Rx.TotalFrames, s.SocketDrops, s.Remote.Drops)
	if len(list) != lldp.DefaultMaxNeighbors || list[0].SystemName != "real" || s.Remote.Deletes != 0 {
		t.Errorf("%d neighbours, %+v; they are %+v", len(list), s.Remote, list)
	}
	if !lldpOf(a).TooManyNeighbors || s.Remote.Drops == 0 {
		t.Errorf("no flood: %+v", s.Remote)
	}
	b.AwaitNeighbor("flooded")
}
