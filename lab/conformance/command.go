package conformance

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"uelink/lab/traffic"
)

const long = `Runs the cases of SONiC's scale-up test standard against two ends of uelink and says
what was expected and what was measured: equal where frames are counted, within 5 % of
theory where time is in it.

Ends "memory" are the daemon's frame path over a wire in memory on a virtual clock, with
scripted faults; they need no privileges. Ends "veth" are two real daemons in network
namespaces; they need root.`

const example = `  uelink conformance --ends memory
  sudo uelink conformance --only LLR-03,LLR-04 -o json
  sudo uelink conformance --report docs/conformance`

// errNotPassed ends a run in which a value was not as expected.
var errNotPassed = errors.New("not every value is as expected")

// usageError is an error in the command line.
type usageError struct{ error }

// ExitCode returns 2, the exit code for wrong command lines.
func (usageError) ExitCode() int { return 2 }

// options are the flags of the command.
type options struct {
	only     []string
	ends     string
	report   string
	programs Programs
}

// Command returns the command `uelink conformance`, which runs the cases of SONiC's test standard.
func Command() *cobra.Command {
	o := options{}
	cmd := &cobra.Command{
		Use: "conformance", Short: "Run the cases of SONiC's scale-up test standard",
		Long: long, Example: example, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return o.run(cmd) },
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.only, "only", nil, "cases to run, such as LLR-03 (default: all)")
	f.StringVar(&o.ends, "ends", "all", "kind of ends: memory, veth or all")
	f.StringVar(&o.report, "report", "", "write the results to this path with .md, .csv and .json behind it")
	f.StringVar(&o.programs.Daemon, "uelinkd", "", "path of the daemon (default: beside this program)")
	return cmd
}

// run runs the chosen cases between the chosen kinds of ends, prints the results and writes their files. Results
// are also printed when a later case could not run.
func (o *options) run(cmd *cobra.Command) error {
	cases, unknown := Pick(o.only)
	if len(unknown) > 0 {
		return usageError{fmt.Errorf("there is no case %s", strings.Join(unknown, ", "))}
	}
	if o.ends != endsMemory && o.ends != endsVeth && o.ends != "all" {
		return usageError{fmt.Errorf("ends %q: memory, veth or all is wanted", o.ends)}
	}
	var report Report
	var problems []error
	for _, c := range cases {
		if o.ends != endsVeth {
			report.add(InMemory([]Case{c}))
		}
		if o.ends != endsMemory && len(problems) == 0 {
			r, err := OverVeth(cmd.Context(), []Case{c}, o.programs)
			report.add(r)
			if err != nil {
				problems = append(problems, fmt.Errorf("%s over veth: %w", c.ID, err))
			}
		}
	}
	return errors.Join(append(problems, o.show(cmd, &report))...)
}

func (r *Report) add(more Report) { r.Results = append(r.Results, more.Results...) }

// show writes the report's files, if wanted, and prints it as a table or as JSON. It returns errNotPassed if a
// value was not as expected.
func (o *options) show(cmd *cobra.Command, r *Report) error {
	if o.report != "" {
		if err := r.WriteFiles(o.report); err != nil {
			return err
		}
	}
	if traffic.WantsJSON(cmd) {
		if err := traffic.WriteJSON(cmd.OutOrStdout(), r); err != nil {
			return err
		}
	} else if err := r.WriteTable(cmd.OutOrStdout()); err != nil {
		return err
	}
	if !r.Passed() {
		return errNotPassed
	}
	return nil
}
