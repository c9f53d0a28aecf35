package cable

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var (
	before = flag.String("cable.before", "", "another uelink, whose cable is measured beside this one")
	rounds = flag.Int("cable.rounds", 1, "how often each wire has its turn")
)

// loads are the wires of BenchmarkRules: the arguments of the cable by name. No rule hits; each looks at every frame.
func loads(dir string) map[string][]string {
	rules := func(n int) (args []string) {
		for range n {
			args = append(args, "--rule", "from=a kind=data vc=31 drop")
		}
		return args
	}
	return map[string][]string{
		"0 rules": nil, "10 rules": rules(10), "100 rules": rules(100), "analyze": {"--analyze"},
		"analyze, 10 rules": append(rules(10), "--analyze"),
		"capture":           {"--capture", filepath.Join(dir, "c"), "--capture-limit", "1GiB"},
	}
}

// BenchmarkRules measures the wire in user space: how many data frames of 1024 octets a second cross as the kernel
// makes them as fast as it can, the CPU time for each, and how long one alone takes, each with its share of the first
// wire: another uelink's, or that without rules. Wires take turns, and the best of the rounds are reported, because
// others use the machine.
//
//	go test ./lab/cable -run '^$' -bench Rules -benchtime 1x -cable.rounds 9 -cable.before /tmp/old/uelink
func BenchmarkRules(b *testing.B) {
	names := []string{"0 rules", "10 rules", "100 rules", "analyze", "analyze, 10 rules", "capture"}
	if *before != "" {
		names = append([]string{"before"}, names...)
	}
	rates, delays, costs := map[string][]float64{}, map[string][]float64{}, map[string][]float64{}
	for range *rounds {
		for _, name := range names {
			b.Run(name, func(b *testing.B) {
				rate, delay, cost := measured(b, name)
				rates[name], delays[name] = append(rates[name], rate), append(delays[name], delay)
				costs[name] = append(costs[name], cost)
			})
		}
	}
	for _, name := range names {
		rate, delay, cost := slices.Max(rates[name]), slices.Min(delays[name]), slices.Min(costs[name])
		fmt.Printf("| %s | %.3f | %.2f | %.0f | %.2f | %.1f | %.2f |\n", name, rate/1e6, rate/slices.Max(rates[names[0]]),
			cost, cost/slices.Min(costs[names[0]]), delay, delay/slices.Min(delays[names[0]]))
	}
}

// measured returns how many frames a second cross one wire, how many microseconds a single frame takes, the middle of
// many, and how many nanoseconds of CPU time the cable takes for a frame when there are more than it can carry.
func measured(t testing.TB, name string) (rate, delay, cost float64) {
	w, dir := newBench(t, 1500), t.TempDir()
	pid, stop := w.plugged(name, append([]string{"cable", "a", "b", "--mode", "user"}, loads(dir)[name]...))
	frame := append(sequenced(0), make([]byte, 1024-len(sequenced(0)))...)
	delay = w.alone(frame)
	sink := w.hosts[1].drops()
	for range 2 { // the first time warms up
		from, began, used := sink(), time.Now(), cpuTime(t, pid)
		w.hosts[0].generate(frame, 300_000)
		n := float64(sink() - from)
		rate, cost = n/time.Since(began).Seconds(), float64(cpuTime(t, pid)-used)/n
	}
	stop()
	return rate, delay, cost
}

// cpuTime returns the CPU time of a process so far.
func cpuTime(t testing.TB, pid int) (sum time.Duration) {
	files, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	must(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		must(t, err)
		var ns int64
		_, err = fmt.Sscan(string(text), &ns)
		must(t, err)
		sum += time.Duration(ns)
	}
	return sum
}

// plugged starts the cable of a name in a process, and waits until it carries frames.
func (b *bench) plugged(name string, args []string) (pid int, stop func()) {
	b.t.Helper()
	cmd := exec.Command("/proc/self/exe")
	for i := range args {
		args[i] = strings.ReplaceAll(args[i], " ", ";")
	}
	cmd.Env = append(os.Environ(), childKey+"="+strings.Join(args[1:], " "))
	if name == "before" {
		cmd = exec.Command(*before, args...)
	}
	must(b.t, b.middle.Start(cmd))
	b.t.Cleanup(func() { cmd.Process.Kill() })
	probe := make([]byte, 60)
	copy(probe, numbered(0, 60))
	eventually(b.t, "the cable to carry", func() bool {
		b.hosts[0].send(probe)
		time.Sleep(10 * time.Millisecond)
		octets := make([]byte, 2048)
		n, _, err := unix.Recvfrom(b.hosts[1].fd, octets, unix.MSG_DONTWAIT)
		return err == nil && n > 0
	})
	b.hosts[1].receive(0)
	return cmd.Process.Pid, func() {
		must(b.t, cmd.Process.Signal(syscall.SIGTERM))
		must(b.t, cmd.Wait())
	}
}

// alone returns the median time that a frame takes which crosses alone, in microseconds.
func (b *bench) alone(frame []byte) float64 {
	var times []float64
	for range 500 {
		began := time.Now()
		b.hosts[0].send(frame)
		b.hosts[1].receive(1)
		times = append(times, float64(time.Since(began))/1e3)
	}
	slices.Sort(times)
	return times[len(times)/2]
}
