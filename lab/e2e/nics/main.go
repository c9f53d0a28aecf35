// Package main is nics, which tests uelink with the drivers of real NICs, emulated by QEMU: `make nics` runs it. Each
// case is a virtual machine with two NICs joined by a wire, two daemons, and numbered frames that flow while a list
// of faults is applied to NIC and daemon. docs/nics.md has the results.
//
// The same program is the first process of each virtual machine.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"

	"uelink/lab/e2e/nics/guest"
)

// main runs the selected cases on the test host. As the first process of a virtual machine, it runs the guest's side.
func main() {
	if os.Getpid() == 1 {
		guest.Main()
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, err := parse(os.Args[1:])
	if err != nil {
		os.Exit(2) // flag has printed the error
	}
	if err := run(ctx, o); err != nil {
		fmt.Fprintln(os.Stderr, "nics:", err)
		os.Exit(1)
	}
}

// options are the flags of the command line.
type options struct {
	cache    string
	programs string
	only     *regexp.Regexp // matches the names of the cases to run; nil: all cases
	faults   []string       // names of the faults to apply; nil: all
	out      string
	lock     string
	patience int
	doctor   string
	update   bool
}

// parse returns the options that the command line gives. It prints an error, and returns it.
func parse(args []string) (o options, err error) {
	f := flag.NewFlagSet("nics", flag.ContinueOnError)
	home, _ := os.UserCacheDir() // if the user has no cache directory, the flag --cache must be given
	f.StringVar(&o.cache, "cache", filepath.Join(home, "uelink-nics"),
		"`directory` of downloads, kept between runs")
	f.StringVar(&o.programs, "programs", "bin", "`directory` of uelinkd")
	only := f.String("only", "", "run the cases whose `name` this matches, of "+strings.Join(caseNames(), "; "))
	faults := f.String("faults", "",
		"only these faults: `names` from the table, separated by commas; leave out commas inside a name")
	f.StringVar(&o.out, "out", "",
		"`directory` of the results, nics.md and data/nics.json, written after each case; other cases in them stay")
	f.StringVar(&o.lock, "lock", "", "`file` to lock while a virtual machine runs, for a machine with other users")
	f.IntVar(&o.patience, "patience", 1,
		"for a slow machine: frames may need `n` times 10 s to flow again after a fault that may lose frames")
	f.StringVar(&o.doctor, "doctor", "lab/e2e/nics/testdata/doctor",
		"`directory` with the stored output of uelink doctor for each driver")
	f.BoolVar(&o.update, "update", false, "store the output of uelink doctor for each driver again")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if err = o.complete(*only, *faults, f.NArg()); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
	return o, err
}

// complete parses those flags that package flag cannot, and returns the first error: only is a regular expression of
// case names, faults a list of fault names, rest the number of arguments, which must be 0.
func (o *options) complete(only, faults string, rest int) (err error) {
	if rest > 0 {
		return errors.New("nics takes flags only")
	}
	if o.patience < 1 {
		return fmt.Errorf("--patience %d: want 1 or more", o.patience)
	}
	if only != "" {
		if o.only, err = regexp.Compile(only); err != nil {
			return err
		}
	}
	if faults != "" {
		o.faults, err = findFaults(strings.Split(faults, ","))
	}
	return err
}

// findFaults returns the full names of the faults given by words, which may lack blanks and commas. An unknown name
// is an error.
func findFaults(words []string) (names []string, err error) {
	short := strings.NewReplacer(" ", "", ",", "")
	faults := map[string]string{}
	for _, name := range guest.FaultNames() {
		faults[short.Replace(name)] = name
	}
	for _, w := range words {
		name, found := faults[short.Replace(w)]
		if !found {
			return nil, fmt.Errorf("there is no fault %q: the faults are %s", w, strings.Join(guest.FaultNames(), "; "))
		}
		names = append(names, name)
	}
	return names, nil
}
