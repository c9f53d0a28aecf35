package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"uelink/client"
	"uelink/cmd/uelink/view"
	"uelink/control"
	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/dataplane/model"
)

var update = flag.Bool("update", false, "write the golden files anew")

func TestMain(m *testing.M) {
	time.Local = time.UTC // the tool prints local times
	goleak.VerifyTestMain(m)
}

// startDaemon serves a data plane without frames; it returns the socket.
func startDaemon(t *testing.T, ports []model.PortState) (*controltest.Backend, string) {
	t.Helper()
	return startWith(t, ports, &controltest.LLDP{})
}

// startWith has LLDP as well.
func startWith(t *testing.T, ports []model.PortState, lldp *controltest.LLDP) (*controltest.Backend, string) {
	t.Helper()
	b := controltest.New(ports, controltest.Profiles())
	return b, serve(t, b, lldp)
}

// startBridged serves a data plane with bridges.
func startBridged(t *testing.T) (*controltest.Backend, string) {
	t.Helper()
	b := controltest.NewBridged()
	return b, serve(t, b, controltest.NewLLDP())
}

// serve is a daemon in front of a backend; it returns the socket.
func serve(t *testing.T, b *controltest.Backend, lldp *controltest.LLDP) string {
	t.Helper()
	return serveWith(t, b, lldp, func(*control.Server) {})
}

// serveWith serves as serve does, with a server that prepare has prepared.
func serveWith(t *testing.T, b *controltest.Backend, lldp *controltest.LLDP, prepare func(*control.Server)) string {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "uelink.sock")
	l, err := control.Listen(t.Context(), control.Socket{Path: socket, Mode: 0o600})
	if err != nil {
		t.Fatal(err)
	}
	status := api.Status{Version: "v1.2.3", PID: 7, Started: time.Date(2026, 11, 21, 8, 0, 0, 0, time.UTC),
		Config: "/etc/uelink.yaml"}
	server := control.NewServer(b, lldp, zap.NewNop(), zap.NewAtomicLevel(), status)
	prepare(server)
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		if err := errors.Join(server.Shutdown(ctx), <-served); err != nil {
			t.Error(err)
		}
	})
	return socket
}

// uelink runs the tool in this process.
func uelink(ctx context.Context, socket string, args ...string) (stdout, stderr string, code int) {
	var out, err bytes.Buffer
	code = run(ctx, append([]string{"--socket", socket}, args...), &out, &err)
	return out.String(), err.String(), code
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s: %s", file, diff)
	}
}

func TestOutput(t *testing.T) {
	_, socket := startWith(t, controltest.Ports(), controltest.NewLLDP())
	for _, c := range []struct {
		file string
		args []string
	}{
		{"port.txt", []string{"port"}},
		{"llr-interface.txt", []string{"llr", "interface"}},
		{"llr-interface-detailed.txt", []string{"llr", "interface", "--detailed"}},
		{"llr-profile.txt", []string{"llr", "profile"}},
		{"llr-profile-default.json", []string{"-o", "json", "llr", "profile", "default"}},
		{"llr-counters.txt", []string{"llr", "counters"}},
		{"llr-counters-detailed.txt", []string{"llr", "counters", "--detailed", "link0"}},
		{"lldp-neighbors.txt", []string{"lldp", "neighbors"}},
		{"lldp-neighbors-details.txt", []string{"lldp", "neighbors", "--details"}},
		{"lldp-neighbors.json", []string{"lldp", "show", "neighbours", "-o", "json"}},
		{"lldp-neighbors-none.txt", []string{"lldp", "neighbors", "link1"}},
		{"lldp-neighbors-summary.txt", []string{"lldp", "show", "neighbors", "summary"}},
		{"lldp-statistics-summary.txt", []string{"lldp", "show", "statistics", "summary"}},
		{"dcbx-show-summary.txt", []string{"dcbx", "show", "summary"}},
		{"lldp-interfaces.txt", []string{"lldp", "interfaces"}},
		{"lldp-interfaces-details.txt", []string{"lldp", "interfaces", "--details", "link0"}},
		{"lldp-interfaces.json", []string{"lldp", "interfaces", "link1", "-o", "json"}},
		{"lldp-statistics.txt", []string{"lldp", "statistics", "link0"}},
		{"lldp-statistics-details.txt", []string{"lldp", "statistics", "link0", "--details"}},
		{"lldp-statistics.json", []string{"lldp", "statistics", "link0", "-o", "json"}},
		{"lldp-chassis.txt", []string{"lldp", "chassis"}},
		{"lldp-chassis.json", []string{"lldp", "chassis", "-o", "json"}},
		{"dcbx-show.txt", []string{"dcbx", "show"}},
		{"dcbx-show-details.txt", []string{"dcbx", "show", "link0", "--details"}},
		{"dcbx-show.json", []string{"dcbx", "show", "-o", "json"}},
		{"cbfc-vc.txt", []string{"cbfc", "vc"}},
		{"cbfc-vc.txt", []string{"cbfc", "vc", "link0"}},
		{"cbfc-credits.txt", []string{"cbfc", "credits"}},
		{"qos.txt", []string{"qos"}},
		{"qos-edge0.json", []string{"qos", "edge0", "-o", "json"}},
		{"log-level.txt", []string{"log", "level"}},
		{"log-level.json", []string{"log", "level", "-o", "json"}},
	} {
		t.Run(c.file, func(t *testing.T) {
			stdout, stderr, code := uelink(t.Context(), socket, c.args...)
			if code != 0 || stderr != "" {
				t.Errorf("exit %d, %s", code, stderr)
			}
			golden(t, c.file, stdout)
		})
	}
}

// asJSONList runs a command with -o json and reads the list that it prints.
func asJSONList[T any](t *testing.T, socket string, args ...string) (list []T) {
	t.Helper()
	stdout, stderr, code := uelink(t.Context(), socket, append(args, "-o", "json")...)
	if code != 0 || stderr != "" {
		t.Fatalf("%v: exit %d, %s", args, code, stderr)
	}
	d := json.NewDecoder(strings.NewReader(stdout))
	d.DisallowUnknownFields()
	if err := d.Decode(&list); err != nil {
		t.Fatalf("%v: %v", args, err)
	}
	return list
}

// JSON is what the daemon said, as a list also for one port.
func TestJSON(t *testing.T) {
	_, socket := startDaemon(t, controltest.Ports())
	c, ctx := client.NewClient(socket), t.Context()
	defer c.Close()
	ports, err1 := c.Ports(ctx)
	interfaces, err2 := c.LLRInterfaces(ctx)
	counters, err3 := c.LLRCounters(ctx)
	if err := errors.Join(err1, err2, err3); err != nil {
		t.Fatal(err)
	}
	for _, diff := range []string{
		cmp.Diff(ports, asJSONList[api.Port](t, socket, "port")),
		cmp.Diff(ports[:1], asJSONList[api.Port](t, socket, "port", "edge0")),
		cmp.Diff(interfaces, asJSONList[api.LLRInterface](t, socket, "llr", "interface")),
		cmp.Diff(interfaces[1:], asJSONList[api.LLRInterface](t, socket, "llr", "interface", "link1")),
		cmp.Diff(counters, asJSONList[api.LLRCounters](t, socket, "llr", "counters")),
		cmp.Diff(counters[:1], asJSONList[api.LLRCounters](t, socket, "llr", "counters", "link0")),
	} {
		if diff != "" {
			t.Error(diff)
		}
	}
}

// The listing of one port has a section for each of its parts and every value.
func TestPortInDetail(t *testing.T) {
	_, socket := startDaemon(t, controltest.Ports())
	stdout, stderr, code := uelink(t.Context(), socket, "port", "link0")
	if code != 0 || !strings.HasPrefix(stdout, "Port link0\n----------\nname .") {
		t.Fatalf("exit %d, %s, %s", code, stdout, stderr)
	}
	for _, line := range []string{
		"\n[counters]\n", "\n[socket]\n", "\n[llr]\n", "\n[llr.counters]\n",
		"\nrx_octets ......................................... 1,851,850,500\n",
		"\nmtu ............................................... 1514\n",
		"\ntx_status ......................................... ADVANCE\n",
		"\nerror_status ...................................... -\n",
		"\nflush_reason ...................................... -\n",
		"\nllr_tx_ok ......................................... 7,650,079\n",
	} {
		if !strings.Contains(stdout, line) {
			t.Errorf("no line %q", line)
		}
	}
	for _, f := range api.Fields(api.NewPort(controltest.Ports()[2])) {
		if !strings.Contains(stdout, "\n"+f.Key+" ...") {
			t.Errorf("no %s", f.Key)
		}
	}
}

// What the tool shows of LLDP as JSON is what the daemon said.
func TestLLDPJSON(t *testing.T) {
	_, socket := startWith(t, controltest.Ports(), controltest.NewLLDP())
	c, ctx := client.NewClient(socket), t.Context()
	defer c.Close()
	neighbors, err1 := c.LLDPNeighbors(ctx, "")
	interfaces, err2 := c.LLDPInterfaces(ctx, "")
	statistics, err3 := c.LLDPStatistics(ctx, "")
	exchanges, err4 := c.DCBX(ctx, "")
	if err := errors.Join(err1, err2, err3, err4); err != nil {
		t.Fatal(err)
	}
	for _, diff := range []string{
		cmp.Diff(neighbors, asJSONList[api.LLDPNeighbor](t, socket, "lldp", "neighbors")),
		cmp.Diff(neighbors[1:], asJSONList[api.LLDPNeighbor](t, socket, "lldp", "neighbors", "link0")),
		cmp.Diff(interfaces, asJSONList[api.LLDPInterface](t, socket, "lldp", "interfaces")),
		cmp.Diff(statistics, asJSONList[api.LLDPStatistics](t, socket, "lldp", "statistics")),
		cmp.Diff(exchanges, asJSONList[api.DCBX](t, socket, "dcbx", "show")),
	} {
		if diff != "" {
			t.Error(diff)
		}
	}
}

// A list in JSON is a list whether it has no, one or more members.
func TestJSONOfNoPorts(t *testing.T) {
	_, socket := startDaemon(t, nil)
	for _, args := range [][]string{{"port"}, {"llr", "interface"}, {"llr", "counters"},
		{"lldp", "neighbors"}, {"lldp", "interfaces"}, {"lldp", "statistics"}, {"dcbx", "show"}, {"status"},
		{"bridge"}, {"fdb", "show"}, {"vlan", "show"}, {"pfc"}, {"qos"}, {"queue", "counters"}, {"cbfc", "vc"}, {"hippi", "events"}} {
		if stdout, stderr, code := uelink(t.Context(), socket, append(args, "-o", "json")...); code != 0 ||
			stdout != "[]\n" {
			t.Errorf("%v: exit %d %q %s", args, code, stdout, stderr)
		}
	}
}

func TestChanges(t *testing.T) {
	lldp := controltest.NewLLDP()
	b, socket := startWith(t, controltest.Ports(), lldp)
	for _, args := range [][]string{
		{"lldp", "clear", "link0"},
		{"lldp", "clear"},
		{"llr", "local", "enable", "link1"},
		{"llr", "local", "disable", "link0"},
		{"llr", "remote", "enable", "link0"},
		{"llr", "remote", "disable", "link1"},
		{"llr", "reinit", "link1"},
		{"llr", "counters", "clear", "link0"},
		{"llr", "counters", "clear"},
		{"log", "level", "debug"},
	} {
		if stdout, stderr, code := uelink(t.Context(), socket, args...); code != 0 || stdout != "" {
			t.Errorf("%v: exit %d, %q %q", args, code, stdout, stderr)
		}
	}
	want := []string{"SetLLRLocal link1 true", "SetLLRLocal link0 false", "SetLLRRemote link0 true",
		"SetLLRRemote link1 false", "ReinitLLR link1", "ClearCounters link0", "ClearCounters "}
	if diff := cmp.Diff(want, b.Calls()); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"ClearCounters link0", "ClearCounters "}, lldp.Calls()); diff != "" {
		t.Error(diff)
	}
	if stdout, _, _ := uelink(t.Context(), socket, "log", "level"); stdout != "debug\n" {
		t.Errorf("level %q", stdout)
	}
}

// Every counter of an LLR port is on exactly one line of the detailed listing.
func TestDetailedListingIsComplete(t *testing.T) {
	listed := map[string]int{}
	for _, line := range view.CounterLines() {
		listed[line.Key]++
	}
	for _, f := range api.Fields(api.LLRCounters{}.Counters) {
		if listed[f.Key] != 1 {
			t.Errorf("%s is listed %d times", f.Key, listed[f.Key])
		}
		delete(listed, f.Key)
	}
	if delete(listed, ""); len(listed) > 0 {
		t.Errorf("not counters: %v", listed)
	}
}

func TestCompletion(t *testing.T) {
	_, socket := startWith(t, controltest.Ports(), controltest.NewLLDP())
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"port", ""}, "add\tAdd an edge to a bridge or a link of the running daemon\n" +
			"del\tRemove a port that was added while the daemon runs\n" +
			"set\tSet keys of a port that was added while the daemon runs\nedge0\nlink0\nlink1\n:4\n"},
		{[]string{"llr", "reinit", ""}, "link0\nlink1\n:4\n"},
		{[]string{"llr", "local", "enable", "link0", ""}, ":4\n"},
		{[]string{"llr", "profile", ""}, "careful\ndefault\n:4\n"},
		{[]string{"llr", "profile", "careful", ""}, ":4\n"},
		{[]string{"lldp", "neighbors", ""}, "edge0\nlink0\nlink1\ndetails\nports\nsummary\n:4\n"},
		{[]string{"lldp", "neighbors", "details", "link0", ""}, "edge0\nlink1\nports\nsummary\n:4\n"},
		{[]string{"lldp", "show", "statistics", "ports", ""}, "edge0\nlink0\nlink1\n:4\n"},
		{[]string{"lldp", "clear", "link0", ""}, ":4\n"},
		{[]string{"dcbx", "show", ""}, "link0\n:4\n"},
		{[]string{"dcbx", "show", "link0", ""}, ":4\n"},
	} {
		args := append([]string{"__complete", "--socket", socket}, c.args...)
		var stdout, stderr bytes.Buffer
		if code := run(t.Context(), args, &stdout, &stderr); code != 0 || stdout.String() != c.want {
			t.Errorf("%v: exit %d, %q", c.args, code, stdout.String())
		}
	}
}

func TestCount(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 12345678: "12,345,678",
		1<<64 - 1: "18,446,744,073,709,551,615"} {
		if got := view.Count(n); got != want {
			t.Errorf("%d: %s", n, got)
		}
	}
}
