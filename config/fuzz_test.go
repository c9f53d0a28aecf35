package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"uelink/dataplane"
)

// No text makes Parse panic; what it refuses it refuses with lines that name the
// file, and what it accepts holds what the checks promise.
func FuzzParse(f *testing.F) {
	f.Add([]byte(contract))
	for _, dir := range []string{"testdata/bad", "testdata/good", "../deploy"} {
		files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("f", data)
		if err == nil {
			checkPromises(t, c)
			return
		}
		for line := range strings.SplitSeq(err.Error(), "\n") {
			if !strings.HasPrefix(line, "f:") {
				t.Errorf("a line that does not name the file: %q", line)
			}
		}
	})
}

// checkPromises checks what every accepted configuration holds.
func checkPromises(t *testing.T, c *Config) {
	t.Helper()
	if _, ok := c.Settings.Profiles["default"]; !ok {
		t.Error("no default profile")
	}
	names := map[string]bool{}
	for _, p := range c.Settings.Ports {
		if p.Name == "" || p.Interface == "" || names[p.Name] {
			t.Errorf("port %+v", p)
		}
		names[p.Name] = true
		if _, ok := c.Settings.Profiles[p.LLR.Profile]; !ok && p.Role == dataplane.RoleLink {
			t.Errorf("port %s has no profile", p.Name)
		}
	}
	for _, p := range c.Settings.Profiles {
		if p.MaxOutstandingFrames < 1 || p.MaxOutstandingBytes < 1 || p.MaxReplayTimer <= 0 || p.MaxReplayCount == 0 {
			t.Errorf("profile %+v", p)
		}
	}
}
