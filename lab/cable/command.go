package cable

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"uelink/internal/spool"
	"uelink/internal/table"
)

const long = `Joins two network interfaces by a bad wire: frames that arrive at one interface
leave at the other, but some are lost, damaged, duplicated, overtaken or delayed, by
chance, both ways alike. All other frames are unchanged, LLDP too. With one interface,
some of the frames that arrive there are lost or damaged, and the rest go on to the
host's stack or bridge; --peer names the far end in another network namespace, whose
arriving frames then fare alike. The cable ends on SIGINT or SIGTERM and prints its
counters as a table (with -o json as an object). It fails if an interface is deleted,
moved or renamed.

With only --loss, --burst and --corrupt, the frames cross in the kernel: by XDP
redirect if the other ends of all veths run XDP programs, as uelinkd puts on its
ports, else by a program at TCX (clsact before Linux 6.6). With any other fault they
cross through AF_XDP sockets in this process. So do frames to be damaged behind
veths as the kernel makes them: their checksums are unfinished, and are finished
here before any damage. The ready line says what is used, and why.

Hosts behind veths send super-frames of many segments; while a cable is plugged in,
they cut them, so that a loss is one frame. With --gso keep they do not, and the
report says how many frames each lost super-frame had. VLAN tags that a host leaves to its veth
cross in the kernel by TCX, not through sockets (ethtool -K IF txvlan off there).

The cable needs root, interfaces that are up, and no other XDP or TCX program on
them. Two interfaces are in promiscuous mode while it runs. All is restored when it
ends, even if it is killed.

Shares are from 0 to 1, of all frames. --netem takes the words of tc's netem with
their meaning (percent, jitter to both sides that reorders, reordered frames that
skip the delay) instead of the other faults.

A --rule picks single frames, control ordered sets and micropackets of a link, says how
often, and drops, corrupts, poisons, duplicates, holds, reorders, rewrites, replays or
injects: docs/TESTER.md has the language. A cable with rules runs in user space. Rules
act before chance does; their hits are in the report.

--analyze measures LLR and HIPPI-6400 from inside the wire, by one clock for both ways:
data to its acknowledgement, LLR_NACK to the first resent frame, a lost number to its good
copy, the spacing of messages, resent frames, requests for frames already delivered.
--capture writes all frames with a comment at each hit. docs/TESTER.md has the definitions.`

const example = `  uelink cable --loss 0.01 --burst 8 --corrupt 0.001 veth1 veth2
  uelink cable --reorder 0.001 --delay 1ms --a veth1 --b veth2 -o json
  uelink cable --netem 'loss 1% 25% delay 10ms 3ms distribution normal' veth1 veth2
  uelink cable veth1 veth2 --rule 'from=a kind=data nth=50 drop' --rule 'kind=nack first=1 hold=20ms'
  uelink cable veth1 veth2 --analyze --plot times.svg --capture hits.pcapng --rule 'kind=nack drop'
  uelink cable --loss 0.01 --wait veth1 --peer 4711:eth0`

// usageError is an error in the command line: exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// ExitCode returns 2, the exit code for wrong command lines.
func (usageError) ExitCode() int { return 2 }

// options are the flags of the command. complete parses the texts rate, limit, gso, netem and rules into Config.
type options struct {
	Config
	interval time.Duration
	rate     string
	rules    []string
	plot     string
	limit    string
	control  string
	gso      string
	netem    string
	metrics  string
	wait     bool
	watch    bool
}

// Command returns the command `uelink cable`, which runs until the end of its context.
func Command() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:     "cable [flags] IF [IF]",
		Short:   "Join two interfaces by a bad wire",
		Long:    long,
		Example: example,
		Args: func(_ *cobra.Command, args []string) error {
			if err := o.complete(args); err != nil {
				return usageError{err}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			p := &printer{out: cmd.OutOrStdout(), err: cmd.ErrOrStderr(), json: wantsJSON(cmd), interval: o.interval}
			p.control, p.plot = o.control, o.plot
			p.terminal, p.watch, p.metrics = table.IsTerminal(p.err), o.watch, o.metrics
			if !cmd.Flags().Changed("stats-interval") && !p.terminal && !o.watch && o.metrics == "" {
				p.interval = 0
			}
			if s, ok := p.err.(*spool.Spool); ok {
				s.SetNotice(p.notice)
			}
			if o.wait {
				if err := p.await(cmd.Context(), o.Config); err != nil {
					return err
				}
			}
			return p.run(cmd.Context(), o.Config)
		},
	}
	o.bind(cmd.Flags())
	cmd.AddCommand(ruleCommand(), reportCommand(), clearCommand())
	return cmd
}

// bind defines the command's flags, which store their values in the options.
func (o *options) bind(f *pflag.FlagSet) {
	f.StringVar(&o.A, "a", "", "one interface")
	f.StringVar(&o.B, "b", "", "the other interface")
	f.Var(&share{"loss", &o.Fault.Loss}, "loss", "share of frames lost")
	f.Float64Var(&o.Fault.Burst, "burst", 1, "mean number of frames lost in a row")
	f.Var(&share{"corrupt", &o.Fault.Corrupt}, "corrupt", "share of frames with one to three bits flipped")
	f.Var(&share{"duplicate", &o.Fault.Duplicate}, "duplicate", "share of frames that arrive twice")
	f.Var(&share{"reorder", &o.Fault.Reorder}, "reorder", "share of frames overtaken by one to three later frames")
	f.DurationVar(&o.Fault.Delay, "delay", 0, "delay of every frame")
	f.DurationVar(&o.Fault.Jitter, "jitter", 0, "random additional delay up to this, without reordering")
	f.StringVar(&o.rate, "rate", "0", "bits per second each way (k, M and G as in 100M), 0: no limit")
	f.IntVar(&o.Fault.Queue, "queue", 0,
		"frames on the wire at one time with delay, jitter or rate, 0: no limit but memory")
	f.StringVar(&o.netem, "netem", "", "the faults as parameters of tc netem, as in 'loss 1% 25% delay 10ms 3ms'")
	f.Uint64Var(&o.Fault.Seed, "seed", 1, "seed of the random numbers")
	f.StringVar(&o.Mode, "mode", ModeAuto, "where the frames cross: auto, kernel or user")
	f.StringVar(&o.gso, "gso", "split", "super-frames of hosts behind veths: split (a loss is one frame) "+
		"or keep (a loss is a whole super-frame)")
	f.StringVar(&o.Peer, "peer", "", "with one interface: the interface at the far end, NETNS:IF (a name, a process "+
		"or a path), whose arriving frames have the same faults")
	f.StringArrayVar(&o.rules, "rule", nil, "a rule: which frames or messages, how often, and what becomes of them, "+
		"as in 'from=a kind=data nth=50 drop'; repeatable")
	f.StringVar(&o.control, "control", "", "unix socket to make, for uelink cable rule, report and clear")
	f.BoolVar(&o.Analyze, "analyze", false, "measure the link's retries: times, resent frames, "+
		"requests for frames already delivered")
	f.StringVar(&o.plot, "plot", "", "file for a picture (SVG) of the times that --analyze has measured")
	f.StringVar(&o.Capture, "capture", "", "new file (pcapng) for all frames, with a comment at each hit of a rule")
	f.StringVar(&o.limit, "capture-limit", "64MiB", "octets at which the capture ends, also in KiB, MiB, GiB")
	f.Uint16Var(&o.DataType, "ethertype-data", 0, "EtherType of the link's data frames, for rules; 0: the default")
	f.Uint16Var(&o.ControlType, "ethertype-control", 0,
		"EtherType of the link's control frames, for rules; 0: the default")
	f.BoolVar(&o.wait, "wait", false, "wait until the interfaces exist and are up")
	f.BoolVar(&o.watch, "watch", false, "show a table of all counters and the present rates on stderr")
	f.StringVar(&o.metrics, "metrics", "", "file for the counters in Prometheus's text format, written every second")
	f.DurationVar(&o.interval, "stats-interval", time.Second,
		"how often to show counters on stderr, 0: never (default: every second on a terminal)")
}

// wantsJSON reports whether --output, a flag of all uelink commands, is json.
func wantsJSON(cmd *cobra.Command) bool {
	f := cmd.Flag("output")
	return f != nil && f.Value.String() == "json"
}

// complete takes the interfaces from the arguments, parses the rate, and returns the first error in flags and
// arguments.
func (o *options) complete(args []string) (err error) {
	for _, name := range args {
		switch {
		case o.A == "":
			o.A = name
		case o.B == "":
			o.B = name
		default:
			return fmt.Errorf("%q is one interface too many: a cable joins two", name)
		}
	}
	if o.interval < 0 {
		return fmt.Errorf("stats-interval %v is negative", o.interval)
	}
	switch o.gso {
	case "split", "keep":
		o.KeepGSO = o.gso == "keep"
	default:
		return fmt.Errorf("gso %q is neither split nor keep", o.gso)
	}
	if o.Fault.RateBPS, err = parseRate(o.rate); err != nil {
		return err
	}
	if o.CaptureLimit, err = parseOctets(o.limit); err != nil {
		return err
	}
	if o.plot != "" && !o.Analyze {
		return errors.New("plot shows the times that analyze measures: give --analyze, too")
	}
	if err := o.readNetem(); err != nil {
		return err
	}
	o.Ruled = o.control != ""
	if err := o.readRules(); err != nil {
		return err
	}
	return o.Validate()
}

// parseRate parses a rate such as "100M", bits a second with an optional k, M or G (powers of 1000).
func parseRate(text string) (uint64, error) {
	n, ok := parseScaled(text, map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9})
	if !ok {
		return 0, fmt.Errorf("rate %q is no number of bits per second, such as 100M", text)
	}
	return uint64(n), nil
}

// parseOctets parses the largest size of a capture such as "64MiB", in octets with an optional KiB, MiB or GiB.
func parseOctets(text string) (int64, error) {
	n, ok := parseScaled(text, map[string]float64{"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30})
	if !ok || n == 0 {
		return 0, fmt.Errorf("capture-limit %q is no number of octets, such as 64MiB", text)
	}
	return n, nil
}

// parseScaled parses a number that is not negative, with a unit or without.
func parseScaled(text string, units map[string]float64) (n int64, ok bool) {
	number, factor := text, 1.0
	for suffix, f := range units {
		if rest, found := strings.CutSuffix(text, suffix); found {
			number, factor = rest, f
		}
	}
	value, err := strconv.ParseFloat(number, 64)
	if err != nil || !(value >= 0) || value*factor > math.MaxInt64 {
		return 0, false
	}
	return int64(value * factor), true
}
