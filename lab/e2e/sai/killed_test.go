package sai

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"uelink/lab/e2e/bed"
	"uelink/sai"
)

// TestDaemonIsKilled: a call during which the daemon is killed fails, and so does a call while there is none. When a
// daemon is back the same client works again, and is told.
func TestDaemonIsKilled(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	d := bed.NewDaemon(t, top.A, "A", off)
	d.Start()
	c := attach(t, compile(t, "testdata/driver.c"), d)
	kill := func() {
		t.Helper()
		d.Signal(syscall.SIGKILL)
		d.Wait()
		c.notified("switch 0x21000000000000 2")
	}
	back := func() {
		t.Helper()
		d.Start()
		c.notified("switch 0x21000000000000 1")
		c.create(sai.TypeLLRProfile, "0=u32:64", "1=u32:100000")
	}
	link, profile := c.link(), c.create(sai.TypeLLRProfile, "0=u32:64", "1=u32:100000")
	d.Freeze()
	c.begin("set %s 3=u8:7", profile)
	bed.Eventually(t, "a call under way", c.idles)
	kill()
	if status, _ := c.answer(); status != -1 {
		t.Errorf("a call whose daemon is killed: status %d", status)
	}
	c.refused(-1, "get %s %d=s32", link, llrTx)
	back()
	c.becomes(link, llrTx, sai.Enum, "0")
	kill()
	back()
}

// idles returns "it idles" while the driver waits for a line.
func (c *client) idles() string {
	c.t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/syscall", c.process.Pid))
	bed.Must(c.t, err)
	if strings.HasPrefix(string(text), fmt.Sprintf("%d 0x0 ", syscall.SYS_READ)) {
		return "it idles"
	}
	return ""
}

// TestTwoClientsAtOnce: two processes that create objects at the same time get objects of their own, and each sees
// those of the other.
func TestTwoClientsAtOnce(t *testing.T) {
	t.Parallel()
	const rounds = 50
	top := bed.Direct(t)
	d := bed.NewDaemon(t, top.A, "A", off)
	d.Start()
	program := compile(t, "testdata/driver.c")
	both := []*client{attach(t, program, d), attach(t, program, d)}
	created := map[string]bool{}
	for range rounds {
		for _, c := range both {
			c.begin("create %d 0=s32:2 1=qosmap:2/46>1", sai.TypeQoSMap)
		}
		for _, c := range both {
			status, rest := c.answer()
			if status != 0 || created[rest[0]] {
				t.Fatalf("status %d, and the object is %s, which is there: %v", status, rest[0], created)
			}
			created[rest[0]] = true
		}
	}
	for _, c := range both {
		for oid := range created {
			c.becomes(oid, 1, sai.MapList, "46>1")
		}
	}
}
