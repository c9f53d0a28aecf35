// Command bench measures uelink beside its public peers, and over bad wires, on this machine. `make bench` runs it;
// NOTES.md explains the figures. Tables go to standard output as Markdown; tables, plots and figures go to a
// directory.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	work := look
	if !slices.Equal(os.Args[1:], []string{lookCommand}) {
		o, err := parse(os.Args[1:])
		if err != nil {
			os.Exit(2) // flag has printed the error
		}
		work = func(ctx context.Context) error { return run(ctx, o) }
	}
	if err := work(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// options are the flags.
type options struct {
	quick    bool
	only     *regexp.Regexp // nil: all experiments that need not be named
	rounds   int
	over     time.Duration
	out      string
	uelinkds []string
	frames   uint64
}

func parse(args []string) (o options, err error) {
	f := flag.NewFlagSet("bench", flag.ContinueOnError)
	f.BoolVar(&o.quick, "quick", false, "the first table alone, in short rounds")
	only := f.String("only", "", "measure the tables whose `name` this matches: "+strings.Join(names(), ", "))
	f.IntVar(&o.rounds, "rounds", 5, "how often everything is measured; the medians count")
	f.DurationVar(&o.over, "over", time.Second, "how long one thing is measured at a time")
	f.StringVar(&o.out, "out", "", "`directory` for results.json and the plots")
	uelinkds := f.String("uelinkd", "bin/uelinkd", "daemons to measure, `paths` with commas between: all of them in "+
		"the first table, the first one in the others")
	f.Uint64Var(&o.frames, "frames", 100_000_000, "frames that the soak delivers")
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
	if f.NArg() > 0 || o.rounds < 1 {
		err = errors.New("bench takes flags only, and at least one round")
		fmt.Fprintln(os.Stderr, err)
	}
	return o, err
}
