package cable

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const long = `Joins two network interfaces by a bad wire: what arrives at one leaves at the
other, but for what the wire loses, damages, duplicates, overtakes or delays, by
chance, both ways alike. It carries every frame as it is, LLDP too. It ends on
SIGINT or SIGTERM with a table (or with -o json one object) of what happened.

With only --loss, --burst and --corrupt asked for, the frames cross in the kernel,
by XDP redirect; else through AF_XDP sockets in this process.

The wire wants root, both interfaces up, and no other XDP program on them. It keeps
them in promiscuous mode, and puts them back when it ends, however it ends. In the
kernel, a veth takes redirected frames only if its peer has an XDP program, as
uelinkd puts on its ports, or GRO: until then they are lost (overrun). Frames
that a host's own stack sends need the offloads of that end of the veth off
(ethtool -K IF tx off tso off gso off).

Shares are from 0 to 1, of all frames.`

const example = `  uelink cable --loss 0.01 --burst 8 --corrupt 0.001 veth1 veth2
  uelink cable --reorder 0.001 --delay 1ms --a veth1 --b veth2 -o json`

// usageError is a wrong command line: exit code 2.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// ExitCode is that of a wrong command line.
func (usageError) ExitCode() int { return 2 }

// options is the command line.
type options struct {
	Config
	interval time.Duration
	rate     string
}

// Command is `uelink cable`. It runs until the command's context ends.
func Command() *cobra.Command {
	var o options
	cmd := &cobra.Command{
		Use:     "cable [flags] IF IF",
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
			p.terminal = isTerminal(p.err)
			if !cmd.Flags().Changed("stats-interval") && !p.terminal {
				p.interval = 0
			}
			return p.run(cmd.Context(), o.Config)
		},
	}
	o.bind(cmd.Flags())
	return cmd
}

// bind makes the flags that fill the options.
func (o *options) bind(f *pflag.FlagSet) {
	f.StringVar(&o.A, "a", "", "one interface")
	f.StringVar(&o.B, "b", "", "the other interface")
	f.Float64Var(&o.Fault.Loss, "loss", 0, "share of frames lost")
	f.Float64Var(&o.Fault.Burst, "burst", 1, "mean number of frames lost in a row")
	f.Float64Var(&o.Fault.Corrupt, "corrupt", 0, "share of frames with one to three bits flipped")
	f.Float64Var(&o.Fault.Duplicate, "duplicate", 0, "share of frames that come twice")
	f.Float64Var(&o.Fault.Reorder, "reorder", 0, "share of frames that one to three others overtake")
	f.DurationVar(&o.Fault.Delay, "delay", 0, "time that a frame takes")
	f.DurationVar(&o.Fault.Jitter, "jitter", 0, "up to so much more, without reordering")
	f.StringVar(&o.rate, "rate", "0", "bits per second each way (k, M and G as in 100M), 0: no limit")
	f.Uint64Var(&o.Fault.Seed, "seed", 1, "decides all chances")
	f.StringVar(&o.Mode, "mode", ModeAuto, "where the frames cross: auto, kernel or user")
	f.DurationVar(&o.interval, "stats-interval", time.Second,
		"how often to show counters on stderr, 0: never (default: every second on a terminal)")
}

// wantsJSON reads --output, which uelink has for all its commands.
func wantsJSON(cmd *cobra.Command) bool {
	f := cmd.Flag("output")
	return f != nil && f.Value.String() == "json"
}

// complete makes a configuration of the command line, and refuses a wrong one.
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
	if o.Fault.RateBPS, err = parseRate(o.rate); err != nil {
		return err
	}
	return o.Validate()
}

// parseRate reads bits per second with an optional k, M or G (powers of 1000).
func parseRate(text string) (uint64, error) {
	number, factor := text, 1.0
	for suffix, f := range map[string]float64{"k": 1e3, "M": 1e6, "G": 1e9} {
		if rest, found := strings.CutSuffix(text, suffix); found {
			number, factor = rest, f
		}
	}
	value, err := strconv.ParseFloat(number, 64)
	if err != nil || !(value >= 0) || value*factor > math.MaxInt64 {
		return 0, fmt.Errorf("rate %q is no number of bits per second, such as 100M", text)
	}
	return uint64(value * factor), nil
}
