package main

import (
	"context"
	"io"

	"github.com/spf13/cobra"

	"uelink/client"
)

// linkView asks the daemon for the links that have a protocol or a feature, as objects of type T.
type linkView[T any] struct {
	list  func(*client.Client, context.Context) ([]T, error)
	get   func(*client.Client, context.Context, string) (T, error) // of one port
	empty string                                                   // printed for people if there are no links
}

// command returns a command that asks for one link, or for all, and prints them by calling write.
func (v linkView[T]) command(t *tool, use, short string, write func(io.Writer, []T)) *cobra.Command {
	return watched(&cobra.Command{
		Use: use, Short: short, Args: cobra.MaximumNArgs(1), ValidArgsFunction: t.completePorts(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *client.Client) error {
				links, err := list(args,
					func() ([]T, error) { return v.list(c, cmd.Context()) },
					func(port string) (T, error) { return v.get(c, cmd.Context(), port) })
				if err != nil {
					return err
				}
				return t.show(cmd, links, func(w io.Writer) {
					if len(links) == 0 {
						io.WriteString(w, v.empty)
						return
					}
					write(w, links)
				})
			})
		},
	})
}
