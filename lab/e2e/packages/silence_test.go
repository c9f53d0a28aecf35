package packages

import (
	"syscall"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
	"uelink/lab/e2e/bed"
)

// dpkgRounds is how often TestSilenceOfAPackageUpgrade installs each of two versions over the other.
const dpkgRounds = 5

// TestSilenceOfAPackageUpgrade runs dpkg -i of a newer version, and of the older one again, in a Debian root whose
// daemon has an edge made for its host, while another host asks that host for answers. The new daemon takes over each
// time; the test logs the silences, in the table of TestSilenceOfRestarts.
func TestSilenceOfAPackageUpgrade(t *testing.T) {
	if !*debian {
		t.Skip("skipped, missing mmdebstrap: make test-all installs it (-packages.debian)")
	}
	older, newer := makePackage(t, "0.9"), makePackage(t, "1.0")
	var table bed.Silences
	for _, link := range []string{"addressed", "transparent"} {
		t.Run(link, func(t *testing.T) {
			a, b := nstest.New(t, "A"), nstest.New(t, "B")
			bed.Must(t, netns.Veth(a, "link0", b, "link0", bed.EdgeMTU))
			partner := bed.NewDaemon(t, b, "B", bed.CreatedLink("encapsulation: "+link, bed.CreatedB, bed.CreatedB6))
			partner.Start()
			h := newHost(t, a)
			old, next := h.put(older), h.put(newer)
			h.sh("dpkg -i " + old)
			h.runs(bed.CreatedLink("encapsulation: "+link, bed.CreatedA, bed.CreatedA6))
			bed.Echo(t, a)
			calls := bed.Call(t, b, bed.CreatedA, bed.CreatedA6)
			calls.Silence("the start", time.Now(), time.Now())
			for range dpkgRounds {
				table.Add("dpkg -i of a newer version", link, h.replaced(next, "1.0", calls))
				table.Add("dpkg -i of an older version", link, h.replaced(old, "0.9", calls))
			}
			if c := partner.LLRCounters(); c.TxFlush != 0 || c.TxReinit != 0 {
				t.Errorf("the partner has flushed %d times, and begun again %d times", c.TxFlush, c.TxReinit)
			}
		})
	}
	t.Log(table.String())
}

// runs starts the daemon of the package with settings, and waits until it is ready.
func (h *host) runs(s bed.Settings) {
	h.t.Helper()
	h.configure(s)
	h.sh("mkdir -p /run/uelink")
	first := bed.Start(h.t, h.ns, "uelinkd of the package", h.command("exec uelinkd --config /etc/uelink/uelink.yaml"))
	h.t.Cleanup(func() {
		_, pid := h.running() // of the last successor, which writes to the output of the first process
		bed.Must(h.t, syscall.Kill(pid, syscall.SIGTERM))
		first.Wait()
	})
	ready(h.t, first)
}

// replaced installs a package over the other, whose daemon must take over, and returns the silences meanwhile.
func (h *host) replaced(file, version string, calls *bed.Callers) []time.Duration {
	h.t.Helper()
	from := time.Now()
	says(h.t, h.sh("dpkg -i --force-confold "+file), "has taken over")
	until := time.Now()
	if running, _ := h.running(); running != version {
		h.t.Errorf("version %s runs, not %s", running, version)
	}
	all := calls.Silence("dpkg", from, until)
	h.t.Logf("dpkg ran for %.2f s; silence %s", until.Sub(from).Seconds(), calls.Seconds(all))
	return all
}
