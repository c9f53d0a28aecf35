package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/control/controltest"
	"uelink/dataplane/model"
	"uelink/internal/programtest"
	"uelink/lldp"
	"uelink/lldp/agent"
)

func TestExitCodes(t *testing.T) {
	tool := programtest.Path(t, "uelink")
	_, socket := startWith(t, controltest.Ports(), controltest.NewLLDP())
	none := filepath.Join(t.TempDir(), "none.sock")
	for _, c := range []struct {
		name, socket string
		args         []string
		code         int
		stderr       string // its last line holds this
	}{
		{"fine", socket, []string{"port"}, 0, ""},
		{"help", none, []string{"--help"}, 0, ""},
		{"help of a group", none, []string{"llr", "--help"}, 0, ""},
		{"version without daemon", none, []string{"version"}, 0, ""},
		{"completion script", none, []string{"completion", "bash"}, 0, ""},

		{"unknown port", socket, []string{"port", "link9"}, 1, "port link9: no such port"},
		{"not a link", socket, []string{"llr", "reinit", "edge0"}, 1, "port edge0: not a link port"},
		{"unknown profile", socket, []string{"llr", "profile", "fast"}, 1, "profile fast: no such LLR profile"},

		{"port without LLDP", socket, []string{"lldp", "neighbors", "link9"}, 1, "port link9: no such LLDP port"},
		{"port without DCBX", socket, []string{"dcbx", "show", "edge0"}, 1, "port edge0: DCBX is off"},
		{"lldpcli's words", socket, []string{"lldp", "show", "neighbors", "--details"}, 0, ""},
		{"LLDP group alone", none, []string{"lldp"}, 2, "which command of uelink lldp?"},
		{"no daemon with LLDP", none, []string{"lldp", "watch"}, 4, none},

		{"nothing", none, nil, 2, "which command of uelink?"},
		{"unknown command", none, []string{"prot"}, 2, `unknown command "prot" for "uelink": did you mean "port"?`},
		{"ambiguous abbreviation", none, []string{"lldp", "s"}, 2, `"s" of "uelink lldp" is ambiguous: show, statistics`},
		{"abbreviations", socket, []string{"lldp", "sh", "nei", "det"}, 0, ""},
		{"ports without one", socket, []string{"lldp", "show", "neighbors", "ports"}, 2, "ports: PORT is missing"},
		{"details and summary", socket, []string{"lldp", "neighbors", "summary", "details"}, 2, "not both"},
		{"group alone", none, []string{"llr"}, 2, "which command of uelink llr?"},
		{"a version alone", none, []string{"--version"}, 0, ""},
		{"a version alone, in short", none, []string{"-V"}, 0, ""},
		{"a word of another tool", none, []string{"interfaces"}, 2, `for "uelink": did you mean "uelink port"?`},
		{"show and a command", none, []string{"show", "port"}, 2, `for "uelink show": did you mean "uelink port"?`},
		{"a command of uelink in a group", none, []string{"lldp", "status"}, 2, `did you mean "uelink status"?`},
		{"no daemon, as JSON", none, []string{"port", "-o", "json"}, 4, `,"exit_code":4}`},
		{"usage, as JSON", none, []string{"--wide", "--output=json"}, 2, `{"error":"unknown flag: --wide","exit_code":2}`},
		{"a group alone, as JSON", none, []string{"llr", "-ojson"}, 2, `{"error":"which command of uelink llr?","exit_code":2}`},
		{"refused, as JSON", socket, []string{"port", "link9", "-o", "json"}, 1,
			`{"error":"port link9: no such port: the ports are edge0 (veth1), link0 (eth1), link1 (eth2)","exit_code":1}`},
		{"unknown in group", none, []string{"llr", "zzz"}, 2, `unknown command "zzz" for "uelink llr"`},
		{"verb missing", none, []string{"llr", "local"}, 2, "which command of uelink llr local?"},
		{"unknown shell", none, []string{"completion", "nosh"}, 2, `unknown command "nosh"`},
		{"port missing", none, []string{"llr", "local", "enable"}, 2, "accepts 1 arg(s), received 0"},
		{"too many", none, []string{"port", "a", "b"}, 2, "accepts at most 1 arg(s), received 2"},
		{"unknown flag", none, []string{"port", "--wide"}, 2, "unknown flag: --wide"},
		{"unknown format", none, []string{"port", "-o", "xml"}, 2, "table or json is wanted"},
		{"unknown level", none, []string{"log", "level", "loud"}, 2, `invalid argument "loud"`},

		{"state that is there", socket, []string{"llr", "interface", "link0", "--wait", "ADVANCE"}, 0, ""},
		{"state that does not come", socket, []string{"llr", "interface", "--wait", "FLUSH", "--timeout", "1ms"}, 1,
			"after 1ms: port link0: Tx Status is ADVANCE, Rx Status SEND_ACKS, and neither is FLUSH"},
		{"state of no kind", socket, []string{"llr", "interface", "--wait", "UP"}, 2, "--wait UP: want OFF, INIT, ADVANCE"},
		{"no daemon to wait for", none, []string{"llr", "interface", "--wait", "INIT", "--timeout", "1ms"}, 4, "after 1ms: no daemon"},

		{"no daemon", none, []string{"port"}, 4, "no daemon: there is no socket " + none + ": start uelinkd"},
		{"no daemon to watch", none, []string{"watch"}, 4, none},
		{"no daemon to change", none, []string{"llr", "counters", "clear"}, 4, none},
	} {
		t.Run(c.name, func(t *testing.T) {
			cmd := exec.Command(tool, append([]string{"--socket", c.socket}, c.args...)...)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			err := cmd.Run()
			if code := cmd.ProcessState.ExitCode(); code != c.code {
				t.Errorf("exit %d (%v), want %d", code, err, c.code)
			}
			lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
			if last := lines[len(lines)-1]; !strings.Contains(last, c.stderr) || (c.stderr == "") != (last == "") {
				t.Errorf("stderr %q", stderr.String())
			}
		})
	}
}

// errorWriter takes nothing.
type errorWriter struct{}

func (errorWriter) Write([]byte) (int, error) { return 0, errors.New("disk full") }

func TestOutputThatFailsIsAFailure(t *testing.T) {
	_, socket := startDaemon(t, controltest.Ports())
	for _, output := range []string{"table", "json"} {
		var stderr bytes.Buffer
		code := run(t.Context(), []string{"--socket", socket, "-o", output, "port"}, errorWriter{}, &stderr)
		if code != 1 || !strings.Contains(stderr.String(), "disk full") {
			t.Errorf("%s: exit %d, %s", output, code, stderr.String())
		}
	}
}

func happened() model.Event {
	return model.Event{Time: time.Date(2026, 11, 21, 8, 0, 0, 1500, time.UTC), Port: "link0",
		Kind: model.EventLLRTxStatus, Text: "FLUSH: replay count"}
}

// watching waits until somebody watches.
func watching(t *testing.T, b *controltest.Backend) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); b.Subscribers() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("nobody watches")
		}
	}
}

func TestWatch(t *testing.T) {
	for output, want := range map[string]string{
		"table": "2026-11-21 08:00:00.000001 +0000  info   link0  llr_tx_status              FLUSH: replay count",
		"json":  `{"time":"2026-11-21T08:00:00.0000015Z","port":"link0","event":"llr_tx_status","text":"FLUSH: replay count","level":"info"}`,
	} {
		t.Run(output, func(t *testing.T) {
			b, socket := startDaemon(t, controltest.Ports())
			ctx, cancel := context.WithCancel(t.Context())
			out, in := io.Pipe()
			code := make(chan int, 1)
			go func() {
				code <- run(ctx, []string{"--socket", socket, "-o", output, "watch"}, in, io.Discard)
				in.Close()
			}()
			watching(t, b)
			b.Emit(happened(), time.Second)
			line, err := bufio.NewReader(out).ReadString('\n')
			if err != nil || strings.TrimSpace(line) != want {
				t.Errorf("%q, %v", line, err)
			}
			cancel() // as Ctrl-C does
			if c := <-code; c != 0 {
				t.Errorf("exit %d", c)
			}
		})
	}
}

func TestWatchDropped(t *testing.T) {
	b, socket := startDaemon(t, controltest.Ports())
	var stdout, stderr bytes.Buffer
	code := make(chan int, 1)
	go func() { code <- run(t.Context(), []string{"--socket", socket, "watch"}, &stdout, &stderr) }()
	watching(t, b)
	b.Drop()
	if c := <-code; c != 1 || !strings.Contains(stdout.String(), "end") ||
		!strings.Contains(stderr.String(), "reads too slowly") {
		t.Errorf("exit %d, %q, %q", c, &stdout, &stderr)
	}
}

func TestWatchEndsOnSignal(t *testing.T) {
	tool := programtest.Path(t, "uelink")
	b, socket := startDaemon(t, controltest.Ports())
	cmd := exec.Command(tool, "--socket", socket, "watch")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	watching(t, b)
	b.Emit(happened(), time.Second)
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Error(err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

func TestLLDPWatch(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string // the first lines
	}{
		{[]string{"lldp", "watch"}, "2026-11-21 08:00:00.000001 +0000  info   link0  neighbor_added             hostb\n"},
		{[]string{"lldp", "watch", "--details"}, "2026-11-21 08:00:00.000001 +0000  info   link0  neighbor_added             hostb\nInterface:    eth1, via: LLDP, port: link0, Time: 1 day, 02:03:04\n"},
		{[]string{"watch"}, "2026-11-21 08:00:00.000001 +0000  info   link0  neighbor_added             hostb\n"},
		{[]string{"watch", "-o", "json"}, `{"time":"2026-11-21T08:00:00.0000015Z","port":"link0","event":"neighbor_added","text":"hostb","level":"info"}` + "\n"},
		{[]string{"lldp", "watch", "-o", "json"}, `{"time":"2026-11-21T08:00:00.0000015Z","port":"link0","destination":"nearest-bridge","event":"neighbor_added","text":"hostb","level":"info","neighbor":{"port":"link0",`},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			fake := controltest.NewLLDP()
			_, socket := startWith(t, controltest.Ports(), fake)
			var stdout bytes.Buffer
			code := make(chan int, 1)
			go func() {
				code <- run(t.Context(), append([]string{"--socket", socket}, c.args...), &stdout, io.Discard)
			}()
			for deadline := time.Now().Add(10 * time.Second); fake.Subscribers() == 0; time.Sleep(time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("nobody watches")
				}
			}
			n := fake.Neighbors()[1]
			fake.Emit(agent.Event{Time: happened().Time, Port: "link0", Destination: lldp.NearestBridge,
				Kind: "neighbor_added", Text: "hostb", Neighbor: &n}, time.Second)
			fake.Drop() // the watch ends with what it was given
			if c := <-code; c != 1 {
				t.Errorf("exit %d", c)
			}
			if !strings.HasPrefix(stdout.String(), c.want) || !strings.Contains(stdout.String(), "reads too slowly") {
				t.Errorf("%q", stdout.String())
			}
		})
	}
}
