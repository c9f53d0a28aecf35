package main

import (
	"path/filepath"
	"strings"
	"testing"

	"uelink/control/api"
)

// uelink upgrade says who has taken over from whom, and what became of a changed configuration file.
func TestUpgradedInWords(t *testing.T) {
	done := upgraded{Upgraded: api.Upgraded{
		Former: api.RunningProgram{Version: "1.0", SHA256: "aa", Program: "/usr/sbin/uelinkd", PID: 7},
		New:    api.RunningProgram{Version: "1.1", SHA256: "bb", Program: "/usr/sbin/uelinkd", PID: 9}, Pause: 0.004,
	}}
	changed := done
	changed.Reload = &api.Reload{}
	for name, c := range map[string]struct {
		is    upgraded
		check bool
		want  []string
	}{
		"an upgrade": {done, false, []string{"/usr/sbin/uelinkd has taken over\n",
			"former: version 1.0, process 7, SHA-256 aa\n", "new:    version 1.1, process 9, SHA-256 bb\n", "for 4ms\n"}},
		"a changed file": {changed, false, []string{"had changed, and is in force\n"}},
		"a check":        {done, true, []string{"can take over, and the daemon goes on\n", "new:    version 1.1, SHA-256 bb\n"}},
		"an old daemon":  {upgraded{}, false, []string{"too old to say more\n"}},
	} {
		var b strings.Builder
		writeUpgraded(&b, c.is, c.check)
		for _, want := range c.want {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: no %q in\n%s", name, want, b.String())
			}
		}
	}
}

// Paths are those of the caller's folder.
func TestPathsOfTheCaller(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for path, want := range map[string]string{"": "", "./x": filepath.Join(dir, "x"), "/x": "/x"} {
		if err := absolute(&path); err != nil || path != want {
			t.Errorf("%s, %v, want %s", path, err, want)
		}
	}
}
