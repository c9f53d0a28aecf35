package packages

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// deploy is the folder with the files of the package.
const deploy = "../../../deploy"

// Every file of the package that is not made for it is in the tree, and the scripts are written for a plain shell.
func TestFilesOfThePackage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(deploy, "nfpm.yaml"))
	bed.Must(t, err)
	var p struct {
		Scripts  map[string]string
		Contents []struct{ Src, Dst, Type string }
	}
	bed.Must(t, yaml.Unmarshal(text, &p))
	have := map[string]string{}
	for _, c := range p.Contents {
		have[c.Dst] = c.Src
		if strings.HasPrefix(c.Src, "bin/") {
			continue
		}
		if files, err := filepath.Glob(filepath.Join(tree, c.Src)); err != nil || len(files) == 0 {
			t.Errorf("%s is not in the tree: %v", c.Src, err)
		}
	}
	for _, dst := range []string{
		"/usr/bin/uelink", "/usr/bin/uelinkd", "/lib/systemd/system/uelinkd.service", "/etc/uelink/uelink.yaml",
		"/lib/systemd/system/uelink-sonic.service",
		"/usr/lib/sysusers.d/uelink.conf", "/usr/lib/tmpfiles.d/uelink.conf", "/usr/share/uelink/uelink.schema.json",
		"/usr/lib/systemd/network/10-uelink.network", "/usr/lib/NetworkManager/conf.d/10-uelink.conf",
		"/usr/share/uelink/uelink.rules.yml", "/usr/share/uelink/uelink.grafana.json",
		"/usr/share/doc/uelink/README.md", "/usr/share/doc/uelink/docs/",
	} {
		if have[dst] == "" {
			t.Errorf("the package has no %s", dst)
		}
	}
	if len(p.Scripts) != 3 {
		t.Errorf("the scripts are %v", p.Scripts)
	}
	for _, script := range p.Scripts {
		if out, err := exec.Command("sh", "-n", filepath.Join("../../..", script)).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", script, err, out)
		}
	}
}

// The configuration in the package is a right one, takes no interface, and becomes a link when its example is put in
// force.
func TestConfigurationOfThePackage(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(deploy, "deb/uelink.yaml"))
	bed.Must(t, err)
	checkConfiguration(t, string(text))
	_, example, found := strings.Cut(string(text), "# ports:")
	if !found {
		t.Fatal("there is no example")
	}
	example = strings.ReplaceAll("# ports:\n"+strings.TrimSuffix(strings.TrimSpace(example), "ports: []"), "# ", "")
	if said := checkConfiguration(t, example); !strings.Contains(said, "eth1") && !strings.Contains(said, "fine") {
		t.Error(said)
	}
}

// ran is what a maintainer script did.
type ran struct {
	code  int
	out   string
	calls string // of programs, one a line
}

// script runs a maintainer script with arguments on a machine whose /run and /var/lib are its own, where uelink ends
// with a code, and before it the commands of setup. after is commands that follow it.
func script(t *testing.T, name, args, setup, after string, uelink int) (r ran) {
	t.Helper()
	if os.Getuid() != 0 {
		nstest.Missing(t, "root, to give the scripts folders of their own")
	}
	dir := t.TempDir()
	for program, code := range map[string]int{
		"systemctl": 0, "systemd-sysusers": 0, "systemd-tmpfiles": 0, "chown": 0, "userdel": 0, "uelink": uelink,
	} {
		text := fmt.Sprintf("#!/bin/sh\necho %s \"$@\" >>%s/calls\n[ %d = 0 ] || echo because\nexit %[3]d\n", program, dir,
			code)
		bed.Must(t, os.WriteFile(filepath.Join(dir, program), []byte(text), 0o755))
	}
	path, err := filepath.Abs(filepath.Join(deploy, "scripts", name))
	bed.Must(t, err)
	all := fmt.Sprintf("mount -t tmpfs none /var/lib && mount -t tmpfs none /run || exit 99\n%s\nsh %s %s\ncode=$?\n%s\n"+
		"exit $code", setup, path, args, after)
	cmd := exec.Command("unshare", "-m", "sh", "-c", all)
	cmd.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	out, _ := cmd.CombinedOutput() // its code is looked at
	calls, _ := os.ReadFile(filepath.Join(dir, "calls"))
	return ran{cmd.ProcessState.ExitCode(), string(out), string(calls)}
}

const systemd = "mkdir -p /run/systemd/system"

// An upgrade hands the running daemon over, and where that is not possible the daemon runs on, and dpkg and rpm are
// content.
func TestScriptsOfThePackage(t *testing.T) {
	for name, c := range map[string]struct {
		script, args, setup string
		uelink              int
		says, calls, not    string // not: a program that is not called
	}{
		"first":              {"postinst", "configure", systemd, 4, "", "reload systemd-networkd.service", "uelink upgrade"},
		"upgrade":            {"postinst", "configure 1.0", systemd, 0, "has taken over", "uelink upgrade", "systemctl stop"},
		"upgrade, refused":   {"postinst", "configure 1.0", systemd, 1, "needs restart", "uelink upgrade", "systemctl stop"},
		"upgrade, no daemon": {"postinst", "configure 1.0", "", 4, "", "uelink upgrade", "systemctl"},
		"before an upgrade":  {"prerm", "upgrade 2.0", systemd, 0, "", "", "systemctl"},
		"removal":            {"prerm", "remove", systemd, 0, "", "disable --now uelinkd.service uelink-sonic.service", "uelink upgrade"},
		"removal, chroot":    {"prerm", "remove", "", 0, "", "uelink down", "systemctl"},
		"removed":            {"postrm", "remove", systemd, 0, "", "daemon-reload", "userdel"},
		"dpkg goes back":     {"postinst", "abort-upgrade 2.0", systemd, 0, "", "", "systemd-sysusers"},

		"rpm, first":             {"postinst", "1", systemd, 4, "", "reload systemd-networkd.service", "uelink upgrade"},
		"rpm, upgrade":           {"postinst", "2", systemd, 0, "has taken over", "uelink upgrade", "systemctl stop"},
		"rpm, upgrade, refused":  {"postinst", "2", systemd, 1, "needs restart", "uelink upgrade", "systemctl stop"},
		"rpm, before an upgrade": {"prerm", "1", systemd, 0, "", "", "systemctl"},
		"rpm, erasure":           {"prerm", "0", systemd, 0, "", "disable --now uelinkd.service uelink-sonic.service", "uelink upgrade"},
		"rpm, erased":            {"postrm", "0", systemd, 0, "", "daemon-reload", "userdel"},
	} {
		r := script(t, c.script, c.args, c.setup, "", c.uelink)
		if r.code != 0 || !strings.Contains(r.out, c.says) || c.says == "" && r.out != "" ||
			!strings.Contains(r.calls, c.calls) || strings.Contains(r.calls, c.not) {
			t.Errorf("%s: exit %d\n%s%s", name, r.code, r.out, r.calls)
		}
	}
}

// The state of a unit with DynamicUser is moved once, and stays where it is while the daemon runs.
func TestStateIsMoved(t *testing.T) {
	const setup = "mkdir -p /var/lib/private/uelink && echo kept >/var/lib/private/uelink/record && " +
		"ln -s private/uelink /var/lib/uelink"
	const after = "cat /var/lib/uelink/record; [ -L /var/lib/uelink ] && echo link; true"
	for name, c := range map[string]struct{ setup, want string }{
		"the daemon does not run": {setup, "kept\n"},
		"the daemon runs":         {setup + " && " + systemd, "kept\nlink\n"}, // systemctl is-active succeeds
		"moved before":            {"mkdir /var/lib/uelink && echo kept >/var/lib/uelink/record", "kept\n"},
	} {
		if r := script(t, "postinst", "configure", c.setup, after, 4); r.code != 0 || r.out != c.want {
			t.Errorf("%s: exit %d\n%s", name, r.code, r.out)
		}
	}
}
