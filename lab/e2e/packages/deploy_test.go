package packages

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

var (
	kubernetes = flag.Bool("packages.kubernetes", false,
		"TestKubernetesFilesAreValid runs kubeconform and kustomize that deploy/kubernetes.mod pins, which go builds first")
	ansible = flag.Bool("packages.ansible", false, "TestAnsible runs ansible-playbook")
)

// unitLine returns the words of a key of the daemon's unit.
func unitLine(t testing.TB, key string) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deploy, "uelinkd.service"))
	bed.Must(t, err)
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, key+"="); ok {
			return strings.Fields(value)
		}
	}
	t.Fatalf("the unit has no %s", key)
	return nil
}

// checkConfiguration reports a problem unless `uelinkd --check` accepts a configuration, and returns the output.
func checkConfiguration(t testing.TB, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "uelink.yaml")
	text += "\ncontrol: {socket: " + filepath.Join(t.TempDir(), "api") + "}\n"
	bed.Must(t, os.WriteFile(name, []byte(text), 0o600))
	out, err := exec.Command(bed.Program("uelinkd"), "--config", name, "--check").CombinedOutput()
	if err != nil {
		t.Errorf("%v: %s\n%s", err, out, text)
	}
	return string(out)
}

// sinceSystemd252 has the system calls that systemd 257 (Debian 13) has in the sets of the unit, and 252 (Debian 12),
// whose list the image has, does not know.
var sinceSystemd252 = []string{"file_getattr", "file_setattr", "fstatat", "getxattrat", "landlock_add_rule",
	"landlock_create_ruleset", "landlock_restrict_self", "listmount", "listxattrat", "llseek", "lsm_get_self_attr",
	"lsm_list_modules", "mseal", "newfstat", "removexattrat", "seccomp", "setxattrat", "statmount"}

// The image's filter of system calls is that of the daemon's unit.
func TestSystemCallsOfTheImage(t *testing.T) {
	bed.RequireProgram(t, "systemd-analyze", "systemd")
	text, err := os.ReadFile(filepath.Join(deploy, "image/seccomp.json"))
	bed.Must(t, err)
	var profile struct {
		DefaultAction string
		Syscalls      []struct {
			Action string
			Names  []string
		}
	}
	bed.Must(t, json.Unmarshal(text, &profile))
	if len(profile.Syscalls) != 1 || profile.Syscalls[0].Action != "SCMP_ACT_ALLOW" ||
		profile.DefaultAction != "SCMP_ACT_ERRNO" {
		t.Fatalf("%+v", profile)
	}
	of := systemCalls(t)
	allowed := map[string]bool{}
	for _, word := range unitLine(t, "SystemCallFilter") {
		for name := range of(word) {
			allowed[name] = true
		}
	}
	for _, name := range profile.Syscalls[0].Names {
		if !allowed[name] {
			t.Errorf("%s is not allowed by the unit", name)
		}
		delete(allowed, name)
	}
	for _, name := range sinceSystemd252 {
		delete(allowed, name)
	}
	if len(allowed) > 10 { // a newer systemd has some more
		t.Errorf("the unit allows %v", allowed)
	}
}

// systemCalls returns a function that returns the system calls of one of systemd's sets, or the call itself.
func systemCalls(t testing.TB) (of func(word string) map[string]bool) {
	t.Helper()
	sets, set := map[string][]string{}, ""
	text := output(t, exec.Command("systemd-analyze", "--no-pager", "syscall-filter"))
	for line := range strings.Lines(text) {
		switch word := strings.TrimSpace(line); {
		case strings.HasPrefix(line, "@"):
			set = word
		case word != "" && !strings.HasPrefix(word, "#"):
			sets[set] = append(sets[set], word)
		}
	}
	of = func(word string) map[string]bool {
		all := map[string]bool{}
		if !strings.HasPrefix(word, "@") {
			all[word] = true
		}
		for _, member := range sets[word] {
			for name := range of(member) {
				all[name] = true
			}
		}
		return all
	}
	return of
}

// sshScript plays ssh: it runs the last argument, a command, in the root of the host that the argument before names.
const sshScript = `#!/bin/sh
for word; do host=$last last=$word; done
pid=$(cat "$0.$host") && exec nsenter -t "$pid" -a /bin/sh -c "$last"
`

// The play, by the commands of docs/INSTALL.md, makes a link between two hosts with a systemd each. Another run changes
// nothing.
func TestAnsible(t *testing.T) {
	if !*ansible {
		t.Skip("skipped, missing Ansible: make test-all installs it (-packages.ansible)")
	}
	bed.RequireProgram(t, "ansible-playbook", "ansible-core")
	lines := commands(t, "Two hosts by Ansible")[0]
	if lines[0] != "make deb" || len(lines) != 3 {
		t.Fatalf("the commands are %q", lines)
	}
	dir := t.TempDir()
	output(t, exec.Command("cp", "-r", deploy, dir))
	bed.Must(t, os.Mkdir(filepath.Join(dir, "bin"), 0o755))
	output(t, exec.Command("cp", makePackage(t, "1.0"), filepath.Join(dir, "bin")))

	top := bed.NewTopology(t)
	bed.Must(t, netns.Veth(top.A, "eth1", top.B, "eth1", bed.LinkMTU))
	ssh := filepath.Join(dir, "ssh")
	bed.Must(t, os.WriteFile(ssh, []byte(sshScript), 0o755))
	for host, ns := range map[string]*netns.NS{"host-a": top.A, "host-b": top.B} {
		b := bootRoot(t, ns, unpackedRoot(t))
		bed.Must(t, os.WriteFile(ssh+"."+host, fmt.Append(nil, b.init), 0o644))
	}
	play := func() string {
		cmd := exec.Command("sh", "-ec", strings.Join(lines[1:], "\n"))
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "ANSIBLE_SSH_EXECUTABLE="+ssh, "ANSIBLE_SSH_TRANSFER_METHOD=piped",
			"ANSIBLE_LOCAL_TEMP="+dir, "ANSIBLE_NOCOLOR=1")
		return output(t, cmd)
	}
	t.Log(play())
	says(t, bed.Run(t, top.A, exec.Command("ping", "-n", "-q", "-c", "20", "-i", "0.01", "10.0.0.2")), "20 received")
	if repeat := play(); strings.Count(repeat, "changed=0 ") != 2 {
		t.Errorf("another run changes something:\n%s", repeat)
	}
}
