package conformance

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"uelink/lab/conformance/plan"
	"uelink/lab/traffic"
)

// errFails ends a run of a plan in which a case fails, or none is possible.
var errFails = errors.New("a case of the plan fails, or no case is possible between these ends")

// planOptions are the flags of --plan.
type planOptions struct {
	plan.Options
	hosts [2]string
	wires [2]string
}

// bind defines the flags of --plan.
func (o *planOptions) bind(f *pflag.FlagSet) {
	f.StringVar(&o.Plan, "plan", "", "run a test plan with rules on the wire instead: llr or cbfc")
	f.BoolVar(&o.Short, "short", false, "with --plan: leave out the cases that take long, and use go-back-N only")
	f.StringVar(&o.Daemons[1], "uelinkd-b", "", "with --plan: path of the daemon at B (default: as --uelinkd)")
	f.StringVar(&o.Sockets[0], "socket-a", "", "with --plan: API socket of a running daemon, which becomes end A")
	f.StringVar(&o.Sockets[1], "socket-b", "", "with --plan: API socket of a running daemon, which becomes end B")
	f.StringVar(&o.Ports[0], "port-a", "link0", "with --plan: link port of the running daemon at A")
	f.StringVar(&o.Ports[1], "port-b", "link0", "with --plan: link port of the running daemon at B")
	f.StringVar(&o.wires[0], "wire-a", "", "with --plan: interface cabled to A's link port, IF or IF@NETNS; "+
		"the wire joins the interface to --wire-b")
	f.StringVar(&o.wires[1], "wire-b", "", "with --plan: interface cabled to B's link port, in the "+
		"network namespace of --wire-a")
	f.StringVar(&o.hosts[0], "host-a", "", "with --plan: interface of the host behind A, IF or IF@NETNS")
	f.StringVar(&o.hosts[1], "host-b", "", "with --plan: interface of the host behind B, IF or IF@NETNS")
}

// complete sets the programs and hosts of a plan, by the flags and by the running program.
func (o *planOptions) complete(only []string, daemon string) (err error) {
	o.Only = only
	if o.Daemons[0] = daemon; daemon == "" {
		tool, err := os.Executable()
		if err != nil {
			return err
		}
		o.Daemons[0] = filepath.Join(filepath.Dir(tool), "uelinkd")
	}
	if o.Daemons[1] == "" {
		o.Daemons[1] = o.Daemons[0]
	}
	for i := range o.hosts {
		err := errors.Join(parse(o.hosts[i], &o.Hosts[i]), parse(o.wires[i], &o.Wires[i]))
		if err != nil {
			return usageError{err}
		}
	}
	if err := o.Validate(); err != nil {
		return usageError{err}
	}
	return nil
}

// parse reads an interface from a flag that was given.
func parse(text string, end *traffic.End) (err error) {
	if text != "" {
		*end, err = traffic.ParseEnd(text)
	}
	return err
}

// run runs a plan and prints its results: on standard error each verdict as it comes, on standard output the report.
func (o *planOptions) run(cmd *cobra.Command) error {
	r, err := plan.Run(cmd.Context(), o.Options, func(result plan.Result) {
		fmt.Fprintf(cmd.ErrOrStderr(), "case %s %s: %s %s\n", result.ID, result.Replay, result.Verdict, result.Why)
	})
	if len(r.Results) == 0 {
		return err
	}
	if traffic.WantsJSON(cmd) {
		err = errors.Join(err, traffic.WriteJSON(cmd.OutOrStdout(), r))
	} else {
		err = errors.Join(err, r.WriteTable(cmd.OutOrStdout()))
	}
	if err == nil && !r.Passed() {
		return errFails
	}
	return err
}
