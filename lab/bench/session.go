package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"uelink/internal/netns"
	"uelink/lab/bench/report"
)

// experiment is an experiment selected by a name of --only.
type experiment struct {
	name    string
	measure func(*session) error
	asked   bool // the experiment runs only when --only names it
}

// experiments returns all experiments (name, and function that measures), in the order of the report.
func experiments() []experiment {
	return []experiment{
		{name: "oneway", measure: (*session).oneWay},
		{name: "bothways", measure: (*session).bothWays},
		{name: "hippi", measure: (*session).hippi},
		{name: "loss", measure: (*session).loss},
		{name: "latency", measure: (*session).latency},
		{name: "delay", measure: (*session).delay},
		{name: "links", measure: (*session).links},
		{name: "bridge", measure: (*session).bridge},
		{name: "credits", measure: (*session).credits},
		{name: "tcp", measure: (*session).tcp},
		{name: "push", measure: (*session).push},
		{name: "jumbo", measure: (*session).jumbo},
		{name: "hosts", measure: (*session).hosts, asked: true},
		{name: "pages", measure: (*session).pages, asked: true},
		{name: "soak", measure: (*session).soak, asked: true},
	}
}

func names() (list []string) {
	for _, e := range experiments() {
		list = append(list, e.name)
	}
	return list
}

// chosen reports whether the options select an experiment: by --only, else the first with --quick, else all but
// those that have to be named.
func (o *options) chosen(e experiment) bool {
	switch {
	case o.only != nil:
		return o.only.MatchString(e.name)
	case o.quick:
		return e.name == "oneway"
	}
	return !e.asked
}

// session is one run of the program.
type session struct {
	options
	context.Context
	dir     string // for scratch files
	scratch int    // number of paths that newDir has returned
	testpmd testpmd
	cores   *cores
	report  report.Report
}

// run measures the chosen experiments and prints the report to standard output as Markdown. Each experiment is
// saved when it is done. After an error, the results so far are printed too.
func run(ctx context.Context, o options) error {
	if err := netns.CleanStale(); err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "uelink-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	s := &session{options: o, Context: ctx, dir: dir, cores: newCores(o.quick)}
	s.report.Machine = report.ThisMachine()
	for _, e := range experiments() {
		if err == nil && o.chosen(e) {
			err = s.experiment(e)
		}
	}
	if len(s.report.Tables) == 0 {
		return err
	}
	return errors.Join(err, s.report.WriteMarkdown(os.Stdout))
}

// experiment runs one experiment, which adds its tables to the report, and saves the report so far. A failed
// experiment may have added tables.
func (s *session) experiment(e experiment) error {
	s.progress("%s", e.name)
	tables := len(s.report.Tables)
	err := e.measure(s)
	if err != nil {
		err = fmt.Errorf("%s: %w", e.name, err)
	}
	if len(s.report.Tables) == tables {
		return err
	}
	return errors.Join(err, s.report.Save(s.out))
}

// progress prints a line to standard error.
func (s *session) progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", args...)
}

// newDir returns a path for a new directory, which does not exist yet, below the scratch directory.
func (s *session) newDir() string {
	s.scratch++
	return filepath.Join(s.dir, fmt.Sprint(s.scratch))
}
