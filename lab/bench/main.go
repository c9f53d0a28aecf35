// Command bench measures uelink beside its public peers, and over bad wires, on this machine. `make bench` runs it;
// NOTES.md explains the figures. Tables go to standard output as Markdown; tables, plots and figures go to a
// directory.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"uelink/dataplane/fault"
)

func main() {
	if err := work(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// work does what the arguments say: a part of an experiment that is a process of its own, or experiments.
func work(args []string) error {
	switch {
	case len(args) == 2 && args[0] == answerCommand: // no signal handler: a signal ends this process in a blocking call
		return answer(args[1])
	case len(args) > 0 && args[0] == askCommand:
		return ask(args[1:])
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if slices.Equal(args, []string{lookCommand}) {
		return look(ctx)
	}
	o, err := parse(args)
	if err != nil {
		os.Exit(2) // flag has printed the error
	}
	return run(ctx, o)
}

// options are the flags.
type options struct {
	quick    bool
	only     *regexp.Regexp // nil: all experiments that need not be named
	rounds   int
	over     time.Duration
	out      string
	uelinkds []string
	losses   []fault.Config // faults of the wires between hosts, for the experiment hosts
	frames   uint64
	replay   string // kind of replay of LLR in the experiments loss and soak; "": the daemon's default
}

// parse returns the options of a command line. It prints an error to standard error and returns it.
func parse(args []string) (o options, err error) {
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.BoolVar(&o.quick, "quick", false, "measure only the table oneway, in short rounds")
	only := f.String("only", "", "measure the experiments whose `name` this regular expression matches: "+
		strings.Join(names(), ", "))
	f.IntVar(&o.rounds, "rounds", 5, "`number` of rounds; the report has the medians over all rounds")
	f.DurationVar(&o.over, "over", time.Second, "length of one measurement in a round; some experiments measure for a "+
		"share of this time")
	f.StringVar(&o.out, "out", "", "`directory` for results.json and the plots")
	uelinkds := f.String("uelinkd", "bin/uelinkd", "daemons to measure, `paths` separated by commas: oneway and hosts "+
		"measure all, other experiments the first daemon")
	losses := f.String("losses", "0,1e-3,1e-2,1e-2x8", "wires of the experiment hosts, `shares` of lost frames "+
		"separated by commas; 1e-2x8: 1 % lost, in bursts of 8 on average")
	f.Uint64Var(&o.frames, "frames", 100_000_000, "number of frames that the experiment soak delivers")
	f.StringVar(&o.replay, "replay", "", "`kind` of LLR's replay in the experiments loss and soak: go_back_n, auto, "+
		"selective (default: the daemon's)")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	o.uelinkds = strings.Split(*uelinkds, ",")
	if *only != "" {
		if o.only, err = regexp.Compile("^(?:" + *only + ")$"); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return o, err
		}
	}
	if o.losses, err = parseLosses(*losses); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return o, err
	}
	switch {
	case f.NArg() > 0:
		err = fmt.Errorf("argument %q: bench takes flags only", f.Arg(0))
	case o.rounds < 1:
		err = fmt.Errorf("--rounds %d: want 1 or more", o.rounds)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return o, err
}

// parseLosses parses the wires of --losses, such as "0,1e-3,1e-2x8".
func parseLosses(text string) (list []fault.Config, err error) {
	for word := range strings.SplitSeq(text, ",") {
		loss, burst, isBurst := strings.Cut(word, "x")
		c := fault.Config{Burst: 1}
		if c.Loss, err = strconv.ParseFloat(loss, 64); err == nil && isBurst {
			c.Burst, err = strconv.ParseFloat(burst, 64)
		}
		if err == nil {
			err = c.Validate()
		}
		if err != nil {
			return nil, fmt.Errorf("--losses %q: %w", word, err)
		}
		list = append(list, c)
	}
	return list, nil
}
