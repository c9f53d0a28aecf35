package view

import (
	"context"
	"encoding/json"
	"fmt"
	"io"

	"uelink/client"
	"uelink/control/api"
)

// EventPrinter prints events in columns.
type EventPrinter struct {
	W    io.Writer
	Port int // width of the column of ports, in octets
}

// NewEventPrinter returns a printer of events to w, with a column as wide as the longest name of a port.
func NewEventPrinter(ctx context.Context, w io.Writer, c *client.Client) *EventPrinter {
	p := &EventPrinter{W: w, Port: len("port")}
	ports, _ := c.Ports(ctx) // without the ports the column grows with the events
	for _, port := range ports {
		p.Port = max(p.Port, len(port.Name))
	}
	return p
}

// Print prints a line with the time, level, port, kind and text of an event.
func (p *EventPrinter) Print(e api.Event) error {
	p.Port = max(p.Port, len(e.Port))
	at := e.Time.Local().Format("2006-01-02 15:04:05.000000 -0700")
	text := e.Text
	if e.Omitted > 0 {
		text += fmt.Sprintf(" (%s more before it)", Count(e.Omitted))
	}
	_, err := fmt.Fprintf(p.W, "%s  %-5s  %-*s  %-*s  %s\n", at, OrDash(e.Level), p.Port, OrDash(e.Port), kindColumn,
		e.Kind, text)
	return err
}

// PrintLLDP prints a line for an LLDP event, and with details also the neighbour.
func (p *EventPrinter) PrintLLDP(e api.Event, details bool) error {
	if err := p.Print(e); err != nil || e.Neighbor == nil || !details {
		return err
	}
	writeNeighbor(p.W, *e.Neighbor, Full)
	return nil
}

// PrintJSON prints an event as a JSON object on a line.
func (p *EventPrinter) PrintJSON(e api.Event) error { return json.NewEncoder(p.W).Encode(e) }

// kindColumn is the length of the longest kind of event, dcbx_peer_not_advertising, in octets.
const kindColumn = 25
