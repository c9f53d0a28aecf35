package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"uelink/internal/programtest"
)

// write makes a file in a directory of the test's own.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestCommandLine(t *testing.T) {
	daemon := programtest.Path(t, "uelinkd")
	good := write(t, "good.yaml", fmt.Sprintf(someConfig, "info", "/run/uelink/test.sock"))
	bad := write(t, "bad.yaml", "log: {level: loud}\nbogus: 1\n")
	garbled := write(t, "garbled.yaml", "ports: [\n")
	limited := write(t, "limited.yaml", `ports:
  - {name: link0, interface: none0, role: link, cbfc: {mode: static, vcs: [{index: 1, lossless: true, limit: 3}]}}
  - {name: edge0, interface: lo, role: edge} # whose MTU is 65536
xconnects: [{edge: edge0, link: link0}]
`)
	here := func(socket, more string) string {
		return write(t, "here.yaml", fmt.Sprintf("control: {socket: %s%s}\n", socket, more))
	}
	file := write(t, "file", "")
	for _, c := range []struct {
		name   string
		args   []string
		code   int
		stdout string   // begins with this
		stderr []string // lines that hold these
	}{
		{"help", []string{"--help"}, 0, "usage: uelinkd --config FILE", nil},
		{"version", []string{"--version"}, 0, "uelinkd ", nil},
		{"check of a good file", []string{"--check", "--config", good}, 0, "uelinkd: " + good + ": fine", []string{
			"port link0: there is no interface eth1 in this network namespace: the daemon would wait for it",
			"port edge0: there is no interface veth1 in this network namespace: the daemon would wait for it"}},

		{"no configuration", nil, 2, "", []string{"uelinkd: --config FILE is missing (see uelinkd --help)"}},
		{"check of nothing", []string{"--check"}, 2, "", []string{"--config FILE is missing"}},
		{"unknown flag", []string{"--verbose"}, 2, "", []string{"flag provided but not defined: -verbose (see uelinkd --help)"}},
		{"argument", []string{"--config", good, "start"}, 2, "", []string{`unexpected argument "start"`}},
		{"no file", []string{"--config", "/none.yaml"}, 2, "", []string{"uelinkd: read configuration: open /none.yaml: no such file"}},
		{"directory", []string{"--check", "--config", "/"}, 2, "", []string{"uelinkd: read configuration: read /: is a directory"}},
		{"check of a bad file", []string{"--check", "--config", bad}, 2, "", []string{"uelinkd: " + bad + ":1:14: log.level: ", "uelinkd: " + bad + ":2:1: bogus: unknown key"}},
		{"start with a bad file", []string{"--config", bad}, 2, "", []string{":1:14: log.level", ":2:1: bogus"}},
		{"check of a limit", []string{"--check", "--config", limited}, 2, "", []string{"there is no interface none0", "uelinkd: " + limited +
			": port link0: VC 1: 3 credits are too few: by the MTU of the edges a frame has up to 65554 octets, which cost 33"}},
		{"check of a folder that is not there", []string{"--check", "--config", here("/none/a/s", "")}, 2, "",
			[]string{"control socket /none/a/s: there is no folder /none/a, and only the last part of its path is made"}},
		{"check of a file as folder", []string{"--check", "--config", here(file+"/s", "")}, 2, "", []string{file + " is no folder"}},
		{"check of a file as socket", []string{"--check", "--config", here(file, "")}, 2, "",
			[]string{file + " is there and is not a socket: remove it, or set another control.socket"}},
		{"check of a group", []string{"--check", "--config", here("/run/uelink.sock", ", group: nobody-has-this")}, 2, "",
			[]string{`no group "nobody-has-this" on this host: create it (groupadd) or leave control.group empty`}},
		{"check of no YAML", []string{"--check", "--config", garbled}, 2, "", []string{"uelinkd: " + garbled + ":2:1: "}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command(daemon, c.args...)
			var stdout, stderr bytes.Buffer
			cmd.Stdout, cmd.Stderr = &stdout, &stderr
			err := cmd.Run()
			if code := cmd.ProcessState.ExitCode(); code != c.code {
				t.Errorf("exit %d (%v), want %d", code, err, c.code)
			}
			if !strings.HasPrefix(stdout.String(), c.stdout) || (c.stdout == "") != (stdout.Len() == 0) {
				t.Errorf("stdout %q", &stdout)
			}
			got := strings.FieldsFunc(stderr.String(), func(r rune) bool { return r == '\n' })
			if len(got) != len(c.stderr) {
				t.Fatalf("stderr %q", got)
			}
			for i, want := range c.stderr {
				if !strings.Contains(got[i], want) {
					t.Errorf("stderr %q, want %q", got[i], want)
				}
			}
		})
	}
}

func TestNotifyWithoutManager(t *testing.T) {
	if err := (notifier{}).send("READY=1"); err != nil {
		t.Error(err)
	}
	gone := notifier{filepath.Join(t.TempDir(), "none")}
	if err := gone.send("READY=1"); err == nil || !strings.Contains(err.Error(), gone.socket) {
		t.Errorf("%v", err)
	}
}

// A manager that cannot be told is logged, and the daemon works.
func TestManagerGone(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "none"))
	r := begin(t, newFakeFrames(), nil)
	r.logged("ready")
	r.logged("notify the service manager")
	r.signals <- os.Interrupt
	if code := r.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
}
