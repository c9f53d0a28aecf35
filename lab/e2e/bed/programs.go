package bed

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

// InstalledProgram returns the path of a program of a Debian package.
func InstalledProgram(t testing.TB, name, debian string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		nstest.Missing(t, fmt.Sprintf("%s (Debian package %s: make deps)", name, debian))
	}
	return path
}

// Run runs a command in a namespace, demands exit code 0 and returns its output.
func Run(t testing.TB, ns *netns.NS, cmd *exec.Cmd) string {
	t.Helper()
	p := Start(t, ns, strings.Join(cmd.Args, " "), cmd)
	if code := p.Wait(); code != 0 {
		t.Fatalf("%s: exit %d\n%s%s", p.Name, code, p.Stdout, p.Stderr)
	}
	return p.Stdout.String()
}

// RequireProgram skips the test where a program of a Debian package is missing.
func RequireProgram(t testing.TB, name, pkg string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		nstest.Missing(t, name+" (Debian package "+pkg+": make deps)")
	}
}
