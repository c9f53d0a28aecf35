package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/control/api"
)

// tool has the flags of all commands.
type tool struct {
	socket string
	output format
}

// newRoot returns the command uelink with its subcommands.
func newRoot() *cobra.Command {
	t := &tool{output: asTable}
	root := group("uelink", "Show and change a running uelinkd; try a link out")
	addSections(root, t.sections())
	root.Version = api.Version()
	root.SetVersionTemplate("uelink {{.Version}}\n")
	root.Flags().BoolP("version", "V", false, "print the version of this tool")
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(unknownFlag)
	root.PersistentFlags().StringVar(&t.socket, "socket", cmp.Or(os.Getenv("UELINK_SOCKET"), api.DefaultSocket),
		"unix socket of the daemon; $UELINK_SOCKET sets the default")
	root.PersistentFlags().VarP(&t.output, "output", "o", "table or json")
	_ = root.RegisterFlagCompletionFunc("output", cobra.FixedCompletions([]string{string(asTable), string(asJSON)},
		cobra.ShellCompDirectiveNoFileComp)) // an error is ignored: the flag output exists
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		mustName(completion)
	}
	completeFlags(root)
	return root
}

// group returns a command that only holds other commands.
func group(use, short string, subs ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short}
	cmd.AddCommand(subs...)
	mustName(cmd)
	return cmd
}

// mustName makes it a usage error to call a group of commands without a command, or with an unknown command; cobra
// alone would print the help and succeed.
func mustName(cmd *cobra.Command) {
	cmd.SuggestionsMinimumDistance = 2
	cmd.Annotations = map[string]string{groupMark: "yes"}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return errors.Join(helpOnError(cmd), fmt.Errorf("which command of %s?", cmd.CommandPath()))
		}
		if several := beginning(args[0], commandNames(cmd)); len(several) > 1 {
			return fmt.Errorf("%q of %q is ambiguous: %s", args[0], cmd.CommandPath(), strings.Join(several, ", "))
		}
		unknown := fmt.Sprintf("unknown command %q for %q", args[0], cmd.CommandPath())
		if meant := meantBy(cmd, args[0]); meant != "" {
			return fmt.Errorf("%s: did you mean %s?", unknown, meant)
		}
		return errors.New(unknown)
	}
	cmd.RunE = func(*cobra.Command, []string) error { return nil } // not reached: Args always fails
}

// client returns a client of the daemon's API; the caller closes it.
func (t *tool) client() *client.Client { return client.NewClient(t.socket) }

// ask calls request with a new client of the daemon, and closes the client after it.
func (t *tool) ask(request func(*client.Client) error) error {
	c := t.client()
	defer c.Close()
	return request(c)
}

// completePorts returns a shell completion of the names of ports, with links only of link ports; without a daemon
// there are no names.
func (t *tool) completePorts(links bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var names []string
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		c := t.client()
		defer c.Close()
		ports, _ := c.Ports(cmd.Context())
		for _, p := range ports {
			if p.LLR != nil || p.HIPPI != nil || !links {
				names = append(names, p.Name)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
