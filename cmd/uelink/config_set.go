package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/config"
	"uelink/control/api"
)

func configSetCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use:   "set KEY VALUE [FILE]",
		Short: "Set a key in the configuration file",
		Long: `Sets a key in a configuration file, by default the daemon's; comments, order and layout stay. KEY is
written as config diff shows it, or with points alone, such as ports.link0.dialect. A value that
the configuration refuses is not written. A reload of the daemon puts the value in force.`,
		Example: "  uelink config set ports.link0.dialect ue1 && systemctl reload uelinkd",
		Args:    cobra.RangeArgs(2, 3),
		RunE: func(cmd *cobra.Command, args []string) error {
			to := configFile{reload: api.ReloadUnit}
			if len(args) > 2 {
				to.name = args[2]
			} else if err := t.ask(func(c *client.Client) (err error) {
				to, err = configFileOf(cmd.Context(), c)
				return err
			}); err != nil {
				return fmt.Errorf("which file? %w", err)
			}
			return t.setKey(cmd, to, args[0], args[1])
		},
	}
}

// configFile is a configuration file, and the command that puts the file in force: the command told by the daemon, or
// api.ReloadUnit without a daemon.
type configFile struct{ name, reload string }

// configFileOf returns the configuration file of a running daemon.
func configFileOf(ctx context.Context, c *client.Client) (f configFile, err error) {
	is, err := c.Configuration(ctx)
	if err != nil {
		return f, err
	}
	daemon, err := c.Status(ctx)
	return configFile{is.File, cmp.Or(daemon.Reload, api.ReloadUnit)}, err
}

// setKey sets a key in a configuration file, and prints what has changed, what a reload with it interrupts, and how to
// reload.
func (t *tool) setKey(cmd *cobra.Command, to configFile, key, value string) error {
	was, err := os.ReadFile(to.name)
	if err != nil {
		return fmt.Errorf("read the configuration: %w", err)
	}
	text, err := config.Set(to.name, was, key, value)
	if err != nil {
		return err
	}
	list, err := config.Diff(was, text)
	if err != nil {
		return err
	}
	if len(list) > 0 {
		if err := writeConfig(to.name, string(text)); err != nil {
			return err
		}
		fmt.Fprintln(cmd.ErrOrStderr(), "In force after the next reload: "+to.reload)
	}
	return t.show(cmd, append([]config.Difference{}, list...), func(w io.Writer) {
		writeDifferences(w, list, []string{"Key", "Before", "Now", "Reload"})
	})
}
