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
namespaces; they need root.

With --plan, two daemons run with a wire between them on which rules take out, hold and
change single messages: the 20 cases of SONiC's test plan of LLR (llr), or 8 cases of
credits (cbfc). Lossy cases of LLR run with go-back-N and with selective replay. Each
case prints its stimulus, its rules and what was seen, and passes, passes as corrected
(where the plan's text is a slip: the correction is printed), fails as written, or is
not possible. The exit status is 0 if no case fails, 1 if one does, 2 for a wrong
command line, 3 without the privileges. Daemons, namespaces and the wire are made for
the run. With sockets of running daemons only the wire is made, between the interfaces
joined to their links, and a case runs there if the daemons have the settings it needs.`

const example = `  uelink conformance --ends memory
  sudo uelink conformance --only LLR-03,LLR-04 -o json
  sudo uelink conformance --report docs/conformance
  sudo uelink conformance --plan llr --only 7,8
  sudo uelink conformance --plan cbfc -o json`

// errNotPassed ends a run in which a value was not as expected.
var errNotPassed = errors.New("not every measured value is as expected")

// usageError is an error in the command line.
type usageError struct{ error }

// ExitCode returns 2, the exit code for wrong command lines.
func (usageError) ExitCode() int { return 2 }

// options are the flags of the command.
type options struct {
	only     []string // IDs of cases; none: all
	ends     string   // endsMemory, endsVeth or "all"
	report   string   // beginning of the paths of the report's files; "": no files
	programs Programs
	plan     planOptions
}

// Command returns the command `uelink conformance`, which runs the cases of SONiC's test standard.
func Command() *cobra.Command {
	o := options{}
	cmd := &cobra.Command{
		Use: "conformance", Short: "Run the cases of SONiC's scale-up test standard",
		Long: long, Example: example, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("plan") {
				return o.run(cmd)
			}
			if err := o.plan.complete(o.only, o.programs.Daemon); err != nil {
				return err
			}
			return o.plan.run(cmd)
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&o.only, "only", nil, "cases to run, such as LLR-03 (default: all)")
	f.StringVar(&o.ends, "ends", "all", "where the two ends run: memory (simulated), veth (real daemons) or all")
	f.StringVar(&o.report, "report", "", "write results as PATH.md (cases), PATH-values.md, PATH.csv and PATH.json")
	f.StringVar(&o.programs.Daemon, "uelinkd", "", "path of the daemon (default: beside this program)")
	o.plan.bind(f)
	return cmd
}

// run runs the chosen cases between the chosen kinds of ends, prints the results and writes their files. Results
// are also printed when a later case could not run.
func (o *options) run(cmd *cobra.Command) error {
	cases, unknown := Pick(o.only)
	if len(unknown) > 0 {
		return usageError{fmt.Errorf("the test standard has no case %s", strings.Join(unknown, ", "))}
	}
	if o.ends != endsMemory && o.ends != endsVeth && o.ends != "all" {
		return usageError{fmt.Errorf("ends %q: want memory, veth or all", o.ends)}
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
