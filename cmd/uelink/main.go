// Command uelink shows and changes the state of a running uelinkd, and has the commands to try a link out.
//
// Exit codes: 0 fine; 1 failed, or the daemon refused; 2 usage; 4 no daemon; 141 nobody reads the output any more.
package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"

	"uelink/internal/spool"
)

// main runs a command and exits with its code.
func main() {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE) // else a write without a reader ends the process
	stderr := spool.Start(os.Stderr)
	stderr.SetNotice(func(lost uint64) []byte {
		return fmt.Appendf(nil, "uelink: %d lines are missing here: nobody read them\n", lost)
	})
	code := run(context.Background(), os.Args[1:], os.Stdout, stderr)
	_ = stderr.Sync() // an error is ignored: nobody reads standard error
	os.Exit(code)
}

// run runs uelink with arguments and returns the exit code.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	ctx, stop := signal.NotifyContext(ctx, syscall.SIGINT, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal kills

	root := newRoot()
	root.SetArgs(inFull(root, args))
	raw := &output{to: stdout, ctx: ctx, end: stop}
	out := newScreen(raw)
	defer out.Close()
	root.SetOut(out)
	root.SetErr(stderr)
	ran := false
	markRun(root, &ran)
	cmd, err := root.ExecuteContextC(ctx)
	switch {
	case raw.closed:
		return exitNoReader
	case err == nil:
		return 0
	case !ran:
		err = &usageError{err, cmd.CommandPath()}
	}
	return report(stderr, err, wantsJSON(args))
}

// markRun wraps cmd and all its subcommands so that each sets ran to true when it begins. An error while ran is
// still false is an error of usage.
func markRun(cmd *cobra.Command, ran *bool) {
	if inner := cmd.RunE; inner != nil {
		cmd.RunE = func(cmd *cobra.Command, args []string) error {
			*ran = true
			return inner(cmd, args)
		}
	}
	for _, sub := range cmd.Commands() {
		markRun(sub, ran)
	}
}
