package pods

import (
	"flag"
	"fmt"
	"sync"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

var attachments = flag.Int("pods.attachments", 20, "how many pods TestManyPods adds and removes")

// TestManyPods: two plugins at once add and remove pods, with an upgrade of the daemon in the middle, while hosts at
// other ports talk, of whose frames none is lost. Memory and descriptors of the daemon stay what they are with the
// first pods, and nothing is left.
func TestManyPods(t *testing.T) {
	top := bed.Direct(t)
	p := top.Bridges(bed.Switching, bed.Switching)
	n := newNode(p.A, plugins(t))
	n.EndsLast()
	config := n.plugin("pods", `"bridge": "br0", "ipam": `+n.ipam(10, 11))
	pods := []*netns.NS{nstest.New(t, "pod0"), nstest.New(t, "pod1")}
	come := func(rounds int) {
		var plugins sync.WaitGroup
		for i, pod := range pods {
			plugins.Go(func() {
				for r := range rounds {
					for _, verb := range []string{"ADD", "DEL"} {
						if got := n.call(t, verb, fmt.Sprint("c", i, "-", r), pod.Path(), config); got.code != 0 {
							t.Errorf("%s %d of pod %d: %+v", verb, r, i, got)
							return
						}
					}
				}
			})
		}
		plugins.Wait()
	}
	a, b := bed.NewTalker(t, top.HostA, 1), bed.NewTalker(t, top.HostB, 2)
	c := bed.NewTalk(t, a, b)
	c.EveryPair(a, b)
	c.Start(time.Millisecond)
	come(2)
	memory, descriptors := resources(t, p.A)
	come(*attachments / 4)
	p.A.Upgrade()
	come(*attachments / 4)
	c.End()
	after, open := resources(t, p.A)
	if open > descriptors+4 || after > memory+memory/4+16<<20 {
		t.Errorf("%d descriptors, %d MB; before %d, %d MB", open, after>>20, descriptors, memory>>20)
	}
	if left := n.left(t); len(left) > 0 {
		t.Errorf("left are %q", left)
	}
	t.Logf("%d pods: %d descriptors, %d MB; before %d, %d MB", *attachments, open, after>>20, descriptors, memory>>20)
}
