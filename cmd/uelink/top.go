package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"uelink/client"
	"uelink/cmd/uelink/top"
	"uelink/cmd/uelink/view"
)

const topLong = `Show live how busy the ports are: frames and bits a second, replays, the window of LLR and the
credits in use, frames that wait, frames dropped, and the CPU time of the workers. < and > choose
the column to sort by, Enter opens a port, q quits. A narrow terminal shows fewer columns.

With --once, with -o json, or where the output is no terminal, the rates of one interval are
printed.`

// topper has the flags of uelink top.
type topper struct {
	*tool
	once   bool
	sortBy string
	every  time.Duration
}

// topCommand returns the command that shows how busy the ports are.
func topCommand(t *tool) *cobra.Command {
	o := &topper{tool: t}
	cmd := &cobra.Command{
		Use: "top", Short: "Show live how busy ports and workers are", Long: topLong, Args: cobra.NoArgs,
		RunE: o.run,
	}
	cmd.Flags().BoolVar(&o.once, "once", false, "print the rates of one interval, and end")
	cmd.Flags().StringVar(&o.sortBy, "sort", "port", "column to sort by: "+strings.Join(top.Columns(), ", "))
	cmd.Flags().DurationVar(&o.every, "interval", time.Second, "time between two samples, 100ms or more")
	_ = cmd.RegisterFlagCompletionFunc("sort", cobra.FixedCompletions(top.Columns(),
		cobra.ShellCompDirectiveNoFileComp)) // an error is ignored: the flag sort exists
	return cmd
}

// leastInterval is the least time between two samples.
const leastInterval = 100 * time.Millisecond

// run shows the load live on a terminal; for a program, a file, or with --once it prints the rates of one interval.
func (o *topper) run(cmd *cobra.Command, _ []string) error {
	if !slices.Contains(top.Columns(), o.sortBy) {
		return fmt.Errorf("--sort %s: one of %s is wanted", o.sortBy, strings.Join(top.Columns(), ", "))
	}
	if o.every < leastInterval {
		return fmt.Errorf("--interval %v: %v or more is wanted", o.every, leastInterval)
	}
	return o.ask(func(c *client.Client) error {
		if o.once || o.output == asJSON || !onTerminal(cmd.OutOrStdout()) {
			return o.printOnce(cmd, c)
		}
		return unlessStandsStill(cmd.Context(), cmd.OutOrStdout(), func() error { return o.live(cmd.Context(), c) })
	})
}

// sample asks the daemon for the state of its ports and for the CPU time of its workers.
func sample(ctx context.Context, c *client.Client) (s top.Sample, err error) {
	if s.Ports, err = c.Ports(ctx); err != nil {
		return s, err
	}
	s.Time = time.Now()
	s.Workers, err = c.Workers(ctx)
	return s, err
}

// printOnce takes two samples, one interval apart, and prints the load between them.
func (o *topper) printOnce(cmd *cobra.Command, c *client.Client) error {
	before, err := sample(cmd.Context(), c)
	if err != nil {
		return err
	}
	select {
	case <-time.After(o.every):
	case <-cmd.Context().Done():
		return nil
	}
	after, err := sample(cmd.Context(), c)
	if err != nil {
		return err
	}
	load := top.Between(before, after)
	top.Sort(load.Ports, o.sortBy)
	return o.show(cmd, load, func(w io.Writer) { top.Write(w, load) })
}

// live shows the load on the terminal until the user quits or ctx ends. If the daemon does not answer at first,
// live returns the error before it changes the terminal.
func (o *topper) live(ctx context.Context, c *client.Client) error {
	if _, err := sample(ctx, c); err != nil {
		return err
	}
	screen, err := tcell.NewScreen()
	if err == nil {
		err = screen.Init()
	}
	if err != nil {
		return errors.Join(err, errors.New("this terminal cannot show the live view: set TERM, or use --once"))
	}
	defer screen.Fini()
	l := top.Live{
		Screen: screen, By: o.sortBy, Every: o.every,
		Ask: func(ctx context.Context) (top.Sample, error) { return sample(ctx, c) },
		Open: func(ctx context.Context, port string, width int) (string, error) {
			p, err := c.Port(ctx, port)
			if err != nil {
				return "", err
			}
			text := &page{width: width}
			view.WritePort(text, p, false)
			return text.String(), nil
		},
	}
	l.Run(ctx)
	return nil
}

// unlessStandsStill calls show, which draws on a terminal, and returns its error. After the end of ctx it waits for
// show no longer than outputPatience: a terminal that stands still (Ctrl-S) stops the drawing. It then restores the
// mode of the terminal itself.
func unlessStandsStill(ctx context.Context, terminal io.Writer, show func() error) error {
	f := rawOutput(terminal).(*output).File()
	mode, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	if err != nil {
		return err
	}
	shown := make(chan error, 1)
	go func() { shown <- show() }()
	select {
	case err := <-shown:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-shown:
		return err
	case <-time.After(outputPatience):
		return unix.IoctlSetTermios(int(f.Fd()), unix.TCSETS, mode)
	}
}
