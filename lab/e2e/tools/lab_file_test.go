package tools

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"uelink/client"
	"uelink/internal/netns/nstest"
	"uelink/lab/demo"
	"uelink/lab/e2e/bed"
	"uelink/lab/traffic"
	"uelink/wire"
)

// labFile writes a lab to a file, and returns its name.
func labFile(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "lab.yaml")
	bed.Must(t, os.WriteFile(file, []byte(text), 0o600))
	return file
}

// refused starts a lab that cannot come up, and returns the error that it prints and its exit code.
func refused(t *testing.T, args ...string) (output string, code int) {
	t.Helper()
	out, stderr, err := labOf(t, append([]string{"up", "--uelinkd", bed.Program("uelinkd")}, args...)...)
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("lab up %v: %v: %s%s", args, err, out, stderr)
	}
	var problem struct{ Error string }
	bed.Must(t, json.Unmarshal([]byte(stderr), &problem))
	return problem.Error, exit.ExitCode()
}

// inside starts a program of a user in a host of the lab, and returns a channel that is closed when it has ended.
func inside(t *testing.T, l demo.Lab, host string) (ended chan struct{}) {
	t.Helper()
	cmd := exec.Command(bed.InstalledProgram(t, "ip", "iproute2"), "netns", "exec", l.Namespaces[host], "sleep", "1000")
	bed.Must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill() })
	ended = make(chan struct{})
	go func() {
		defer close(ended)
		_ = cmd.Wait()
	}()
	return ended
}

// awaitEnd waits until a process of a lab has ended.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	bed.Eventually(t, fmt.Sprint("the end of process ", pid), func() string {
		text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		// The first thread is a zombie before the others have ended, and until then the files of the process are open.
		threads, _ := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
		if err == nil && (!strings.Contains(string(text), ") Z ") || len(threads) > 1) {
			return fmt.Sprintf("%d threads: %s", len(threads), text)
		}
		return ""
	})
}

// daemonOf returns the process of a station's daemon.
func daemonOf(t *testing.T, l demo.Lab, station string) int {
	t.Helper()
	c := client.NewClient(l.Sockets[station])
	defer c.Close()
	status, err := c.Status(t.Context())
	bed.Must(t, err)
	return status.PID
}

// Eight hosts at two bridges: hosts reach each other, and four pairs at once send frames, which arrive exactly once
// and in order, though the wire loses one of a hundred. The end leaves nothing, a program of the user neither.
func TestLabOfEightHosts(t *testing.T) {
	began := time.Now()
	l := labUp(t, "../../../deploy/lab.yaml")
	t.Logf("up in %v", time.Since(began))
	if len(l.Hosts) != 8 || len(l.Stations) != 2 || len(l.Wires) != 1 {
		t.Fatalf("%+v", l)
	}
	running := []int{daemonOf(t, l, "A"), daemonOf(t, l, "B")}
	sleeper := inside(t, l, "h3")
	var pairs sync.WaitGroup
	for i := range 4 {
		pairs.Go(func() {
			c := traffic.DefaultConfig()
			c.From = traffic.End{Interface: "eth0", NetNS: l.Namespaces[l.Hosts[i].Name], Label: l.Hosts[i].Name}
			c.To = traffic.End{Interface: "eth0", NetNS: l.Namespaces[l.Hosts[4+i].Name], Label: l.Hosts[4+i].Name}
			c.FromMAC, c.ToMAC = wire.MAC{2, 0, 0, 0, 1, byte(i)}, wire.MAC{2, 0, 0, 0, 2, byte(i)}
			c.Frames, c.Window, c.Size = 5000, 32, "imix"
			r, err := traffic.Run(t.Context(), c, nil)
			if err != nil || len(r.Directions) != 2 {
				t.Errorf("%v: %+v", err, r)
			}
			for _, d := range r.Directions {
				if !d.Clean() || d.Delivered != c.Frames {
					t.Errorf("%s to %s: %+v", d.From, d.To, d)
				}
			}
		})
	}
	pairs.Wait()
	for _, to := range []string{"h1", "h8"} {
		reaches(t, l, "h2", l.Addresses[to])
	}
	c := client.NewClient(l.Sockets["A"])
	defer c.Close()
	counters, err := c.LLRCountersOf(t.Context(), "link0")
	bed.Must(t, err)
	if counters.Counters.TxReplay == 0 {
		t.Error("the wire has lost nothing")
	}
	output, _ := refused(t, "../../../deploy/lab.yaml")
	if output != "a lab is up already: take it down by uelink lab down" {
		t.Errorf("a second lab: %q", output)
	}
	if out, stderr, err := labOf(t, "down"); err != nil || out != "" {
		t.Errorf("down: %v: %s%s", err, out, stderr)
	}
	<-sleeper
	noLab(t, l)
	for _, pid := range append(running, l.PID) {
		awaitEnd(t, pid)
	}
}

// reaches pings an address from a host of a lab.
func reaches(t *testing.T, l demo.Lab, from, address string) {
	t.Helper()
	out, err := exec.Command(bed.InstalledProgram(t, "ip", "iproute2"), "netns", "exec", l.Namespaces[from],
		bed.InstalledProgram(t, "ping", "iputils-ping"), "-n", "-q", "-c", "3", "-i", "0.01", address).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "3 received, 0% packet loss") {
		t.Errorf("ping from %s to %s: %v\n%s", from, address, err, out)
	}
}

// chain is three stations: VLANs and credits on the first wire, which has a socket for rules, micropackets on the
// other.
const chain = `
stations:
  - {name: A, bridge: {vlan_filtering: true}}
  - {name: B, bridge: {vlan_filtering: true}, config: {log: {level: info}}}
  - {name: C, bridge: {}}
hosts:
  - {name: ten, station: A, member: {pvid: 10}}
  - {name: one, station: A, mtu: 1400}
  - {name: other, station: B, member: {pvid: 10}, address: 10.77.0.77/24}
  - {name: far, station: C}
wires:
  - {name: bad, ends: [A, B], loss: 0.01, control: true, member: {tagged: [10]},
     port: {cbfc: {mode: static, vcs: [{index: 0, lossless: true, limit: 128}]}}}
  - {ends: [C, B], protocol: hippi6400}
`

// A lab has the VLANs, credits, protocols and sockets that its file asks for.
func TestLabWithVLANsAndCredits(t *testing.T) {
	l := labUp(t, labFile(t, chain))
	reaches(t, l, "ten", "10.77.0.77")
	reaches(t, l, "one", l.Addresses["far"])
	if out, err := exec.Command("ip", "netns", "exec", l.Namespaces["ten"], "ping", "-n", "-c", "1", "-W", "0.2",
		l.Addresses["far"]).CombinedOutput(); err == nil {
		t.Errorf("a host of VLAN 10 reaches one of VLAN 1:\n%s", out)
	}
	if l.Wires[0].Faults != "loss 0.01" || l.Wires[0].Ends[0] != "A link0" || l.Wires[1].Ends[1] != "B link1" {
		t.Errorf("%+v", l.Wires)
	}
	out, err := exec.Command(bed.Program("uelink"), "cable", "report", "--control", l.Wires[0].Control).CombinedOutput()
	if err != nil {
		t.Errorf("report of the cable: %v: %s", err, out)
	}
	if stdout, _, err := labOf(t, "status"); err != nil || strings.Count(stdout, `"state":"up"`) != 3 {
		t.Errorf("status: %v: %s", err, stdout)
	}
}

// A killed daemon leaves the lab up, and status names it. What a killed lab leaves, a successor of its daemons too, is
// removed by the next command.
func TestLabOfWhichPartsAreKilled(t *testing.T) {
	l := labUp(t, labFile(t, strings.Split(chain, "  - {ends: [C")[0]))
	killed := daemonOf(t, l, "C")
	bed.Must(t, syscall.Kill(killed, syscall.SIGKILL))
	bed.Eventually(t, "a lab without C", func() string {
		stdout, stderr, err := labOf(t, "status")
		var now demo.Lab
		if err != nil || json.Unmarshal([]byte(stdout), &now) != nil || now.Stations[0].State != "up" ||
			now.Stations[2].State == "up" {
			return stdout + stderr
		}
		return ""
	})
	cmd := exec.Command(bed.Program("uelink"), "--socket", l.Sockets["A"], "upgrade")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("upgrade: %v: %s", err, out)
	}
	successor, sleeper := daemonOf(t, l, "A"), inside(t, l, "one")
	bed.Must(t, syscall.Kill(l.PID, syscall.SIGKILL))
	awaitEnd(t, l.PID)
	if _, stderr, err := labOf(t, "status"); err == nil || !strings.Contains(stderr, "the lab has been killed") {
		t.Errorf("status: %v: %s", err, stderr)
	}
	const removed = "the lab had been killed: everything that it left is removed\n"
	if out, stderr, err := labOf(t, "down"); err != nil || out != removed {
		t.Errorf("down: %v: %s%s", err, out, stderr)
	}
	<-sleeper
	awaitEnd(t, successor)
	noLab(t, l)
	if _, stderr, err := labOf(t, "status"); err == nil || !strings.Contains(stderr, "no lab is up") {
		t.Errorf("status: %v: %s", err, stderr)
	}
}

// A lab that does not come up says why, and leaves nothing.
func TestLabThatFails(t *testing.T) {
	nstest.New(t, "root") // or skip
	before, err := filepath.Glob("/run/uelink-demo-*")
	bed.Must(t, err)
	deaf := labFile(t, strings.Replace(chain, "loss: 0.01, control: true", "rules: [kind=init drop]", 1))
	output, code := refused(t, deaf, "--timeout", "1s")
	if code != 1 || !strings.Contains(output, "the lab did not come up within 1s\nA: link0 LLR INIT") {
		t.Errorf("exit %d: %s", code, output)
	}
	sick := labFile(t, strings.Replace(chain, "log: {level: info}", "workers: 300, log: {levl: info}", 1))
	output, code = refused(t, sick)
	want := sick + `:4:65: stations[1].config.workers: 300 is out of range: 1 to 256`
	if code != 2 || !strings.Contains(output, want) {
		t.Errorf("exit %d: %s, want %s", code, output, want)
	}
	for _, c := range []struct{ args, want string }{
		{"/no/such/file", "/no/such/file"}, {deaf + " --loss 0.1", "--loss cannot be combined with FILE"},
		{deaf + " more", "accepts at most 1 arg"}, {t.TempDir(), "is a directory"},
	} {
		if output, code := refused(t, strings.Fields(c.args)...); code != 2 || !strings.Contains(output, c.want) {
			t.Errorf("%s: exit %d: %s", c.args, code, output)
		}
	}
	after, err := filepath.Glob("/run/uelink-demo-*")
	bed.Must(t, err)
	names, err := filepath.Glob("/run/netns/uelink-lab-*")
	bed.Must(t, err)
	if len(after) > len(before) || len(names) > 0 {
		t.Errorf("left: %v, %v", after, names)
	}
}
