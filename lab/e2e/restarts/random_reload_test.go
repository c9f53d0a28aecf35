package restarts

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
)

var (
	reloadCount = flag.Int("reload.count", 16, "how often TestRandomReloads reloads")
	reloadSeed  = flag.Uint64("reload.seed", 0, "seed of TestRandomReloads; 0: the time")
)

// variant is a configuration of an end of a link, as a random reload has it.
type variant struct {
	profile, link, edge, top []string
	bridged, wrong           bool
}

// Text is the whole configuration.
func (v variant) Text(socket string) string {
	s := bed.Settings{
		Profile: strings.Join(append([]string{bed.Lossless.Profile}, v.profile...), ", "),
		Link:    strings.Join(v.link, ", "), Edge: strings.Join(v.edge, ", "), Top: strings.Join(v.top, "\n"),
	}
	text := s.Text(socket)
	if v.bridged {
		text = strings.Replace(text, "xconnects: [{edge: edge0, link: link0}]",
			"bridges: [{name: br0, ports: [{port: edge0}, {port: link0}]}]", 1)
	}
	if v.wrong {
		text = strings.Replace(text, "interface: edge0", "interface: none", 1)
	}
	return text
}

// anyOf returns one of some words, or none of them.
func anyOf(r *rand.Rand, words ...string) []string {
	if n := r.IntN(len(words) + 1); n < len(words) {
		return []string{words[n]}
	}
	return nil
}

// freeVariant is a configuration of keys whose change costs nothing.
func freeVariant(r *rand.Rand, folder string) (v variant) {
	v.profile = anyOf(r, "max_outstanding_frames: 256", "max_outstanding_frames: 400", "max_replay_timer: 3ms")
	const lossless = "vcs: 2, cbfc: {mode: static, vcs: [{index: 1, lossless: true, limit: %d}]}"
	v.link = append(anyOf(r, "vcs: 1", "native: socket", "mtu: set", "qos: {trust: dscp}",
		fmt.Sprintf(lossless, 32), fmt.Sprintf(lossless, 200)),
		anyOf(r, fmt.Sprintf("capture: %q", filepath.Join(folder, "link.pcapng")),
			fmt.Sprintf("capture: %q, capture_limit: 8192", filepath.Join(folder, "other.pcapng")))...)
	v.edge = append(anyOf(r, "qos: {trust: dot1p}", "mtu: check",
		"pfc: {mode: static, priorities: [3], xoff: 64, xon: 32}",
		"pfc: {mode: static, priorities: [3, 4], xoff: 128, xon: 64}"),
		anyOf(r, fmt.Sprintf("capture: %q", filepath.Join(folder, "edge.pcapng")))...)
	v.top = anyOf(r, "drain_timeout: 1s", "lldp: {system_name: another}")
	v.bridged, v.wrong = r.IntN(3) == 0, r.IntN(6) == 0
	return v
}

// anyVariant is a configuration that may have sockets opened and interfaces taken anew, too.
func anyVariant(r *rand.Rand, folder string) variant {
	v := freeVariant(r, folder)
	for _, keys := range []*[]string{&v.link, &v.edge} {
		*keys = append(*keys, anyOf(r, "ring_size: 512", "ring_size: 2048", "rx_ring_size: 8192")...)
		*keys = append(*keys, anyOf(r, "opener: native", "bind: copy", "chunk_size: 4096")...)
		*keys = append(*keys, anyOf(r, "xdp: generic")...)
	}
	v.link = append(v.link, anyOf(r, "promiscuous: true")...)
	v.edge = append(v.edge, anyOf(r, "promiscuous: false")...)
	v.edge = append(v.edge, anyOf(r, "push_back: on", "push_back: off")...)
	return v
}

// counted is how many frames the two ends count as dropped.
func counted(p bed.Pair) (n uint64) {
	for _, d := range []*bed.Daemon{p.A, p.B} {
		link, edge := d.Link(), d.Edge()
		n += link.RxDropped + link.TxDropped + edge.RxDropped + edge.TxDropped
	}
	return n
}

// reloaded reloads random configurations at both ends under load. It counts in taken those that each end had to take,
// and returns how many frames were lost.
func reloaded(top *bed.Topology, t *testing.T, p bed.Pair, r *rand.Rand, n int,
	next func(*rand.Rand, string) variant, taken map[*bed.Daemon]int) uint64 {
	l := top.Load(t, bed.Patience)
	folders := []string{t.TempDir(), t.TempDir()}
	began, slowest := time.Now(), time.Duration(0)
	for i := range n {
		d, v := []*bed.Daemon{p.A, p.B}[i%2], next(r, folders[i%2])
		at := time.Now()
		d.Reload(v.Text(d.Socket))
		if !v.wrong {
			taken[d]++
		}
		slowest = max(slowest, time.Since(at))
		l.Reach(l.Least() + 100)
	}
	t.Logf("%d reloads in %v, the slowest took %v", n, time.Since(began).Round(time.Millisecond),
		slowest.Round(time.Millisecond))
	lost := uint64(0)
	directions := l.End()
	bed.NeverTwice(t, directions)
	for _, d := range directions {
		lost += uint64(d.Lost)
	}
	return lost
}

// Random configurations are reloaded at both ends of a link under load. Where only keys change that cost nothing,
// nothing is lost; else what is lost is counted. Nothing comes twice, late or damaged.
func TestRandomReloads(t *testing.T) {
	seed := *reloadSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-reload.seed %d -reload.count %d", seed, *reloadCount)
	r := rand.New(rand.NewPCG(seed, 0))
	top := bed.Direct(t)
	p, taken := top.Daemons(bed.Lossless), map[*bed.Daemon]int{}
	if lost := reloaded(top, t, p, r, *reloadCount/2, freeVariant, taken); lost > 0 {
		t.Errorf("seed %d: %d frames were lost by changes that cost nothing; %d are counted", seed, lost, counted(p))
	}
	before := counted(p)
	lost := reloaded(top, t, p, r, *reloadCount-*reloadCount/2, anyVariant, taken)
	bed.Eventually(t, fmt.Sprintf("the counts of %d lost frames, seed %d", lost, seed), func() string {
		if n := counted(p) - before; lost > n {
			return fmt.Sprintf("%d are counted", n)
		}
		return ""
	})
	t.Logf("%d frames were lost", lost)
	for _, d := range []*bed.Daemon{p.A, p.B} {
		if n := strings.Count(d.Stderr.String(), "configuration reloaded"); n != taken[d] {
			t.Errorf("seed %d: end %s took %d configurations; %d of %d are right", seed, d.Name, n, taken[d],
				*reloadCount/2)
		}
	}
}
