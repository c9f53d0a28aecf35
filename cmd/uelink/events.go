package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/cmd/uelink/view"
	"uelink/control/api"
)

const eventsLong = `Show past events of the ports, LLDP and DCBX included, the oldest first. The daemon keeps some
10,000 on disk, also those of its former runs. --since has a time, such as 2026-11-26T08:00:00Z, or how
long ago, such as 1h.`

const eventsExample = `  uelink events
  uelink events --last 50 --since 1h
  uelink events --since 24h --last 10000 -o json | jq 'select(.level == "error")'`

// sinceLayouts are the forms of --since that name a time; without a zone it is local time.
var sinceLayouts = []string{
	time.RFC3339Nano, "2006-01-02T15:04:05", time.DateTime, "2006-01-02 15:04", time.DateOnly,
}

// since is the value of --since: a time, or the zero time.
type since struct{ time.Time }

// String returns the flag's time in RFC 3339, or "" if no time is set.
func (s *since) String() string {
	if s.IsZero() {
		return ""
	}
	return s.Format(time.RFC3339)
}

// Set parses the value of flag --since: a time ("2026-11-26T08:00:00Z"), or a duration before now ("1h").
func (s *since) Set(text string) error {
	if ago, err := time.ParseDuration(text); err == nil && ago >= 0 {
		s.Time = time.Now().Add(-ago)
		return nil
	}
	for _, layout := range sinceLayouts {
		if at, err := time.ParseInLocation(layout, text, time.Local); err == nil {
			s.Time = at
			return nil
		}
	}
	return fmt.Errorf("a time such as 2026-11-26T08:00:00Z, or how long ago, such as 1h, is wanted")
}

// Type returns the word that stands for the flag's value in the help: "time".
func (s *since) Type() string { return "time" }

// eventsCommand returns the command that shows past events.
func eventsCommand(t *tool) *cobra.Command {
	var from since
	var last int
	cmd := &cobra.Command{
		Use: "events", Short: "Show past events of the ports, LLDP and DCBX included", Long: eventsLong,
		Example: eventsExample, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *client.Client) error {
				list, err := c.EventsSince(cmd.Context(), from.Time, last)
				if err != nil {
					return err
				}
				if t.output == asJSON {
					return printEvents(cmd.Context(), cmd.OutOrStdout(), c, list, (*view.EventPrinter).PrintJSON)
				}
				return printEvents(cmd.Context(), cmd.OutOrStdout(), c, list, (*view.EventPrinter).Print)
			})
		},
	}
	cmd.Flags().IntVar(&last, "last", 50, "show at most this number of events, the latest")
	cmd.Flags().Var(&from, "since", "show events since this time, or since so long ago, such as 1h")
	return cmd
}

// printEvents prints the events of list to w, each by calling print, with the column of port names as wide as the
// longest name.
func printEvents(ctx context.Context, w io.Writer, c *client.Client, list []api.Event,
	print func(*view.EventPrinter, api.Event) error) error {
	p := view.NewEventPrinter(ctx, w, c)
	for _, e := range list {
		p.Port = max(p.Port, len(e.Port))
	}
	for _, e := range list {
		if err := print(p, e); err != nil {
			return err
		}
	}
	return nil
}
