package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/sai"
)

func saiCommand(t *tool) *cobra.Command {
	return group("sai", "The objects of SAI", watched(&cobra.Command{
		Use:   "objects",
		Short: "Show the objects of SAI: what the configuration made, and what a client of libsai made",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *client.Client) error {
				objects, err := c.SAIObjects(cmd.Context())
				if err != nil {
					return err
				}
				return t.show(cmd, objects, func(w io.Writer) { writeSAIObjects(w, objects) })
			})
		},
	}))
}

func writeSAIObjects(w io.Writer, objects []sai.Object) {
	for i, o := range objects {
		if i > 0 {
			fmt.Fprintln(w)
		}
		heading(w, fmt.Sprintf("%s %s %s, made by %s", o.OID, o.Type, o.Name, o.MadeBy))
		for _, a := range o.Attributes {
			value := orDash(a.Value)
			if a.InForce != "" {
				value += " (in force: " + a.InForce + ")"
			}
			dotted(w, a.Name, value)
		}
	}
}
