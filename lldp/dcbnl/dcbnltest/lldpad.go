package dcbnltest

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"uelink/internal/netns"
	"uelink/internal/netns/nstest"
)

// LLDPAD is a running lldpad on link0 of a namespace, on a [Card].
type LLDPAD struct {
	Card *Card
	t    testing.TB
	ns   *netns.NS
	cmd  *exec.Cmd
}

// StartLLDPAD starts lldpad, which sends and receives on link0 of the namespace, and kills it at the end of the test.
// lldpad speaks IEEE 802.1Qaz first. Its shared memory is its own.
func StartLLDPAD(t testing.TB, ns *netns.NS) *LLDPAD {
	t.Helper()
	for _, program := range []string{"lldpad", "lldptool"} {
		if _, err := exec.LookPath(program); err != nil {
			nstest.Missing(t, "package lldpad")
		}
	}
	l := &LLDPAD{t: t, ns: ns, Card: NewCard(t)}
	l.cmd = exec.Command("unshare", "--ipc", "--mount", "sh", "-c",
		`mount -t tmpfs none /dev/shm && exec lldpad -p -t -f "$1"`, "sh", filepath.Join(t.TempDir(), "lldpad.conf"))
	l.cmd.Env = l.Card.Environment()
	if err := ns.Start(l.cmd); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Kill)
	for began := time.Now(); ; time.Sleep(20 * time.Millisecond) {
		out := l.Tool("set-lldp -i link0 adminStatus=rxtx")
		if strings.Contains(out, "adminStatus = rxtx") {
			return l
		}
		if time.Since(began) > 20*time.Second {
			t.Fatalf("lldpad: %s", out)
		}
	}
}

// Kill kills lldpad, which says no good-bye.
func (l *LLDPAD) Kill() {
	_ = l.cmd.Process.Kill() // it may have ended
	_ = l.cmd.Wait()         // by the signal
}

// Tool runs lldptool with the words of args and returns the output.
func (l *LLDPAD) Tool(args string) string {
	cmd := exec.Command("lldptool", strings.Fields(args)...)
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := l.ns.Run(cmd); err != nil {
		output.WriteString(err.Error())
	}
	return output.String()
}

// Sets sets values of a TLV: of PFC, ETS-CFG, ETS-REC, APP or IEEE-DCBX.
func (l *LLDPAD) Sets(tlv, values string) {
	l.t.Helper()
	if out := l.Tool("-T -i link0 -V " + tlv + " " + values); strings.Contains(strings.ToLower(out), "fail") ||
		strings.Contains(out, "nvalid") || strings.Contains(out, "exit status") {
		l.t.Fatalf("lldptool %s %s: %s", tlv, values, out)
	}
}
