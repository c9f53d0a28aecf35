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
	cmd := eventsCommand(t, "watch", "Show the events of the ports as they happen, LLDP and DCBX included",
		(*control.Client).Watch, (*eventPrinter).print)
	cmd.AddCommand(watchFramesCommand(t))
	return cmd
}

// eventsCommand returns a command that opens a watch of events by open, and prints each event by print, or as
// JSON, until Ctrl-C.
func eventsCommand(t *tool, use, short string, open func(*control.Client, context.Context) (*control.Watch, error),
	print func(*eventPrinter, control.Event) error) *cobra.Command {
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
					print = (*eventPrinter).printJSON
				}
				err = follow(newEventPrinter(cmd.Context(), cmd.OutOrStdout(), c), events, print)
				if cmd.Context().Err() != nil {
					return nil // Ctrl-C ends a watch
				}
				return err
			})
		},
	}
}

// follow prints the events of a watch by print until the watch ends, and returns the reason as an error.
func follow(p *eventPrinter, events *control.Watch, print func(*eventPrinter, control.Event) error) error {
	for {
		e, err := events.Next()
		if err != nil {
			return err
		}
		if err := print(p, e); err != nil {
			return err
		}
		if e.Kind == control.EventEnd {
			return fmt.Errorf("watch ended: %s", e.Text)
		}
	}
}

// eventPrinter prints events in columns.
type eventPrinter struct {
	w    io.Writer
	port int // width of the column of ports, in octets
}

// kindColumn is the length of the longest kind of event, dcbx_peer_not_advertising, in octets.
const kindColumn = 25

// newEventPrinter returns a printer of events to w, with a column as wide as the longest name of a port.
func newEventPrinter(ctx context.Context, w io.Writer, c *control.Client) *eventPrinter {
	p := &eventPrinter{w: w, port: len("port")}
	ports, _ := c.Ports(ctx) // without the ports the column grows with the events
	for _, one := range ports {
		p.port = max(p.port, len(one.Name))
	}
	return p
}

func (p *eventPrinter) print(e control.Event) error {
	p.port = max(p.port, len(e.Port))
	at := e.Time.Format("2006-01-02 15:04:05.000000")
	_, err := fmt.Fprintf(p.w, "%s  %-*s  %-*s  %s\n", at, p.port, orDash(e.Port), kindColumn, e.Kind, e.Text)
	return err
}

// printLLDP prints a line for an LLDP event, and with details also the neighbour.
func (p *eventPrinter) printLLDP(e control.Event, details bool) error {
	if err := p.print(e); err != nil || e.Neighbor == nil || !details {
		return err
	}
	writeNeighbor(p.w, *e.Neighbor, full)
	return nil
}

// printJSON prints an event as a JSON object on a line.
func (p *eventPrinter) printJSON(e control.Event) error { return json.NewEncoder(p.w).Encode(e) }
