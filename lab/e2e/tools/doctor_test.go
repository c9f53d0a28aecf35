package tools

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
)

// doctored is some of what uelink doctor says of an interface.
type doctored struct {
	Get struct {
		XDPMode string `json:"xdp_mode"`
		Bind    string `json:"bind_mode"`
		Why     string `json:"bind_reason"`
		Queues  int    `json:"queues"`
	} `json:"get"`
	Findings []struct {
		Level string `json:"level"`
		What  string `json:"what"`
	} `json:"findings"`
}

// doctorIn runs uelink doctor in a namespace.
func doctorIn(t *testing.T, ns *netns.NS, args ...string) (reports []doctored, code int) {
	t.Helper()
	cmd := exec.Command(bed.Program("uelink"), append([]string{"-o", "json", "doctor"}, args...)...)
	var stdout, stderr bed.Output
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	bed.Must(t, ns.Do(cmd.Start))
	_ = cmd.Wait() // the exit code tells
	if err := json.Unmarshal([]byte(stdout.String()), &reports); err != nil {
		t.Fatalf("uelink doctor %v: %v: %s%s", args, err, stdout.String(), stderr.String())
	}
	return reports, cmd.ProcessState.ExitCode()
}

// The report of uelink doctor for a veth is what the daemon then gets. With the daemon running, the report names it,
// and an interface with an address is reported as in use.
func TestDoctorForetellsWhatTheDaemonGets(t *testing.T) {
	top := bed.Direct(t)
	before, code := doctorIn(t, top.A, "link0")
	if code != 0 || before[0].Get.XDPMode != "driver" || before[0].Get.Bind != "copy" {
		t.Errorf("exit %d, %+v", code, before[0])
	}
	d := bed.NewDaemon(t, top.A, "A", bed.Settings{})
	whole, code := doctorIn(t, top.A, "--config", d.Config)
	if code != 0 || len(whole) != 2 {
		t.Errorf("the configuration: exit %d, %+v", code, whole)
	}
	d.Start()
	d.OperStatus("link0", "up")
	got, old := d.Link(), before[0].Get
	if got.XDPMode != old.XDPMode || got.BindMode != old.Bind || got.BindReason != old.Why || got.Queues != old.Queues {
		t.Errorf("foretold %+v, and it is %s, %s (%s), %d queues", old, got.XDPMode, got.BindMode, got.BindReason, got.Queues)
	}
	during, code := doctorIn(t, top.A, "link0")
	if code != 0 || !strings.HasPrefix(during[0].Findings[0].What, "uelinkd has the interface") {
		t.Errorf("under the daemon: exit %d, %+v", code, during[0].Findings)
	}
	bed.Must(t, top.HostA.AddAddr("eth0", "192.0.2.1/24"))
	used, code := doctorIn(t, top.HostA, "eth0", "--role", "edge")
	if code != 1 || used[0].Findings[0].Level != "blocks" {
		t.Errorf("with an address: exit %d, %+v", code, used[0].Findings)
	}
}

// With --peer uelink doctor probes the way to the other end: a network that carries only IP is named, and so is
// another station with the own IP address.
func TestDoctorProbesTheWay(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		daemons, twin bool
		says          string
	}{
		"no daemons": {false, false, "a network that carries only IP. Or: no uelinkd"},
		"twin":       {false, true, "10.78.0.2 answers 0 of 5 pings"},
		"both cross": {true, false, "both IP frames and frames of uelink cross the link"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := bed.Direct(t)
			bed.Must(t, top.A.AddAddr("link0", "10.78.0.1/24"))
			bed.Must(t, top.B.AddAddr("link0", "10.78.0.2/24"))
			if c.twin {
				bed.Must(t, top.B.AddAddr("link0", "10.78.0.1/24"))
			}
			args := []string{"link0", "--peer", "10.78.0.2"}
			if c.daemons {
				args = append(args, "--socket", top.Daemons(bed.Settings{}).A.Socket)
			}
			reports, _ := doctorIn(t, top.A, args...)
			var twin, way bool
			for _, f := range reports[0].Findings {
				twin = twin || strings.Contains(f.What, "has the address 10.78.0.1 of this interface, too")
				way = way || strings.Contains(f.What, c.says)
			}
			if !way || twin != c.twin {
				t.Errorf("%+v", reports[0].Findings)
			}
		})
	}
}
