package sai

import (
	"io"
	"os/exec"
	"strings"
	"testing"

	"uelink/lab/e2e/bed"
	"uelink/sai"
)

// sanitizers are the compiler's for a program that looks for faults of the library.
var sanitizers = []string{"-fsanitize=address", "-fsanitize=undefined", "-fno-sanitize-recover=undefined"}

// TestLifeOfAProcess: testdata/life.c demands each function's status before sai_api_initialize, between create_switch
// and remove_switch, and around. Another process of the same daemon goes on meanwhile. Five calls without a daemon
// write one line.
func TestLifeOfAProcess(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	d := bed.NewDaemon(t, top.A, "A", off)
	program := compile(t, "testdata/life.c", sanitizers...)
	cmd := exec.Command(program)
	cmd.Env = append(cmd.Environ(), "SAI_UELINK_SOCKET="+d.Socket)
	keys, err := cmd.StdinPipe()
	bed.Must(t, err)
	process := bed.Start(t, d.NS, program, cmd)
	reached := func(step string) {
		t.Helper()
		bed.Eventually(t, step, func() string {
			if text := process.Stdout.String(); !strings.HasSuffix(text, step+"\n") {
				return "it says: " + text
			}
			return ""
		})
	}
	next := func() {
		t.Helper()
		_, err := io.WriteString(keys, "\n")
		bed.Must(t, err)
	}
	reached("daemon away")
	next()
	reached("daemon back")
	d.Start()
	other := attach(t, compile(t, "testdata/driver.c"), d)
	next()
	reached("another process")
	profile := other.create(sai.TypeLLRProfile, "0=u32:64", "1=u32:100000")
	next()
	reached("detached")
	other.becomes(profile, 0, sai.U32, "64")
	next()
	if code := process.Wait(); code != 0 {
		t.Errorf("exit %d: %s", code, process.Stdout)
	}
	other.becomes(profile, 0, sai.U32, "64")
	if n := strings.Count(process.Stderr.String(), "see whether uelinkd runs"); n != 1 {
		t.Errorf("%d lines say that the daemon is away:\n%s", n, process.Stderr)
	}
}

// TestBoundsOfLibsai: testdata/bounds.c demands the statuses of calls at the bounds of what the library takes.
func TestBoundsOfLibsai(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	d := bed.NewDaemon(t, top.A, "A", off)
	d.Start()
	program := compile(t, "testdata/bounds.c", sanitizers...)
	cmd := exec.Command(program)
	cmd.Env = append(cmd.Environ(), "SAI_UELINK_SOCKET="+d.Socket)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}
