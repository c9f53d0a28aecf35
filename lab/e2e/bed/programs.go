package bed

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

// InstalledProgram returns the path of a program of a Debian package. It skips the test where the program is
// missing.
func InstalledProgram(t testing.TB, name, debian string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		nstest.Missing(t, fmt.Sprintf("%s (Debian package %s: make deps)", name, debian))
	}
	return path
}

// Run runs a command in a namespace, waits for its end and returns its standard output. An exit code other than 0
// ends the test.
func Run(t testing.TB, ns *netns.NS, cmd *exec.Cmd) string {
	t.Helper()
	p := Start(t, ns, strings.Join(cmd.Args, " "), cmd)
	if code := p.Wait(); code != 0 {
		t.Fatalf("%s: exit %d\n%s%s", p.Name, code, p.Stdout, p.Stderr)
	}
	return p.Stdout.String()
}

// RequireProgram skips the test where a program is not installed. pkg is the Debian package that has it.
func RequireProgram(t testing.TB, name, pkg string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		nstest.Missing(t, name+" (Debian package "+pkg+": make deps)")
	}
}
