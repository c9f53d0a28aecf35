package pods

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"uelink/control/api"
	"uelink/dataplane/model"
	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

var changes = flag.Int("pods.changes", 10, "how many ports TestManyChanges adds and removes")

// resources returns the memory in use by a daemon, octets, and the number of its descriptors.
func resources(t *testing.T, d *bed.Daemon) (memory, descriptors int) {
	t.Helper()
	pid := d.PID()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	bed.Must(t, err)
	_, rest, _ := strings.Cut(string(status), "VmRSS:")
	memory, err = strconv.Atoi(strings.Fields(rest)[0])
	bed.Must(t, err)
	files, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	bed.Must(t, err)
	return memory << 10, len(files)
}

// TestManyChanges: ports come and go in random order, with an upgrade in the middle, while hosts at other ports talk,
// of whose frames none is lost. Memory and descriptors of the daemon are those of the beginning.
func TestManyChanges(t *testing.T) {
	const width = 4 // ports at a time
	top := bed.Direct(t)
	pods := nstest.New(t, "pods")
	for i := range width {
		bed.Must(t, netns.Veth(pods, fmt.Sprint("pod", i), top.A, fmt.Sprint("ue-pod", i), bed.EdgeMTU))
	}
	p := top.Bridges(bed.Switching, bed.Switching)
	a, b := bed.NewTalker(t, top.HostA, 1), bed.NewTalker(t, top.HostB, 2)
	c := bed.NewTalk(t, a, b)
	c.EveryPair(a, b)
	c.Start(time.Millisecond)
	random := rand.New(rand.NewPCG(1, uint64(*changes)))
	var there [width]bool
	change := func(i int) {
		name := fmt.Sprint("ue-pod", i)
		var err error
		if there[i] {
			_, err = p.A.Client.RemovePorts(t.Context(), name)
		} else {
			_, err = p.A.Client.AddPorts(t.Context(), api.PortAddition{
				Ports: []map[string]any{{"name": name, "interface": name, "role": "edge",
					"labels": model.Labels{Owner: "test", Container: fmt.Sprint(i)}}},
				Bridges: []map[string]any{{"name": "br0", "ports": []map[string]any{{"port": name}}}},
			})
		}
		bed.Must(t, err)
		there[i] = !there[i]
	}
	all := func(want bool) { // the last first, which is not the order of their files
		for i := width - 1; i >= 0; i-- {
			if there[i] != want {
				change(i)
			}
		}
	}
	all(true)
	all(false)
	memory, descriptors := resources(t, p.A)
	for n := range *changes {
		if n == *changes/2 {
			all(true)
			p.A.Upgrade()
		}
		change(random.IntN(width))
	}
	all(false)
	c.End()
	after, open := resources(t, p.A)
	if open > descriptors+4 || after > memory+memory/4+16<<20 {
		t.Errorf("%d descriptors, %d MB; before %d, %d MB", open, after>>20, descriptors, memory>>20)
	}
	t.Logf("%d changes: %d descriptors, %d MB; before %d, %d MB", *changes, open, after>>20, descriptors, memory>>20)
}
