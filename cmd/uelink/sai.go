package main

import (
	"io"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/cmd/uelink/view"
)

// saiCommand returns the commands of SAI's objects.
func saiCommand(t *tool) *cobra.Command {
	return group("sai", "Show the objects of SAI", watched(&cobra.Command{
		Use:   "objects",
		Short: "Show the objects of SAI: what the configuration made, and what a client of libsai made",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return t.ask(func(c *client.Client) error {
				objects, err := c.SAIObjects(cmd.Context())
				if err != nil {
					return err
				}
				return t.show(cmd, objects, func(w io.Writer) { view.WriteSAIObjects(w, objects) })
			})
		},
	}))
}
