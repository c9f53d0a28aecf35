package main

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/cmd/uelink/view"
	"uelink/control/api"
)

// lastShown is the number of past events with which a watch for people begins.
const lastShown = 10

const watchLong = `Show the events of the ports as they happen, LLDP and DCBX included, until Ctrl-C. The last ten of
the past come first, unless the output is JSON: --last N has another number of them.`

// watchCommand returns the command that shows events as they happen, with past events first.
func watchCommand(t *tool) *cobra.Command {
	last := lastShown
	w := eventsWatch{
		open: (*client.Client).Watch, print: (*view.EventPrinter).Print,
		past: func(ctx context.Context, c *client.Client) ([]api.Event, error) {
			if last == 0 {
				return nil, nil
			}
			return c.EventsSince(ctx, time.Time{}, last)
		},
	}
	cmd := w.command(t, "watch", "Show the events of the ports as they happen, LLDP and DCBX included")
	cmd.Long = watchLong
	cmd.Flags().IntVar(&last, "last", lastShown, "begin with this number of past events; by default none with -o json")
	cmd.PreRun = func(cmd *cobra.Command, _ []string) {
		if t.output == asJSON && !cmd.Flags().Changed("last") {
			last = 0
		}
	}
	cmd.AddCommand(t.frames().Watch())
	return cmd
}

// eventsWatch is how a command watches events.
type eventsWatch struct {
	open  func(*client.Client, context.Context) (*client.Watch, error)
	print func(*view.EventPrinter, api.Event) error
	past  func(context.Context, *client.Client) ([]api.Event, error) // to be shown first; nil: none
}

// command returns a command that prints the daemon's events as they happen, in columns or as JSON, until Ctrl-C. use
// and short are the command's usage and help.
func (w eventsWatch) command(t *tool, use, short string) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *client.Client) error {
				events, err := w.open(c, cmd.Context())
				if err != nil {
					return err
				}
				defer events.Close()
				print := w.print
				if t.output == asJSON {
					print = (*view.EventPrinter).PrintJSON
				}
				p := view.NewEventPrinter(cmd.Context(), cmd.OutOrStdout(), c)
				past, err := w.printPast(cmd.Context(), c, p, print)
				if err == nil {
					err = follow(p, events, print, past)
				}
				if cmd.Context().Err() != nil {
					return nil // Ctrl-C ends a watch
				}
				return err
			})
		},
	}
}

// printPast prints the past events shown by the watch before the new ones, and returns these past events.
func (w eventsWatch) printPast(ctx context.Context, c *client.Client, p *view.EventPrinter,
	print func(*view.EventPrinter, api.Event) error) ([]api.Event, error) {
	if w.past == nil {
		return nil, nil
	}
	list, err := w.past(ctx, c)
	for _, e := range list {
		if err := print(p, e); err != nil {
			return nil, err
		}
	}
	return list, err
}

// follow prints each event that arrives on a watch by calling print, until the watch ends, and returns why it ended
// as an error. An event that is in past was already printed and is skipped.
func follow(p *view.EventPrinter, events *client.Watch, print func(*view.EventPrinter, api.Event) error,
	past []api.Event) error {
	for {
		e, err := events.Next()
		if err != nil {
			return err
		}
		if slices.ContainsFunc(past, e.Same) {
			continue
		}
		if err := print(p, e); err != nil {
			return err
		}
		if e.Kind == api.EventEnd {
			return fmt.Errorf("watch ended: %s", e.Text)
		}
	}
}
