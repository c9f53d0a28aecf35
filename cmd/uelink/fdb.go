package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/cmd/uelink/view"
	"uelink/control/api"
)

// fdbCommand returns the command fdb, with the subcommands of iproute2's "bridge fdb".
func fdbCommand(t *tool) *cobra.Command {
	return showing(
		fdbShowCommand(t, "fdb", "Show or change the addresses that the bridges know"),
		fdbShowCommand(t, "show", "Show the tables"),
		fdbChangeCommand(t, "add", "Add a static entry", (*client.Client).AddFDB),
		fdbChangeCommand(t, "del", "Delete an entry, static or learned", (*client.Client).DeleteFDB),
		fdbFlushCommand(t))
}

// fdbShowCommand returns a command under the name use that shows the entries of the bridges' tables.
func fdbShowCommand(t *tool, use, short string) *cobra.Command {
	var q api.FDBQuery
	words := []word{
		textWord("br", "BRIDGE", &q.Bridge), textWord("brport|dev", "PORT", &q.Port), vlanWord("vlan", &q.VLAN),
		textWord(api.FDBDynamic+"|"+api.FDBStatic, "", &q.State),
	}
	cmd := &cobra.Command{
		Use:               use + " [br BRIDGE] [brport|dev PORT] [vlan VID] [dynamic|static]",
		Short:             short,
		Args:              func(_ *cobra.Command, args []string) error { return readWords(args, words) },
		ValidArgsFunction: t.completeWords(0, words),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *client.Client) error {
				entries, err := c.FDB(cmd.Context(), q)
				if err != nil {
					return err
				}
				if len(entries) > 0 {
					return t.show(cmd, entries, func(w io.Writer) { view.WriteFDB(w, entries) })
				}
				bridges, err := c.Bridges(cmd.Context())
				if err != nil {
					return err
				}
				return t.show(cmd, entries, func(w io.Writer) { fmt.Fprintln(w, whyNoEntry(bridges)) })
			})
		},
	}
	cmd.Flags().BoolVarP(&q.Statistics, "statistics", "s", false, "with seconds since the last frame from each address")
	return watched(cmd)
}

// whyNoEntry returns the reason for an empty list of entries, in words.
func whyNoEntry(bridges []api.Bridge) string {
	if len(bridges) == 0 {
		return view.NoBridges
	}
	entries := 0
	for _, b := range bridges {
		entries += b.Entries
	}
	if entries == 0 {
		return "no entry: no bridge has received a frame yet, or all learned addresses have aged out"
	}
	return fmt.Sprintf("no entry matches; entries of the bridges in all: %s", view.Count(uint64(entries)))
}

// fdbChangeCommand returns a command named verb that reads an FDB entry from its arguments and calls change with
// the entry.
func fdbChangeCommand(t *tool, verb, short string,
	change func(*client.Client, context.Context, api.FDBEntry) error) *cobra.Command {
	var e api.FDBEntry
	words := []word{
		textWord("dev", "PORT", &e.IfName), textWord("master", "BRIDGE", &e.Master), vlanWord("vlan", &e.VLAN),
		textWord(api.FDBStatic, "", &e.State),
	}
	words[1].may = true // iproute2's "master" has no value
	cmd := &cobra.Command{
		Use:   verb + " MAC dev PORT [master [BRIDGE]] [vlan VID] [static]",
		Short: short,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("MAC is missing")
			}
			e.MAC = args[0]
			if err := checkMAC(e.MAC); err != nil {
				return err
			}
			if err := readWords(args[1:], words); err != nil {
				return err
			}
			if e.IfName == "" {
				return errors.New("dev PORT is missing")
			}
			return nil
		},
		ValidArgsFunction: t.completeWords(1, words),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *client.Client) error {
				static := verb == "add"
				if !static {
					list, _ := c.FDB(cmd.Context(), api.FDBQuery{Port: e.IfName, VLAN: e.VLAN, State: api.FDBStatic})
					static = slices.ContainsFunc(list, func(have api.FDBEntry) bool {
						return strings.EqualFold(have.MAC, e.MAC)
					})
				}
				err := change(c, cmd.Context(), e)
				if !static {
					return err
				}
				return unsavedEntry(cmd, err)
			})
		},
	}
	if verb == "del" {
		cmd.Aliases = []string{"delete"}
	}
	return cmd
}

// fdbFlushCommand returns the command that removes learned entries.
func fdbFlushCommand(t *tool) *cobra.Command {
	var selection api.FDBFlush
	var dev string
	words := []word{
		textWord("dev", "BRIDGE|PORT", &dev), textWord("brport", "PORT", &selection.Port), vlanWord("vlan", &selection.VLAN),
	}
	return &cobra.Command{
		Use:               "flush [dev BRIDGE|PORT] [brport PORT] [vlan VID]",
		Short:             "Forget learned entries",
		Args:              func(_ *cobra.Command, args []string) error { return readWords(args, words) },
		ValidArgsFunction: t.completeWords(0, words),
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *client.Client) error {
				if err := named(cmd, c, dev, &selection); err != nil {
					return err
				}
				done, err := c.FlushFDB(cmd.Context(), selection)
				if err != nil {
					return err
				}
				removed := view.Count(uint64(done.Removed))
				return t.show(cmd, done, func(w io.Writer) { fmt.Fprintln(w, "entries removed:", removed) })
			})
		},
	}
}

// named sets selection.Bridge or selection.Port to dev, the name of a bridge or of a port, as in iproute2; "" sets
// nothing.
func named(cmd *cobra.Command, c *client.Client, dev string, selection *api.FDBFlush) error {
	if dev == "" {
		return nil
	}
	bridges, err := c.Bridges(cmd.Context())
	if err != nil {
		return err
	}
	switch {
	case view.IsBridge(bridges, dev):
		selection.Bridge = dev
	case selection.Port == "":
		selection.Port = dev
	default:
		_, err = c.Bridge(cmd.Context(), dev) // with brport given too, dev must be a bridge
	}
	return err
}
