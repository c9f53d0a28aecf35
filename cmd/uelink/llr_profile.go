package main

import (
	"io"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/cmd/uelink/view"
	"uelink/control/api"
)

// llrProfileCommand returns the command that shows the LLR profiles, or the one in the arguments.
func llrProfileCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use:   "profile [NAME]",
		Short: "Show LLR profiles",
		Args:  cobra.MaximumNArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return profileNames(t, cmd, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *client.Client) error {
				profiles, err := list(args,
					func() ([]api.LLRProfile, error) { return c.LLRProfiles(cmd.Context()) },
					func(name string) (api.LLRProfile, error) { return c.LLRProfile(cmd.Context(), name) })
				if err != nil {
					return err
				}
				return t.show(cmd, profiles, func(w io.Writer) { view.WriteLLRProfiles(w, profiles) })
			})
		},
	}
}

// profileNames returns the names of the LLR profiles for shell completion; nil without a daemon, or if args has a name
// already.
func profileNames(t *tool, cmd *cobra.Command, args []string) (names []string) {
	if len(args) > 0 {
		return nil
	}
	c := t.client()
	defer c.Close()
	profiles, _ := c.LLRProfiles(cmd.Context())
	for _, p := range profiles {
		names = append(names, p.Name)
	}
	return names
}
