package conformance

import (
	"context"
	"os/exec"
	"path/filepath"
	"testing"

	"uelink/internal/netns/nstest"
)

// built is the two programs, built for the test.
func built(t *testing.T) (p Programs) {
	dir := t.TempDir()
	for _, name := range []string{"uelink", "uelinkd"} {
		out, err := exec.Command("go", "build", "-o", filepath.Join(dir, name), "../../cmd/"+name).CombinedOutput()
		if err != nil {
			t.Fatalf("build %s: %v\n%s", name, err, out)
		}
	}
	return Programs{Daemon: filepath.Join(dir, "uelinkd"), Tool: filepath.Join(dir, "uelink")}
}

// TestCasesPassOverVeth runs the shortest of them, with real daemons.
func TestCasesPassOverVeth(t *testing.T) {
	nstest.New(t, "root") // or skip
	cases, _ := Pick([]string{"LLR-01"})
	r, err := OverVeth(context.Background(), cases, built(t))
	if err != nil {
		t.Fatal(err)
	}
	if !r.Passed() {
		t.Errorf("%+v", r.Results)
	}
}

// Without a daemon there are no results, and the error names the missing program.
func TestVethWithoutADaemon(t *testing.T) {
	cases, _ := Pick([]string{"LLR-01"})
	r, err := OverVeth(context.Background(), cases, Programs{Daemon: "/none/uelinkd"})
	if err == nil || len(r.Results) != 0 {
		t.Errorf("error %v, %d results", err, len(r.Results))
	}
}
