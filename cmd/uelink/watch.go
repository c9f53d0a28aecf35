package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"uelink/control"
	"uelink/dataplane"
)

func watchCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use:   "watch",
		Short: "Show what happens on the ports as it happens",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *control.Client) error {
				events, err := c.Watch(cmd.Context())
				if err != nil {
					return err
				}
				defer events.Close()
				err = t.follow(cmd.OutOrStdout(), events)
				if cmd.Context().Err() != nil {
					return nil // Ctrl-C is how a watch ends
				}
				return err
			})
		},
	}
}

// follow prints events until there are no more, and returns why.
func (t *tool) follow(w io.Writer, events *control.Watch[dataplane.Event]) error {
	print := printEvent
	if t.output == asJSON {
		print = printEventJSON
	}
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

func printEvent(w io.Writer, e dataplane.Event) error {
	_, err := fmt.Fprintf(w, "%s  %-10s  %-14s  %s\n", e.Time.Format("2006-01-02 15:04:05.000000"), orDash(e.Port), e.Kind, e.Text)
	return err
}

// printEventJSON writes one object a line, as the daemon sends them.
func printEventJSON(w io.Writer, e dataplane.Event) error {
	return json.NewEncoder(w).Encode(e)
}
