package main

import (
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"
)

// watchInterval is the time between two listings with --watch.
const watchInterval = time.Second

// clearScreen moves to the upper left corner of a terminal and clears it.
const clearScreen = "\x1b[H\x1b[2J"

// watched adds the flags --watch and --count to a command, and makes it show its output again each second, until
// Ctrl-C, when --watch is given. An error ends that, except errWrong, with which status reports a problem in its
// output.
func watched(cmd *cobra.Command) *cobra.Command {
	var watch bool
	var count int
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "show it again each second, until Ctrl-C")
	cmd.Flags().IntVar(&count, "count", 0, "with --watch: end after this number of listings; 0 = never")
	show := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if !watch {
			return show(cmd, args)
		}
		tick := time.NewTicker(watchInterval)
		defer tick.Stop()
		for n := 1; ; n++ {
			if n > 1 {
				separate(cmd.OutOrStdout())
			}
			err := show(cmd, args)
			switch {
			case cmd.Context().Err() != nil:
				return nil // Ctrl-C ends a watch
			case err != nil && !errors.Is(err, errWrong) || n == count:
				return err
			}
			select {
			case <-cmd.Context().Done():
				return nil
			case <-tick.C:
			}
		}
	}
	return cmd
}

// separate separates two listings on w: on a terminal it clears the screen, elsewhere it prints an empty line.
func separate(w io.Writer) {
	if onTerminal(w) {
		fmt.Fprint(rawOutput(w), clearScreen)
		return
	}
	fmt.Fprintln(w)
}
