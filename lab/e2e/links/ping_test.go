package links

import (
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"uelink/lab/e2e/bed"
)

func TestPingCrossesABadWire(t *testing.T) {
	ping := bed.InstalledProgram(t, "ping", "iputils-ping")
	top := bed.Cabled(t)
	bad := top.Cable("--loss", "0.01", "--corrupt", "0.01")
	top.Daemons(bed.Lossless)
	for _, size := range []string{"18", "56", "1472"} { // 1472 makes a packet of the MTU
		out := bed.Run(t, top.HostA, exec.Command(ping, "-n", "-q", "-M", "do", "-s", size, "-c", "1000", "-i",
			"0.001", bed.AddressB))
		t.Log(strings.Join(strings.Split(strings.TrimSpace(out), "\n")[2:], " "))
		if !regexp.MustCompile(`1000 packets transmitted, 1000 received, 0% packet loss`).MatchString(out) ||
			strings.Contains(out, "duplicates") || strings.Contains(out, "errors") {
			t.Errorf("%s octets: %s", size, out)
		}
	}
	if r := bad.Pull(); bed.Dropped(r) == 0 {
		t.Errorf("the wire lost nothing: %+v", r)
	}
}
