package cable

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

const ruleLong = `Changes and shows the rules of a running cable that has a control socket (uelink
cable --control PATH): docs/TESTER.md has the language of rules.

  add 'WORDS'   adds a rule and prints the id; from then on the cable applies the rule
  list          shows all rules with states and counts
  arm ID        starts a rule again, with all counts at 0
  pause ID      stops a rule until the next arm
  release ID    forwards the frames that a rule holds
  delete ID     removes a rule and forwards the frames that the rule holds
  watch         prints a line of JSON for each hit, until interrupted`

// errNoControl is the error of a command line without the control socket.
var errNoControl = errors.New("--control is missing: give the path that uelink cable --control has")

// ruleCommand returns the command `uelink cable rule`.
func ruleCommand() *cobra.Command {
	var path string
	cmd := &cobra.Command{
		Use: "rule --control PATH VERB [WORDS|ID]", Short: "Show and change the rules of a running cable", Long: ruleLong,
		Example: `  uelink cable rule --control /run/cable add 'from=a kind=data nth=50 drop'`,
		Args: func(_ *cobra.Command, args []string) error {
			if err := checkVerb(path, args); err != nil {
				return usageError{err}
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			c := NewClient(path)
			defer c.Close()
			return c.do(cmd, args[0], strings.Join(args[1:], " "))
		},
	}
	cmd.Flags().StringVar(&path, "control", "", "control socket of the cable")
	return cmd
}

// checkVerb returns the first error in the arguments of `uelink cable rule`.
func checkVerb(path string, args []string) error {
	switch {
	case path == "":
		return errNoControl
	case len(args) == 0:
		return fmt.Errorf("the verb is missing: add, list, arm, pause, release, delete or watch")
	}
	switch args[0] {
	case "list", "watch":
		if len(args) > 1 {
			return fmt.Errorf("%s takes no argument", args[0])
		}
	case "add":
		if len(args) == 1 {
			return fmt.Errorf("add takes the words of a rule")
		}
	case "arm", "pause", "release", "delete":
		if len(args) != 2 {
			return fmt.Errorf("%s takes the id of a rule", args[0])
		}
	default:
		return fmt.Errorf("%q is none of add, list, arm, pause, release, delete, watch", args[0])
	}
	return nil
}

// do carries out a verb of the command `uelink cable rule`, such as add or list. rest is the arguments after the verb.
func (c *Client) do(cmd *cobra.Command, verb, rest string) error {
	ctx, out := cmd.Context(), cmd.OutOrStdout()
	switch verb {
	case "add":
		id, err := c.Add(ctx, rest)
		if err == nil {
			_, err = fmt.Fprintln(out, id)
		}
		return err
	case "delete":
		return c.Delete(ctx, rest)
	case "list":
		rules, err := c.Rules(ctx)
		if err != nil {
			return err
		}
		if wantsJSON(cmd) {
			e := json.NewEncoder(out)
			e.SetIndent("", "  ")
			return e.Encode(append([]RuleStatus{}, rules...)) // so that an empty list is [] and not null
		}
		return Report{Rules: rules}.writeRules(out)
	case "watch":
		lines, err := c.Watch(ctx)
		if err != nil {
			return err
		}
		defer lines.Close()
		if _, err = io.Copy(out, lines); ctx.Err() != nil {
			return nil
		}
		return err
	}
	return c.Change(ctx, rest, verb)
}
