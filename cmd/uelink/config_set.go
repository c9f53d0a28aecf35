package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/config"
	"uelink/control/api"
)

// configSetCommand returns the command that sets a key in a configuration file.
func configSetCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use:   "set KEY VALUE [FILE]",
		Short: "Set a key in the configuration file",
		Long: `Sets a key in a configuration file, by default the daemon's; comments, order and layout stay. KEY is
written as config diff shows keys, as uelinkd --check does (ports[0].dialect), or with dots alone,
such as ports.link0.dialect. A value that the configuration refuses is not written; in a file with
several mistakes, each can be corrected in turn. A reload of the daemon puts the value in force.`,
		Example: "  uelink config set ports.link0.dialect ue1 && uelink reload",
		Args:    cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 2 {
				return setKey(t, cmd, args[2], args[0], args[1])
			}
			return t.ask(func(c *client.Client) error {
				configuration, err := c.Configuration(cmd.Context())
				if err != nil {
					return fmt.Errorf("FILE is missing, and the daemon does not name its configuration file: %w", err)
				}
				return setKey(t, cmd, configuration.File, args[0], args[1])
			})
		},
	}
}

// setKey sets a key in a configuration file, and prints what has changed, what a reload with it interrupts, and how to
// reload.
func setKey(t *tool, cmd *cobra.Command, file, key, value string) error {
	texts, err := config.ReadTexts(file)
	if err != nil {
		return err
	}
	changed, err := texts.Set(key, value)
	if err != nil {
		return err
	}
	list, err := config.Diff(changed.Before, changed.After)
	if err != nil {
		return err
	}
	if len(list) > 0 {
		if err := writeConfig(changed.File, string(changed.After)); err != nil {
			return err
		}
		next := "In force after the next reload: " + api.ReloadCommand
		if changed.Refused != nil {
			next = "The key is written, but the daemon would refuse the file, which has other mistakes:\n" +
				changed.Refused.Error()
		}
		fmt.Fprintln(cmd.ErrOrStderr(), next)
	}
	return t.show(cmd, append([]config.Difference{}, list...), func(w io.Writer) {
		writeDifferences(w, list, []string{"Key", "Before", "Now", "Reload"})
	})
}
