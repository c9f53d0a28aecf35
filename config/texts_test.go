package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"uelink/config"
	"uelink/config/schema"
)

// alone is a configuration that files beside it continue.
const alone = `# the uplink
ports:
  - {name: link0, interface: eth1, role: link}
  - {name: edge0, interface: ue-edge0, role: edge}
bridges:
  - name: br0
    ports: [{port: link0}, {port: edge0}]
`

// pod is a file that adds a port to the bridge.
const pod = `ports:
  - {name: pod1, interface: ue-pod1, role: edge}
bridges: [{name: br0, ports: [{port: pod1, learning: false}]}]
`

// beside writes a configuration and drop-ins by their names, and returns the path of the configuration.
func beside(t *testing.T, main string, dropIns map[string]string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "uelink.yaml")
	write := func(name, text string) {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(file, main)
	if err := os.Mkdir(config.DropIns(file), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range dropIns {
		write(filepath.Join(config.DropIns(file), name), text)
	}
	return file
}

// Drop-ins add ports, xconnects and members of bridges. What all files say is one text, too.
func TestDropIns(t *testing.T) {
	file := beside(t, alone, map[string]string{
		"pod.yaml": pod,
		"more.yaml": "ports:\n- {name: link9, interface: eth9, role: link}\n" +
			"- {name: edge9, interface: ue-edge9, role: edge}\nxconnects: [{edge: edge9, link: link9}]\n",
		"notes.txt": "no file of the configuration", ".hidden.yaml": "nor is: this",
	})
	c, text, err := config.LoadText(file)
	if err != nil {
		t.Fatal(err)
	}
	if s := c.Settings; len(s.Ports) != 5 || len(s.XConnects) != 1 || len(s.Bridges[0].Ports) != 3 ||
		s.Bridges[0].Ports[2].Learning {
		t.Errorf("settings %+v", s)
	}
	want := filepath.Join(config.DropIns(file), "pod.yaml")
	if got := c.Files["pod1"]; got != want || c.Files["link0"] != "" {
		t.Errorf("pod1 is of %q, not %q; link0 of %q", got, want, c.Files["link0"])
	}
	whole, err := config.Parse(file, text)
	if err != nil || len(whole.Settings.Ports) != 5 || !strings.Contains(string(text), "# the uplink") {
		t.Errorf("%v, in one text\n%s", err, text)
	}
	if _, text, err := config.LoadText(beside(t, alone, nil)); err != nil || string(text) != alone {
		t.Errorf("%v, without drop-ins\n%s", err, text)
	}
}

// A problem of a drop-in names its file, line and column, and both places of what is there twice.
func TestProblemsOfDropIns(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"ports:\n- {name: edge0, interface: x, role: edge}\n",
			`x.yaml:2:10: ports[2].name: "edge0" is already the name of ports[1] (line 4)`},
		{"ports:\n- {name: a, interface: x, role: edge, mtuu: 1}\n", "x.yaml:2:39: ports[2].mtuu: unknown key"},
		{"ports: [{name: a, interface: x, role: edge}]\n", "x.yaml:1:16: ports[2].name: port \"a\" is in no xconnect"},
		{"workers: 2\n", "x.yaml:1:1: workers: a file beside the configuration may have only the keys bridges, ports, xconnects"},
		{"ports: 7\n", "x.yaml:1:8: ports: a list is expected here"},
		{"- a\n", "x.yaml:1:1: keys with values are expected here"},
		{"a: [\n", "x.yaml:"},
		{"bridges: [{name: br0, ageing: 1s, ports: []}]\n",
			`x.yaml:1:23: bridges: bridges "br0" exists already (line 6): this file can add only ports to the existing element`},
		{"ports: &x [{name: a, interface: b, role: edge}]\n", "x.yaml:1:8: a file beside the configuration must not have anchors"},
		{"", "x.yaml: the file has no content"},
		{"\xff", "x.yaml:1:1: octet 0xFF is not UTF-8"},
	} {
		_, err := config.Load(beside(t, alone, map[string]string{"x.yaml": c.text}))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v\nwant %s", c.text, err, c.want)
		}
	}
	_, err := config.Load(beside(t, alone, map[string]string{"a.yaml": pod, "b.yaml": pod}))
	if err == nil || !strings.Contains(err.Error(), "a.yaml:2)") || !strings.Contains(err.Error(), "b.yaml:2:12") {
		t.Errorf("a port twice: %v", err)
	}
}

// A file that others than root and the daemon's user could write is refused, and so is a symbolic link.
func TestDropInsOfOthers(t *testing.T) {
	for _, c := range []struct {
		change func(file string) error
		want   string
	}{
		{func(f string) error { return os.Chmod(f, 0o664) }, "can be written by others"},
		{func(f string) error { return os.Chmod(filepath.Dir(f), 0o777) }, "can be written by others"},
		{func(f string) error { return os.Chown(f, 12345, 0) }, "belongs to another user"},
		{func(f string) error { return os.Symlink("/etc/passwd", filepath.Join(filepath.Dir(f), "a.yaml")) },
			"a.yaml is a symbolic link"},
	} {
		file := beside(t, alone, map[string]string{"pod.yaml": pod})
		if err := c.change(filepath.Join(config.DropIns(file), "pod.yaml")); err != nil {
			t.Skip(err) // only root may give a file away
		}
		if _, err := config.Load(file); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// A key of a port is set in the file that has the port, and what commands have changed is kept there.
func TestSetInDropIn(t *testing.T) {
	file := beside(t, alone, map[string]string{"pod.yaml": pod})
	texts, err := config.ReadTexts(file)
	if err != nil {
		t.Fatal(err)
	}
	changed, err := texts.Set("ports.pod1.push_back", "off")
	if err != nil || filepath.Base(changed.File) != "pod.yaml" ||
		!strings.Contains(string(changed.After), "{name: pod1, push_back: off,") {
		t.Errorf("%v: %s\n%s", err, changed.File, changed.After)
	}
	if changed, err = texts.Set("log.level", "warn"); err != nil || changed.File != file {
		t.Errorf("%v: the level in %s", err, changed.File)
	}
	c, _, err := texts.Load()
	if err != nil {
		t.Fatal(err)
	}
	now := config.Running{Level: c.Log.Level, Settings: c.Settings}
	now.Settings.Ports[0].LLR.Local = !now.Settings.Ports[0].LLR.Local
	kept, err := config.Keep(texts, now)
	if err != nil || len(kept.Lost) > 0 || !strings.Contains(string(kept.Main), "llr: {local:") ||
		string(kept.Additions[0].Text) != pod {
		t.Errorf("%v, lost %q\n%s\n%s", err, kept.Lost, kept.Main, kept.Additions[0].Text)
	}
}

// Whatever a file beside the configuration says, nothing panics, and what is right is right as one text, too.
func FuzzTexts(f *testing.F) {
	for _, text := range []string{
		pod, "", "ports: [", "bridges: [{name: br0}]", "bridges: [{name: br1, ports: [{port: edge0}]}]",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		texts := config.Texts{File: "a", Main: []byte(alone),
			Additions: []schema.Addition{{File: "b", Text: []byte(text)}}}
		_, whole, err := texts.Load()
		if err != nil {
			return
		}
		if _, err := config.Parse("whole", whole); err != nil {
			t.Errorf("%q: %v\n%s", text, err, whole)
		}
	})
}
