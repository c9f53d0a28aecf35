package restarts

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/cilium/ebpf"

	"uelink/lab/e2e/bed"
)

var leakRestarts = flag.Int("leak.restarts", 6,
	"how often TestRestartsUnderLiveFramesLeakNothing restarts an end")

// held is the memory of the whole machine that is in use, in kB, and the number of loaded XDP programs of uelink.
type held struct {
	kernel   int // the kernel's own: neither of processes nor a cache
	slabs    int // SUnreclaim
	percpu   int
	programs int
}

func (h held) String() string {
	return fmt.Sprintf("%d kB of the kernel, %d kB of slabs, %d kB per CPU, %d programs", h.kernel, h.slabs, h.percpu,
		h.programs)
}

// heldNow reads what is in use.
func heldNow(t testing.TB) held {
	t.Helper()
	kB := map[string]int{}
	for line := range strings.Lines(read(t, "/proc/meminfo")) {
		name, value, _ := strings.Cut(line, ":")
		var n int
		if _, err := fmt.Sscan(value, &n); err == nil {
			kB[name] = n
		}
	}
	h := held{slabs: kB["SUnreclaim"], percpu: kB["Percpu"], programs: programs(t)}
	h.kernel = kB["MemTotal"] - kB["MemFree"] - kB["Buffers"] - kB["Cached"] - kB["SReclaimable"] - kB["AnonPages"]
	for line := range strings.Lines(read(t, "/proc/zoneinfo")) {
		var pages int // in the lists of free pages of a CPU
		if n, _ := fmt.Sscanf(strings.TrimSpace(line), "count: %d", &pages); n == 1 {
			h.kernel -= pages * os.Getpagesize() / 1024
		}
	}
	return h
}

func read(t testing.TB, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	bed.Must(t, err)
	return string(text)
}

// programs returns the number of loaded programs of uelink.
func programs(t testing.TB) (n int) {
	t.Helper()
	for id, err := ebpf.ProgramGetNextID(0); err == nil; id, err = ebpf.ProgramGetNextID(id) {
		p, err := ebpf.NewProgramFromID(id)
		if err != nil {
			continue // it has just gone
		}
		info, err := p.Info()
		bed.Must(t, err)
		if strings.HasPrefix(info.Name, "uelink_") {
			n++
		}
		p.Close()
	}
	return n
}

// An end whose frames leave live is killed and terminated in turn, again and again, under load: the kernel frees the
// programs and the memory of each, slots, page pools and sockets.
func TestRestartsUnderLiveFramesLeakNothing(t *testing.T) {
	const (
		first = 2     // restarts before the first look: caches fill
		most  = 32768 // kB of growth: less than the sockets of two daemons
	)
	top := bed.Direct(t)
	p := top.Daemons(bed.Lossless)
	top.Batches(t, 50*time.Millisecond)
	var before held
	for i := range first + *leakRestarts + 1 {
		p.A.SendsLive()
		if i == first {
			before = heldNow(t)
		}
		if i == first+*leakRestarts {
			break
		}
		if i%2 == 0 {
			p.A.Kill()
		} else if code := p.A.Terminate(); code != 0 {
			t.Errorf("exit %d", code)
		}
		p.A.Start()
	}
	bed.Eventually(t, "as much in use as before", func() string {
		now := heldNow(t)
		if now.programs > before.programs || now.kernel > before.kernel+most {
			return fmt.Sprintf("after %d restarts %v, before %v", *leakRestarts, now, before)
		}
		return ""
	})
	t.Logf("%d restarts: before %v; after %v", *leakRestarts, before, heldNow(t))
}
