package manualtest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"uelink/internal/netns/nstest"
)

// Check reports an error of the test for each required section that a manual page lacks, and for each warning of man or
// mandoc. pages are paths of files.
func Check(t testing.TB, pages ...string) {
	t.Helper()
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, section := range []string{"NAME", "DESCRIPTION", "FILES"} {
			if !bytes.Contains(text, []byte("\n.SH "+section+"\n")) {
				t.Errorf("%s has no section %s", filepath.Base(page), section)
			}
		}
	}
	for _, program := range []string{"man", "mandoc"} {
		if _, err := exec.LookPath(program); err != nil {
			nstest.Missing(t, program+" (Debian: man-db, mandoc), which checks the manual pages")
		}
	}
	show(t, pages)
	lint(t, pages)
}

// show lets man format the pages, with warnings on. A warning, or a page without the section DESCRIPTION, is an error
// of the test.
func show(t testing.TB, pages []string) {
	t.Helper()
	cmd := exec.Command("man", append([]string{"--warnings", "-l"}, pages...)...)
	cmd.Env = append(os.Environ(), "MANPAGER=cat", "MANWIDTH=100", "LC_ALL=C.UTF-8")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if n := bytes.Count(out, []byte("\nDESCRIPTION\n")); err != nil || stderr.Len() > 0 || n != len(pages) {
		t.Errorf("man has shown %d of %d pages: %v %s", n, len(pages), err, &stderr)
	}
}

// lint lets mandoc read the pages: its warnings and errors are errors of the test, its hints about style are not.
func lint(t testing.TB, pages []string) {
	t.Helper()
	out, _ := exec.Command("mandoc", append([]string{"-T", "lint", "-W", "warning"}, pages...)...).CombinedOutput()
	if warnings := strings.TrimSpace(string(out)); warnings != "" {
		t.Errorf("mandoc:\n%s", warnings)
	}
}
