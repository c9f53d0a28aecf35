package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"uelink/control"
)

func watchCommand(t *tool) *cobra.Command {
	return eventsCommand(t, "watch", "Show what happens on the ports as it happens, LLDP and DCBX included",
		(*control.Client).Watch, printEvent)
}

// eventsCommand prints the events of a watch as they come.
func eventsCommand(t *tool, use, short string, open func(*control.Client, context.Context) (*control.Watch, error),
	print func(io.Writer, control.Event) error) *cobra.Command {
	return &cobra.Command{
		Use:   use,
		Short: short,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *control.Client) error {
				events, err := open(c, cmd.Context())
				if err != nil {
					return err
				}
				defer events.Close()
				if t.output == asJSON {
					print = printEventJSON
				}
				err = follow(cmd.OutOrStdout(), events, print)
				if cmd.Context().Err() != nil {
					return nil // Ctrl-C is how a watch ends
				}
				return err
			})
		},
	}
}

// follow prints events until there are no more, and returns why.
func follow(w io.Writer, events *control.Watch, print func(io.Writer, control.Event) error) error {
	for {
		e, err := events.Next()
		if err != nil {
			return err
		}
		if err := print(w, e); err != nil {
			return err
		}
		if e.Kind == control.EventEnd {
			return fmt.Errorf("watch ended: %s", e.Text)
		}
	}
}

func printEvent(w io.Writer, e control.Event) error {
	_, err := fmt.Fprintf(w, "%s  %-10s  %-20s  %s\n", e.Time.Format("2006-01-02 15:04:05.000000"), orDash(e.Port), e.Kind, e.Text)
	return err
}

// printLLDPEvent is a line as printEvent's, and on demand the neighbour.
func printLLDPEvent(w io.Writer, e control.Event, details bool) error {
	if err := printEvent(w, e); err != nil || e.Neighbor == nil || !details {
		return err
	}
	writeNeighbor(w, *e.Neighbor, true)
	return nil
}

// printEventJSON writes one object a line, as the daemon sends them.
func printEventJSON(w io.Writer, e control.Event) error { return json.NewEncoder(w).Encode(e) }
