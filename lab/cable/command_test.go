package cable

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"uelink/dataplane/fault"
)

// tool is `uelink` with nothing but this command.
func tool(args ...string) *cobra.Command {
	root := &cobra.Command{Use: "uelink", SilenceUsage: true, SilenceErrors: true}
	root.PersistentFlags().StringP("output", "o", "table", "")
	root.AddCommand(Command())
	root.SetArgs(append([]string{"cable"}, args...))
	root.SetOut(io.Discard)
	root.SetErr(io.Discard)
	return root
}

func TestWrongUsage(t *testing.T) {
	for _, c := range []struct {
		args string
		want string
	}{
		{"", "name one or two interfaces"},
		{"--a x --delay 1ms", "one interface can only lose and corrupt: for all else put the cable between two"},
		{"x --mode user", "uelink cable x IF2"},
		{"x y --peer 1:eth0", "peer is for a cable on one interface"},
		{"x --peer eth0", `peer "eth0" is not NETNS:IF`},
		{"x --peer :eth0", `peer ":eth0" is not NETNS:IF`},
		{"x --peer 1:", `peer "1:" is not NETNS:IF`},
		{"x y --gso merge", `gso "merge" is neither split nor keep`},
		{"x y --gso keep --mode user", "gso keep needs mode kernel"},
		{"x y --gso keep --delay 1ms", "gso keep needs mode kernel"},
		{"x x", "both ends are x"},
		{"--a x --b x", "both ends are x"},
		{"x y z", `"z" is one interface too many`},
		{"--a x y z", `"z" is one interface too many`},
		{"--loss -1 x y", "loss -1: a probability is from 0 to 1"},
		{"--queue 5 x y", "queue needs a delay, a jitter or a rate"},
		{"--queue -5 --rate 1M x y", "queue -5"},
		{"--netem loss_x x y", `netem: "x" at position 6: neither a share`},
		{"--netem loss_1% --loss 0.1 x y", "netem cannot be combined with other faults"},
		{"--netem loss_1%_25% x", "one interface can only lose and corrupt"},
		{"--netem loss_1%_25% x y --mode kernel", "mode kernel can only lose and corrupt"},
		{"--netem limit_99999 x y", "limit 99999: the queue of a cable holds 12288 frames at most"},
		{"--netem delay_1ms_1ms_distribution_none x y", `"none" at position 28: none of uniform`},
		{"--burst 0.1 x y", "burst 0.1"},
		{"--mode kernel --delay 1ms x y", "mode kernel can only lose and corrupt"},
		{"--mode air x y", `mode "air" is none of auto, kernel, user`},
		{"--rate fast x y", `rate "fast"`},
		{"--rate -1 x y", `rate "-1"`},
		{"--rate 10 x y", "rate: at least 1000"},
		{"--stats-interval -1s x y", "stats-interval -1s is negative"},
	} {
		args := strings.Fields(c.args)
		for i, arg := range args {
			args[i] = strings.ReplaceAll(arg, "_", " ")
		}
		err := tool(args...).Execute()
		var coded interface{ ExitCode() int }
		if err == nil || !strings.Contains(err.Error(), c.want) || !errors.As(err, &coded) || coded.ExitCode() != 2 {
			t.Errorf("%q: %v", c.args, err)
		}
	}
}

// A number that tc takes for percents is refused with both readings.
func TestShareIsNoPercentage(t *testing.T) {
	for text, want := range map[string]string{
		"2":    "if 2 % is meant, that is --loss 0.02, or --netem 'loss 2%'",
		"1%":   "if 1 % is meant, that is --loss 0.01, or --netem 'loss 1%'",
		"much": "not a number from 0 to 1",
	} {
		var f fault.Config
		if err := (&share{"loss", &f.Loss}).Set(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Losses that the kernel's programs draw alike need no user space, and so are possible on one interface.
func TestNetemThatOnlyLosesRunsInTheKernel(t *testing.T) {
	for words, want := range map[string]fault.Config{
		"loss 1%":                      {Loss: 0.01, Burst: 1, Seed: 1},
		"loss gemodel 1% 20% seed 9":   {Loss: 0.01 / 0.21, Burst: 5, Seed: 9},
		"loss gemodel 1% 20% limit 10": {Loss: 0.01 / 0.21, Burst: 5, Seed: 1},
	} {
		var o options
		f := pflag.NewFlagSet("", pflag.ContinueOnError)
		o.bind(f)
		must(t, f.Parse([]string{"--netem", words, "x"}))
		must(t, o.complete(f.Args()))
		got := o.Fault
		if math.Abs(got.Loss-want.Loss) > 1e-9 || math.Abs(got.Burst-want.Burst) > 1e-6 || got.Seed != want.Seed ||
			got.Netem != nil || !o.kernelCan() {
			t.Errorf("%s: %+v", words, got)
		}
	}
}

func TestParseRate(t *testing.T) {
	for text, want := range map[string]uint64{
		"0": 0, "1000": 1000, "64k": 64_000, "100M": 100_000_000, "2.5G": 2_500_000_000,
	} {
		if got, err := parseRate(text); got != want || err != nil {
			t.Errorf("%q: %d, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "M", "1T", "1e30", "NaN", "inf", "0x10", "1 M", "-5"} {
		if got, err := parseRate(text); err == nil {
			t.Errorf("%q: %d", text, got)
		}
	}
}

func TestFlagsMakeTheConfiguration(t *testing.T) {
	var o options
	f := pflag.NewFlagSet("", pflag.ContinueOnError)
	o.bind(f)
	must(t, f.Parse(strings.Fields("--loss 0.1 --burst 2 --corrupt 0.2 --duplicate 0.3 --reorder 0.4 --delay 1ms "+
		"--jitter 2ms --rate 1M --seed 7 --mode user --b y x")))
	must(t, o.complete(f.Args()))
	want := Config{A: "x", B: "y", Mode: ModeUser, Fault: fault.Config{Loss: 0.1, Burst: 2, Corrupt: 0.2,
		Duplicate: 0.3, Reorder: 0.4, Delay: time.Millisecond, Jitter: 2 * time.Millisecond, RateBPS: 1_000_000, Seed: 7},
		CaptureLimit: DefaultCaptureLimit}
	if !reflect.DeepEqual(o.Config, want) {
		t.Errorf("%+v", o.Config)
	}
}

// joined returns the configuration of a cable between x and y.
func joined(c Config) Config {
	c.A, c.B = "x", "y"
	return c
}

// A frame damaged on its way from a veth as the kernel makes it needs its checksum finished first: in user space.
func TestModeIsTheKernelsWhereItCan(t *testing.T) {
	for _, c := range []struct {
		config Config
		plain  string
		want   string
	}{
		{joined(Config{}), "", ModeKernel},
		{joined(Config{Fault: fault.Config{Loss: 0.1, Burst: 8, Corrupt: 0.1}}), "", ModeKernel},
		{joined(Config{Mode: ModeAuto, Fault: fault.Config{Loss: 0.1}}), "", ModeKernel},
		{joined(Config{Mode: ModeUser}), "", ModeUser},
		{joined(Config{Fault: fault.Config{Duplicate: 0.1}}), "", ModeUser},
		{joined(Config{Fault: fault.Config{Reorder: 0.1}}), "", ModeUser},
		{joined(Config{Fault: fault.Config{Delay: 1}}), "", ModeUser},
		{joined(Config{Fault: fault.Config{Jitter: 1}}), "", ModeUser},
		{joined(Config{Fault: fault.Config{RateBPS: 1000}}), "", ModeUser},
		{joined(Config{Fault: fault.Config{Loss: 0.1}}), "y", ModeKernel},
		{joined(Config{Fault: fault.Config{Corrupt: 0.1}}), "y", ModeUser},
		{joined(Config{Mode: ModeKernel, Fault: fault.Config{Corrupt: 0.1}}), "y", ModeKernel},
		{joined(Config{KeepGSO: true, Fault: fault.Config{Corrupt: 0.1}}), "y", ModeKernel},
		{Config{A: "x", Fault: fault.Config{Corrupt: 0.1}}, "x", ModeKernel},
	} {
		if got := c.config.mode(c.plain); got != c.want {
			t.Errorf("%+v: %s", c.config, got)
		}
	}
}

func TestTable(t *testing.T) {
	r := Report{Directions: []Direction{
		{From: "veth1", To: "veth2", Counts: Counts{Counters: fault.Counters{Forwarded: 100000, Dropped: 5, Corrupted: 4,
			Duplicated: 3, Reordered: 2, Overrun: 1}, Octets: 9_000_000, SuperFrames: 7, SuperLost: 2, FramesOfLost: 9}},
		{From: "veth2", To: "veth1", Counts: Counts{Counters: fault.Counters{Forwarded: math.MaxUint32}}},
	}}
	var out bytes.Buffer
	must(t, r.WriteTable(&out))
	const want = `
from   to      forwarded   octets  dropped  corrupted  duplicated  reordered  overrun
-----  -----  ----------  -------  -------  ---------  ----------  ---------  -------
veth1  veth2      100000  9000000        5          4           3          2        1
veth2  veth1  4294967295        0        0          0           0          0        0
veth1>veth2: 7 super-frames forwarded, 2 dropped, of 4.5 frames on average
`
	if got := "\n" + out.String(); got != want {
		t.Errorf("got%swant%s", got, want)
	}
}

func TestDirectionOnOneLine(t *testing.T) {
	d := Direction{From: "x", To: "y", Counts: Counts{Counters: fault.Counters{Forwarded: 100, Dropped: 5, Corrupted: 4,
		Duplicated: 3, Reordered: 2, Overrun: 1}}}
	if got := d.String(); got != "x>y 100, 5 dropped, 4 corrupted, 3 duplicated, 2 reordered, 1 overrun" {
		t.Error(got)
	}
	d.Counters = fault.Counters{Forwarded: 7}
	if got := d.String(); got != "x>y 7" {
		t.Error(got)
	}
}

func TestReadyWarnsOfDifferentMTUs(t *testing.T) {
	warnings := warnMTU(&end{name: "x", mtu: 1514}, &end{name: "y", mtu: 1500})
	if len(warnings) != 1 || !strings.Contains(warnings[0], "more than 1514 octets will vanish at y") {
		t.Errorf("warnings %q", warnings)
	}
	var out bytes.Buffer
	must(t, (&printer{err: &out}).ready(readyEvent{Mode: ModeKernel, XDPMode: "driver", Path: pathTCX, Why: "why",
		GSO: "split", A: plugged{"x", 1514}, B: &plugged{"y", 1500}, Seed: 1, Warnings: warnings}))
	if !strings.HasPrefix(out.String(), "warning: MTU 1514 of x") ||
		!strings.HasSuffix(out.String(), "\nready: x (MTU 1514) and y (MTU 1500) joined, mode kernel, XDP in driver "+
			"mode, seed 1; path tcx: why; super-frames: split\n") {
		t.Errorf("said %q", out.String())
	}
}

func TestMissingInterfaceIsAFailureNotUsage(t *testing.T) {
	root := tool("uelink-no1", "uelink-no2")
	err := root.ExecuteContext(context.Background())
	var coded interface{ ExitCode() int }
	if err == nil || errors.As(err, &coded) || !strings.Contains(err.Error(), "uelink-no1") {
		t.Errorf("%v", err)
	}
}
