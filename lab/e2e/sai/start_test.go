package sai

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"uelink/lab/e2e/bed"
)

// orchagent starts testdata/start.c, and returns the ids that it found once none of its calls has ended it.
func orchagent(t *testing.T, d *bed.Daemon, start string) (p *bed.Process, ids string) {
	t.Helper()
	cmd := exec.Command(compile(t, "testdata/start.c", sanitizers...), start)
	cmd.Env = append(os.Environ(), "SAI_UELINK_SOCKET="+d.Socket)
	p = bed.Start(t, d.NS, "orchagent "+start, cmd)
	const last = "orchagent runs\n"
	bed.Eventually(t, "the end of the start "+start, func() string {
		if text := p.Stdout.String(); !strings.HasSuffix(text, last) {
			return "it says: " + text
		}
		return ""
	})
	return p, strings.TrimSuffix(p.Stdout.String(), last)
}

// TestStartOfAnOrchagent: none of the calls of an orchagent's start ends it. After it was killed, a warm start finds
// the same ids, also after an upgrade of the daemon, and a cold one may create everything again. After a restart of the
// daemon what was created is gone, and the default objects and ports have their ids.
func TestStartOfAnOrchagent(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	d := bed.NewDaemon(t, top.A, "A", off)
	d.Start()
	d.EndsLast()
	first, ids := orchagent(t, d, "cold")
	same := func(start string) *bed.Process {
		t.Helper()
		p, now := orchagent(t, d, start)
		if now != ids {
			t.Errorf("a %s start finds\n%s\nthe first one found\n%s", start, now, ids)
		}
		return p
	}
	kill := func(p *bed.Process) {
		t.Helper()
		p.Signal(syscall.SIGKILL)
		p.Wait()
	}
	kill(first)
	kill(same("warm"))
	kill(same("again"))
	d.Terminate()
	d.Start()
	kill(same("cold"))
	d.Upgrade()
	second, third := same("warm"), same("warm") // two at once
	kill(second)
	kill(third)
}
