package sai

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
)

var (
	abuseCalls     = flag.Int("abuse.calls", 2000, "random calls of TestAbuseOfLibsai")
	abuseThreads   = flag.Int("abuse.threads", 16, "threads of TestAbuseOfLibsai")
	abuseSanitizer = flag.String("abuse.sanitizer", "address",
		"sanitizer of TestAbuseOfLibsai: address, with undefined; or thread")

	abuseSeed = flag.Int64("abuse.seed", time.Now().UnixNano()%1e6, "seed of TestAbuseOfLibsai")
)

// TestAbuseOfLibsai: random calls from many threads harm neither the library, as a sanitizer sees it, nor the daemon.
func TestAbuseOfLibsai(t *testing.T) {
	top := bed.Direct(t)
	d := bed.NewDaemon(t, top.A, "A", configured)
	d.Start()
	flags := sanitizers
	if *abuseSanitizer != "address" {
		flags = []string{"-fsanitize=" + *abuseSanitizer}
	}
	program := compile(t, "testdata/abuse.c", flags...)
	cmd := exec.Command(program, strconv.Itoa(*abuseThreads), strconv.Itoa(*abuseCalls),
		strconv.FormatInt(*abuseSeed, 10))
	cmd.Env = append(os.Environ(), "SAI_UELINK_SOCKET="+d.Socket)
	out, err := cmd.CombinedOutput()
	t.Logf("%s", out)
	if err != nil {
		t.Fatalf("seed %d: %v", *abuseSeed, err)
	}
	if text := d.ToolText("sai", "objects"); !strings.Contains(text, "SWITCH uelinkd") {
		t.Errorf("uelink sai objects: %s", text)
	}
	if code := d.Terminate(); code != 0 {
		t.Errorf("the daemon ended with %d", code)
	}
}

// TestSymbolsOfLibsai: the library defines SAI's functions, and no others.
func TestSymbolsOfLibsai(t *testing.T) {
	t.Parallel()
	bed.RequireProgram(t, "nm", "binutils")
	program := compile(t, "testdata/driver.c")
	library := filepath.Join(filepath.Dir(program), "libsai.so")
	out, err := exec.Command("nm", "-D", "--defined-only", library).Output()
	bed.Must(t, err)
	n := 0
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		switch name := words[2]; {
		case words[1] == "A" && name == "LIBSAI_1.18":
		case words[1] == "T" && strings.HasPrefix(name, "sai_") && strings.HasSuffix(name, "@@LIBSAI_1.18"):
			n++
		default:
			t.Errorf("%s", line)
		}
	}
	const functions = 21 // global functions of SAI 1.18 that the library has
	if n != functions {
		t.Errorf("%d functions, want %d", n, functions)
	}
}
