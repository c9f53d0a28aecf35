package sai

import (
	"fmt"
	"strings"
	"testing"

	"uelink/lab/e2e/bed"
	"uelink/sai"
)

// TestStoppedQueueAndItsClient: a stopped queue opens when its client detaches, and some time after the client was
// killed. An upgrade keeps the stop, and the client finds the new process; a restart of the daemon frees the queue. No
// frame is lost that has room.
func TestStoppedQueueAndItsClient(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	p.A.EndsLast()
	program := compile(t, "testdata/driver.c")
	watcher := attach(t, program, p.A)
	hostA, hostB := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
	queue := watcher.queue(watcher.link(), 0)
	number := uint32(0)
	stop := func() (c *client) {
		c = attach(t, program, p.A)
		c.must("set %s %d=bool:0", queue, queueDequeue)
		for range 5 {
			number++
			hostA.Send(bed.Probe(number, 100))
		}
		watcher.becomes(queue, queueDequeue, sai.Bool, "0")
		bed.Eventually(t, "frames that wait", func() string {
			if n := watcher.stats(sai.StatRead, queue, queueOccupancy)[0]; n != 500 {
				return fmt.Sprintf("%d octets", n)
			}
			return ""
		})
		return c
	}
	opens := func(name string) {
		t.Helper()
		watcher.becomes(queue, queueDequeue, sai.Bool, "1")
		for n := number - 4; n <= number; n++ {
			hostB.Await(name, func(f []byte) bool { return bed.ProbeNumber(f) == n })
		}
	}
	stop().detach()
	opens("frames of a queue whose client has detached")
	stop().kill()
	opens("frames of a queue whose client was killed")

	c := stop()
	p.A.Upgrade()
	watcher.becomes(queue, queueDequeue, sai.Bool, "0")
	if status, rest := c.call("bulk %d=bool:1 %s %s %s", queueEnqueue, queue, "0x5", queue); status != -1 ||
		strings.Join(rest, " ") != "0 -19 -23" {
		t.Errorf("a bulk set whose second queue is none: %d %v", status, rest)
	}
	c.must("set %s %d=bool:1", queue, queueDequeue)
	opens("frames that waited through an upgrade")
	if text := p.A.ToolText("events"); strings.Count(text, "a client of SAI has stopped queue 0") != 3 {
		t.Errorf("the events are %s", text)
	}
}

// TestRestartOpensQueues: a daemon that ends lets the frames of its stopped queues go, and its successor has no stop.
func TestRestartOpensQueues(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	p := top.Daemons(bed.Settings{})
	c := attach(t, compile(t, "testdata/driver.c"), p.A)
	hostA, hostB := bed.Open(t, top.HostA, "eth0", bed.ProbeType), bed.Open(t, top.HostB, "eth0", bed.ProbeType)
	queue := c.queue(c.link(), 0)
	c.must("set %s %d=bool:0", queue, queueDequeue)
	hostA.Send(bed.Probe(1, 100))
	bed.Eventually(t, "a frame that waits", func() string {
		if c.stats(sai.StatRead, queue, queueOccupancy)[0] == 0 {
			return "none"
		}
		return ""
	})
	if code := p.A.Terminate(); code != 0 {
		t.Errorf("the daemon ended with %d", code)
	}
	hostB.Await("the frame that waited", func(f []byte) bool { return bed.ProbeNumber(f) == 1 })
	c.notified("switch 0x21000000000000 2")
	p.A.Start()
	c.notified("switch 0x21000000000000 1")
	c.becomes(queue, queueDequeue, sai.Bool, "1")
}
