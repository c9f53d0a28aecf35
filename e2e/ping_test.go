package e2e

import (
	"fmt"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"uelink/netns"
	"uelink/netns/nstest"
)

// peer returns the path of a program of a Debian package.
func peer(t testing.TB, name, debian string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		nstest.Missing(t, fmt.Sprintf("%s (Debian package %s: make deps)", name, debian))
	}
	return path
}

// say runs a command in a namespace, demands exit code 0 and returns its output.
func say(t testing.TB, ns *netns.NS, cmd *exec.Cmd) string {
	t.Helper()
	p := start(t, ns, strings.Join(cmd.Args, " "), cmd)
	if code := p.wait(); code != 0 {
		t.Fatalf("%s: exit %d\n%s%s", p.name, code, p.stdout, p.stderr)
	}
	return p.stdout.String()
}

func TestPingCrossesABadWire(t *testing.T) {
	ping := peer(t, "ping", "iputils-ping")
	top := cabled(t)
	bad := top.cable("--loss", "0.01", "--corrupt", "0.01")
	top.daemons(lossless)
	for _, size := range []string{"18", "56", "1472"} { // 1472 makes a packet of the MTU
		out := say(t, top.hostA, exec.Command(ping, "-n", "-q", "-M", "do", "-s", size, "-c", "1000", "-i",
			"0.001", addressB))
		t.Log(strings.Join(strings.Split(strings.TrimSpace(out), "\n")[2:], " "))
		if !regexp.MustCompile(`1000 packets transmitted, 1000 received, 0% packet loss`).MatchString(out) ||
			strings.Contains(out, "duplicates") || strings.Contains(out, "errors") {
			t.Errorf("%s octets: %s", size, out)
		}
	}
	if r := bad.pull(); dropped(r) == 0 {
		t.Errorf("the wire lost nothing: %+v", r)
	}
}
