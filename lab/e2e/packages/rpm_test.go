package packages

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"uelink/control/api"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// byRPM is how a Debian root runs rpm: Debian has patched it to ask for this word, and its database knows none of the
// packages that uelink depends on.
const byRPM = "rpm --force-debian --nodeps "

// A package is installed by rpm, its daemon started, upgraded without losing the link, downgraded, upgraded where the
// new daemon refuses the configuration, and erased while the daemon runs. rpmlint has nothing to say.
func TestLifeByRPM(t *testing.T) {
	if !*debian {
		t.Skip("skipped, missing mmdebstrap: make test-all installs it (-packages.debian)")
	}
	for _, program := range []string{"mmdebstrap", "rpmlint"} {
		if _, err := exec.LookPath(program); err != nil {
			nstest.Missing(t, program+": apt-get install "+program)
		}
	}
	older := made(t, "uelink-0.9-1.*.rpm", "rpm", "DEB_VERSION=0.9")
	newer := made(t, "uelink-1.0-1.*.rpm", "rpm", "DEB_VERSION=1.0")
	if out, err := exec.Command("rpmlint", "-c", "../../../deploy/rpm/rpmlint.toml", newer).CombinedOutput(); err != nil {
		t.Errorf("rpmlint: %v\n%s", err, out)
	}

	top := bed.Direct(t)
	partner := bed.NewDaemon(t, top.B, "B", bed.Settings{})
	partner.Start()
	h := newHost(t, top.A)
	old, next := h.put(older), h.put(newer)

	h.sh(byRPM + "-i " + old)
	says(t, h.sh("rpm --force-debian -V --nodeps uelink || true; getent passwd uelink; uelinkd --version"),
		"/var/lib/uelink", "uelinkd 0.9")
	file := filepath.Join(h.root, "etc/uelink/uelink.yaml")
	text := strings.Replace(bed.Settings{}.Text(api.DefaultSocket), "log: {level: debug", "log: {level: info", 1)
	bed.Must(t, os.WriteFile(file, []byte(text), 0o644))
	h.sh("uelinkd --config /etc/uelink/uelink.yaml --check; mkdir -p /run/uelink")
	daemon := bed.Start(t, h.ns, "uelinkd of the package", h.command("exec uelinkd --config /etc/uelink/uelink.yaml"))
	ready(t, daemon)
	h.sh("uelink llr interface --wait ADVANCE --timeout 20s")

	says(t, h.sh(byRPM+"-U "+next), "has taken over")
	version, first := h.running()
	if version != "1.0" || first == daemon.Cmd.Process.Pid {
		t.Errorf("version %s runs, as process %d", version, first)
	}
	h.sh("uelink llr interface --wait ADVANCE --timeout 20s")
	if c := partner.LLRCounters(); c.TxFlush != 0 || c.TxReinit != 0 {
		t.Errorf("the partner has flushed %d times, and begun again %d times", c.TxFlush, c.TxReinit)
	}
	if kept, err := os.ReadFile(file); err != nil || string(kept) != text {
		t.Errorf("the upgrade has changed the configuration: %v\n%s", err, kept)
	}

	says(t, h.sh(byRPM+"-U --oldpackage "+old), "has taken over")
	_, same := h.running()
	bed.Must(t, os.WriteFile(file, []byte(text+"\nof_a_newer_version: 1\n"), 0o644))
	says(t, h.sh(byRPM+"-U "+next), "needs restart", "of_a_newer_version", "goes on")
	if version, pid := h.running(); version != "0.9" || pid != same {
		t.Errorf("version %s runs, as process %d, and %d ran before", version, pid, same)
	}

	h.sh(byRPM + "-e uelink")
	bed.Must(t, syscall.Kill(same, syscall.SIGTERM))
	if out := h.sh("ls /usr/bin 2>&1"); strings.Contains(out, "uelinkd\n") {
		t.Error("the package is erased, and leaves /usr/bin/uelinkd")
	}
	says(t, h.left(), "/etc/uelink/uelink.yaml.rpmsave", "/var/lib/uelink")
}
