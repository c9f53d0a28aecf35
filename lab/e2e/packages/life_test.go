package packages

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"uelink/client"
	"uelink/control/api"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// packager is how a Debian root has packages of one kind.
type packager struct {
	kind    string // deb or rpm, as make calls it
	pattern string // of the file of a version in bin
	lint    []string
	// install, replace and remove are commands; the file, or the name of the package, follows.
	install, replace, remove string

	installed func(h *host) // checks what an installation of version 0.9 has brought
	removed   func(h *host, before string)
}

// byRPM is how a Debian root runs rpm: Debian has patched it to ask for this word, and its database knows none of the
// packages that uelink depends on.
const byRPM = "rpm --force-debian --nodeps "

var packagers = []packager{
	{
		kind: "deb", pattern: "uelink_VERSION_*.deb",
		lint:    []string{"lintian", "--allow-root", "--fail-on", "error,warning"},
		install: "dpkg -i ", replace: "dpkg -i --force-confold ", remove: "dpkg -r ",
		installed: (*host).installedByDpkg, removed: (*host).purged,
	},
	{
		kind: "rpm", pattern: "uelink-VERSION-1.*.rpm",
		lint:    []string{"rpmlint", "--strict", "-c", deploy + "/rpm/rpmlint.toml"},
		install: byRPM + "-i ", replace: byRPM + "-U --oldpackage ", remove: byRPM + "-e ",
		installed: (*host).installedByRPM, removed: (*host).erased,
	},
}

// make makes the package of a version, and returns its file.
func (p packager) make(t testing.TB, version string) string {
	t.Helper()
	pattern := strings.ReplaceAll(p.pattern, "VERSION", version)
	if *packageDir != "" {
		return only(t, filepath.Join(*packageDir, pattern))
	}
	return made(t, pattern, p.kind, "DEB_VERSION="+version)
}

// A package of each kind is installed, its daemon started, upgraded without losing the link, downgraded, upgraded where
// the new daemon refuses the configuration, and removed while the daemon runs. lintian and rpmlint have nothing to say.
func TestLifeOfThePackages(t *testing.T) {
	if !*debian {
		t.Skip("skipped, missing mmdebstrap: make test-all installs it (-packages.debian)")
	}
	for _, p := range packagers {
		t.Run(p.kind, func(t *testing.T) {
			for _, program := range []string{"mmdebstrap", p.lint[0]} {
				if _, err := exec.LookPath(program); err != nil {
					nstest.Missing(t, program+": apt-get install "+program)
				}
			}
			older, newer := p.make(t, "0.9"), p.make(t, "1.0")
			out, err := exec.Command(p.lint[0], append(p.lint[1:len(p.lint):len(p.lint)], newer)...).CombinedOutput()
			if t.Logf("%s:\n%s", p.lint[0], out); err != nil {
				t.Errorf("%s: %v", p.lint[0], err)
			}
			live(t, p, older, newer)
		})
	}
}

// live is the life of the packages older and newer.
func live(t *testing.T, p packager, older, newer string) {
	top := bed.Direct(t)
	partner := bed.NewDaemon(t, top.B, "B", bed.Settings{})
	partner.Start()
	h := newHost(t, top.A)
	before := h.left()
	old, next := h.put(older), h.put(newer)
	h.sh(p.install + old)
	p.installed(h)

	text := h.configure(bed.Settings{})
	h.sh("uelinkd --config /etc/uelink/uelink.yaml --check; cp /etc/uelink/uelink.yaml /tmp/own.yaml")
	h.sh("mkdir -p /run/uelink")
	daemon := bed.Start(t, h.ns, "uelinkd of the package", h.command("exec uelinkd --config /etc/uelink/uelink.yaml"))
	ready(t, daemon)
	h.sh("uelink llr interface --wait ADVANCE --timeout 20s")

	says(t, h.sh(p.replace+next), "has taken over")
	if version, pid := h.running(); version != "1.0" || pid == daemon.Cmd.Process.Pid {
		t.Errorf("version %s runs, as process %d", version, pid)
	}
	h.sh("uelink llr interface --wait ADVANCE --timeout 20s; cmp /tmp/own.yaml /etc/uelink/uelink.yaml")
	if c := partner.LLRCounters(); c.TxFlush != 0 || c.TxReinit != 0 {
		t.Errorf("the partner has flushed %d times, and begun again %d times", c.TxFlush, c.TxReinit)
	}

	says(t, h.sh(p.replace+old), "has taken over")
	version, same := h.running()
	if version != "0.9" {
		t.Errorf("version %s runs after the downgrade", version)
	}
	h.write(text + "\nof_a_newer_version: 1\n")
	says(t, h.sh(p.replace+next), "needs restart", "of_a_newer_version", "goes on")
	h.stillRuns("0.9", same)

	h.sh(p.remove + "uelink")
	h.stillRuns("0.9", same)
	bed.Must(t, syscall.Kill(same, syscall.SIGTERM))
	h.silent()
	p.removed(h, before)
}

// configure writes settings to the configuration file of the root, and returns the text.
func (h *host) configure(s bed.Settings) (text string) {
	h.t.Helper()
	text = strings.Replace(s.Text(api.DefaultSocket), "log: {level: debug", "log: {level: info", 1)
	h.write(text)
	return text
}

// write writes the configuration file of the root.
func (h *host) write(text string) {
	h.t.Helper()
	bed.Must(h.t, os.WriteFile(filepath.Join(h.root, "etc/uelink/uelink.yaml"), []byte(text), 0o644))
}

// stillRuns reports a problem unless the daemon of this version and process answers.
func (h *host) stillRuns(version string, process int) {
	h.t.Helper()
	if v, pid := h.running(); v != version || pid != process {
		h.t.Errorf("version %s runs, as process %d; want version %s, process %d", v, pid, version, process)
	}
}

// silent waits until no daemon answers.
func (h *host) silent() {
	h.t.Helper()
	c := client.NewClient(filepath.Join(h.root, api.DefaultSocket))
	defer c.Close()
	bed.Eventually(h.t, "the end of the daemon", func() string {
		if _, err := c.Status(h.t.Context()); err == nil {
			return "it answers"
		}
		return ""
	})
}

// left returns the paths in the root that are of the package, but lists of what was installed once.
func (h *host) left() string {
	return h.sh("find / -xdev \\( -name '*uelink*' -o -path '*/uelink/*' \\) -not -path '/proc/*' -not -path '/tmp/*' " +
		"-not -path '/var/log/*' -not -path '/var/cache/*' | sort")
}

// installedByDpkg checks an installation, and that dpkg is content with it.
func (h *host) installedByDpkg() {
	h.t.Helper()
	if state := h.sh("dpkg-query -W -f '${db:Status-Status} ${db:Status-Eflag}' uelink"); state != "installed ok" {
		h.t.Errorf("the package is %q", state)
	}
	if faults := h.sh("dpkg --audit; dpkg --verify uelink"); faults != "" {
		h.t.Error(faults)
	}
	says(h.t, h.sh("dpkg-query -W -f '${Conffiles}' uelink"), "/etc/uelink/uelink.yaml")
	h.installed()
}

// installedByRPM checks an installation. Its owners are not those of files: rpm -V names the folder of the state.
func (h *host) installedByRPM() {
	h.t.Helper()
	h.sh("rpm --force-debian -V --nodeps uelink || true")
	says(h.t, h.sh("rpm --force-debian -qc uelink"), "/etc/uelink/uelink.yaml")
	h.installed()
}

// installed checks what an installation of version 0.9 has brought.
func (h *host) installed() {
	h.t.Helper()
	says(h.t, h.sh("getent passwd uelink; stat -c '%U %G %a' /var/lib/uelink"), "/var/lib/uelink", "uelink uelink 755")
	says(h.t, h.sh("MANPAGER=cat man uelink; MANPAGER=cat man uelinkd; MANPAGER=cat man uelink-llr-interface"), "SYNOPSIS",
		"Ultra Ethernet")
	says(h.t, h.sh(`bash -c '. /usr/share/bash-completion/bash_completion; `+
		`. /usr/share/bash-completion/completions/uelink; `+
		`COMP_WORDS=(uelink llr int); COMP_CWORD=2; COMP_LINE="uelink llr int"; COMP_POINT=14; `+
		`__start_uelink; echo "${COMPREPLY[*]}"'`), "interface")
	says(h.t, h.sh("systemd-analyze verify --man=no /lib/systemd/system/uelink*.service 2>&1 || true; uelinkd --version"),
		"uelinkd 0.9")
}

// purged checks that the configuration is left, and nothing after a purge.
func (h *host) purged(before string) {
	h.t.Helper()
	says(h.t, h.left(), "/etc/uelink/uelink.yaml")
	h.sh("dpkg -P uelink")
	if after := h.left(); after != before {
		h.t.Errorf("the purge leaves\n%s\nof\n%s", after, before)
	}
	if user := h.sh("getent passwd uelink || true"); user != "" {
		h.t.Errorf("the purge leaves the user %s", user)
	}
}

// erased checks what an erasure by rpm leaves.
func (h *host) erased(string) {
	h.t.Helper()
	if out := h.sh("ls /usr/bin"); strings.Contains(out, "uelinkd\n") {
		h.t.Error("the package is erased, and leaves /usr/bin/uelinkd")
	}
	says(h.t, h.left(), "/etc/uelink/uelink.yaml.rpmsave", "/var/lib/uelink")
}
