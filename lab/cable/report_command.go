package cable

import (
	"fmt"

	"github.com/spf13/cobra"
)

// reportCommand returns the command `uelink cable report`.
func reportCommand() *cobra.Command {
	var path, plot string
	cmd := &cobra.Command{
		Use: "report --control PATH", Short: "Show the counters of a running cable and the times measured by --analyze",
		Example: `  uelink cable report --control /run/cable --plot times.svg`,
		Args:    onlyControl(&path),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c := NewClient(path)
			defer c.Close()
			r, err := c.Report(cmd.Context())
			if err != nil {
				return err
			}
			if plot != "" && r.Unseen == nil {
				return errNotAnalyzed
			}
			p := printer{out: cmd.OutOrStdout(), json: wantsJSON(cmd), plot: plot}
			return p.final(r)
		},
	}
	cmd.Flags().StringVar(&path, "control", "", "control socket of the cable")
	cmd.Flags().StringVar(&plot, "plot", "", "file for a picture (SVG) of the times")
	return cmd
}

// clearCommand returns the command `uelink cable clear`.
func clearCommand() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use: "clear --control PATH", Short: "Clear the counts and times measured by --analyze of a running cable",
		Long: "Sets the counts of --analyze to 0 and empties the histograms. Counters of frames and of rules stay.",
		Args: onlyControl(&path),
		RunE: func(cmd *cobra.Command, _ []string) error {
			c := NewClient(path)
			defer c.Close()
			return c.Clear(cmd.Context())
		},
	}
	cmd.Flags().StringVar(&path, "control", "", "control socket of the cable")
	return cmd
}

// onlyControl returns the check of arguments for a command that needs --control and takes nothing else.
func onlyControl(path *string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) > 0:
			return usageError{fmt.Errorf("%s takes no argument but --control", cmd.Name())}
		case *path == "":
			return usageError{errNoControl}
		}
		return nil
	}
}
