package traffic

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

	"github.com/spf13/cobra"

	"uelink/wire"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *rewrite {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s:\n%s\nwant:\n%s", name, got, want)
	}
}

func someResult() Result {
	return Result{OtherFrames: 3, Directions: []Direction{
		{From: "hostA", To: "hostB", Sent: 500000, Delivered: 500000, GoodputBPS: 512_345_678, PPS: 250168, Seconds: 1.99865, Latency: Latency{412.6, 1803.2, 4096}},
		{From: "hostB", To: "hostA", Sent: 500000, Delivered: 499998, Lost: 2, Duplicated: 1, Reordered: 4, CorruptedDelivered: 1, EdgeOverrun: 1, GoodputBPS: 5_000, PPS: 999, Seconds: 2, Latency: Latency{0.5, 12, 12}},
	}}
}

// pausedResult is of two priorities, of which one was stopped.
func pausedResult() Result {
	r := someResult()
	r.OtherFrames, r.Directions = 0, append(r.Directions, r.Directions...)
	d := &r.Directions[2]
	d.Priority, d.HeldBack, d.PausedSeconds = 3, 12_345, 1.7204
	d.PausesSent, d.ResumesSent, d.PausesReceived, d.ResumesReceived = 1200, 17, 1199, 16
	r.Directions[3].Priority = 3
	return r
}

func TestJSONAndTableGolden(t *testing.T) {
	for name, r := range map[string]Result{"result": someResult(), "paused": pausedResult(), "kinds": manyKinds()} {
		for _, output := range []string{"json", "table"} {
			var out bytes.Buffer
			cmd := &cobra.Command{}
			cmd.Flags().String("output", output, "")
			cmd.SetOut(&out)
			if err := show(cmd, r); err != nil {
				t.Fatal(err)
			}
			golden(t, name+"."+output, out.Bytes())
		}
	}
}

// The keys of a direction are a contract with whoever reads the JSON.
func TestJSONKeys(t *testing.T) {
	text, err := json.Marshal(Direction{})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"from":"","to":"","priority":0,"sent":0,"delivered":0,"lost":0,"duplicated":0,"reordered":0,` +
		`"corrupted_delivered":0,"edge_overrun":0,"goodput_bps":0,"pps":0,"seconds":0,` +
		`"latency_us":{"p50":0,"p99":0,"p999":0},"delivered_in_stall":0,` +
		`"pauses_received":0,"resumes_received":0,"paused_seconds":0,"held_back":0,"pauses_sent":0,"resumes_sent":0}`
	if string(text) != want {
		t.Errorf("%s\nwant %s", text, want)
	}
}

func TestWrongUsage(t *testing.T) {
	for args, want := range map[string]string{
		"":                                          "from",
		"--from a":                                  "to",
		"--from a --to a":                           "both ends are a",
		"--from a@n --to a@n":                       "both ends are a@n",
		"--from a@ --to b":                          "INTERFACE@NETNS",
		"--from a@../x --to b":                      "INTERFACE@NETNS",
		"--from a --to b --window 0":                "window 0",
		"--from a --to b --window 4096":             "ring size 1024",
		"--from a --to b --ring-size 1000":          "ring size 1000",
		"--from a --to b --rate -1":                 "rate -1",
		"--from a --to b --pfc-rate 1":              "\"1\" is not a rate",
		"--from a --to b --pfc-rate 20Tbps":         "PFC rate of 20000000000000 bit/s",
		"--from a --to b --vlan 4096":               "VLAN 4096",
		"--from a --to b --priority 8":              `"8" is not a priority`,
		"--from a --to b --priority x":              `"x" is not a priority`,
		"--from a --to b --priority 3 --priority 3": "priority 3: want 0 to 7, each once",
		"--from a --to b --window 192 --priority 0 --priority 1 --priority 2 --priority 3 --priority 4 --priority 5": "window of 1152",
		"--from a --to b --sink-rate x":                 `"x" is not a rate`,
		"--from a --to b --sink-rate -1":                `"-1" is not a rate`,
		"--from a --to b --sink-rate NaN":               `"NaN" is not a rate`,
		"--from a --to b --sink-rate 9=100":             `"9" is not a priority`,
		"--from a --to b --sink-rate 3=":                `"" is not a rate`,
		"--from a --to b --vlan x":                      "not a VLAN",
		"--from a --to b --vlan 1 --vlan 2 --vlan 3":    "3 VLAN tags",
		"--from a --to b --from-mac 01:00:00:00:00:01":  "unicast",
		"--from a --to b --to-mac 02:75:65:00:00:01":    "different",
		"--from a --to b --to-mac x":                    "not an Ethernet address",
		"--from a --to b --duration -1s":                "duration",
		"--from a --to b --loss-timeout 0":              "loss timeout",
		"--from a --to b extra":                         "unknown command",
		"--from nowhere-a@nowhere --to nowhere-b":       "ip netns list",
		"--from nowhere-a --to nowhere-b --frames 1000": "no such interface",
	} {
		cmd := Command()
		cmd.SilenceErrors, cmd.SilenceUsage = true, true
		cmd.SetArgs(strings.Fields(args))
		err := cmd.ExecuteContext(context.Background())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
		var coded interface{ ExitCode() int }
		if errors.As(err, &coded) && coded.ExitCode() != 2 {
			t.Errorf("%q: exit code %d", args, coded.ExitCode())
		}
	}
}

func TestDefaultsAreValid(t *testing.T) {
	c := DefaultConfig()
	c.From, c.To = End{Interface: "a"}, End{Interface: "a", NetNS: "n"}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	if s := c.To.String(); s != "a@n" {
		t.Error(s)
	}
}

func TestProgressOnAPlainWriterIsALineNowAndThen(t *testing.T) {
	var out bytes.Buffer
	line := NewProgressLine(&out)
	for s := 0.2; s < 11; s += 0.2 {
		line.Show(Progress{Result: someResult(), Planned: 1_000_000, Seconds: s})
	}
	line.End()
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "500,000 + 499,998 of 1,000,000 each") {
		t.Errorf("%q", out.String())
	}
}

func TestProgressOnATerminalIsWrittenOver(t *testing.T) {
	var out bytes.Buffer
	line := NewProgressLine(&out)
	line.terminal = true
	line.Show(Progress{Result: someResult()})
	line.Show(Progress{Result: someResult()})
	line.End()
	if text := out.String(); strings.Contains(text, "\n") || strings.Count(text, "\r") != 3 {
		t.Errorf("%q", text)
	}
}

func TestOpenLoopComesDueInTime(t *testing.T) {
	p := pace{rate: 1000, start: wire.Time(time.Second)}
	if due := p.due(0); due != wire.Time(time.Second+time.Millisecond) {
		t.Errorf("due at %d", due)
	}
	if room := p.room(0, p.due(0)); room != 1 {
		t.Errorf("room %d", room)
	}
}
