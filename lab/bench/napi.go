package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"uelink/internal/netns"
)

// napi is the kernel threads that poll interfaces. With threads, forwarding by the kernel has its own core and CPU
// time, as other forwarders have. Without, the generator's core would do the work.
type napi []int // thread ids

// pollInThreads makes the kernel poll interfaces of a namespace in threads of their own, bound to a CPU, and
// returns the threads' ids. Each interface must have an XDP program or GRO; its thread lives as long as the
// interface.
func pollInThreads(ns *netns.NS, cpu int, ifnames ...string) (n napi, err error) {
	for _, ifname := range ifnames {
		before, err := napiThreads(ifname)
		if err != nil {
			return nil, err
		}
		// ip netns mounts the /sys of the namespace.
		write := fmt.Sprintf("echo 1 >/sys/class/net/%s/threaded", ifname)
		if out, err := exec.Command("ip", "netns", "exec", ns.Name(), "sh", "-c", write).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("poll %s in a thread: %w: %s", ifname, err, out)
		}
		now, err := napiThreads(ifname)
		if err != nil {
			return nil, err
		}
		now = slices.DeleteFunc(now, func(tid int) bool { return slices.Contains(before, tid) })
		if len(now) == 0 {
			return nil, fmt.Errorf("poll %s in a thread: the kernel has started no thread napi/%[1]s-*", ifname)
		}
		n = append(n, now...)
	}
	return n, n.tie(cpu)
}

// napiThreads returns the ids of the kernel threads that poll interfaces named ifname, in any namespace.
func napiThreads(ifname string) (n napi, err error) {
	files, err := filepath.Glob("/proc/[0-9]*/comm")
	for _, file := range files {
		name, err := os.ReadFile(file)
		if err != nil || !strings.HasPrefix(string(name), "napi/"+ifname+"-") {
			continue // ended, or another name
		}
		tid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			return nil, err
		}
		n = append(n, tid)
	}
	return n, err
}

// tie binds the kernel threads to a CPU.
func (n napi) tie(cpu int) error {
	var set unix.CPUSet
	set.Set(cpu)
	for _, tid := range n {
		if err := unix.SchedSetaffinity(tid, &set); err != nil {
			return fmt.Errorf("bind kernel thread %d to CPU %d: %w", tid, cpu, err)
		}
	}
	return nil
}

// cpuTime returns the CPU time of the threads so far, in ns.
func (n napi) cpuTime() (sum int64, err error) {
	for _, tid := range n {
		ns, err := threadTime(fmt.Sprintf("/proc/%d/task/%[1]d", tid))
		if err != nil {
			return 0, err
		}
		sum += ns
	}
	return sum, nil
}

func (n napi) failed() error { return nil }

// freeze does nothing, and neither does thaw: the kernel threads poll nothing while no frames arrive.
func (n napi) freeze() {}

func (n napi) thaw() {}
