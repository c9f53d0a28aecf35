package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
)

// watchInterval is how long a listing stays with --watch.
const watchInterval = time.Second

// clearScreen goes to the upper left corner of a terminal and clears it.
const clearScreen = "\x1b[H\x1b[2J"

// watched gives a command that shows something the flags to show it again and again, until Ctrl-C.
func watched(cmd *cobra.Command) *cobra.Command {
	var watch bool
	var count int
	cmd.Flags().BoolVarP(&watch, "watch", "w", false, "show it anew each second, until Ctrl-C")
	cmd.Flags().IntVar(&count, "count", 0, "with --watch: end after so many times; 0 = never")
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
				return nil // Ctrl-C is how a watch ends
			case err != nil || n == count:
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

// separate parts two showings: on a terminal the next one takes the place of the last.
func separate(w io.Writer) {
	if f, is := w.(*os.File); is && isTerminal(f) {
		fmt.Fprint(w, clearScreen)
		return
	}
	fmt.Fprintln(w)
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}
