package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/control/api"
	"uelink/llr"
)

// llrWait is the flags --wait and --timeout of `uelink llr interface`.
type llrWait struct {
	status  string // LLR_TX_STATUS or LLR_RX_STATUS to wait for; "" = do not wait
	timeout time.Duration
}

// waitStates returns every state that --wait takes: of the transmitter, and then of the receiver.
func waitStates() (names []string) {
	for s := llr.TxOff; s <= llr.TxFlush; s++ {
		names = append(names, s.String())
	}
	for s := llr.RxOff + 1; s <= llr.RxNackSent; s++ {
		names = append(names, s.String())
	}
	return names
}

// bind defines the flags --wait and --timeout of a command.
func (w *llrWait) bind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&w.status, "wait", "", "wait until Tx Status or Rx Status of every port is this state")
	cmd.Flags().DurationVar(&w.timeout, "timeout", 10*time.Second, "with --wait: the longest wait")
	cmd.PreRunE = func(*cobra.Command, []string) error { return w.check() }
	_ = cmd.RegisterFlagCompletionFunc("wait", cobra.FixedCompletions(waitStates(), cobra.ShellCompDirectiveNoFileComp))
}

// check returns an error if --wait names no state.
func (w *llrWait) check() error {
	if names := waitStates(); w.status != "" && !slices.Contains(names, w.status) {
		return fmt.Errorf("--wait %s: want %s", w.status, strings.Join(names, ", "))
	}
	return nil
}

// until calls ask, which returns the LLR state of ports, again and again until every port has the state that --wait
// names; without --wait it calls ask once. A daemon that does not run yet is waited for too. It returns the last
// states, or the error of ask, or after --timeout an error that names the first port without the state.
func (w *llrWait) until(ctx context.Context, ask func() ([]api.LLRInterface, error)) (
	[]api.LLRInterface, error) {
	if w.status == "" {
		return ask()
	}
	late := time.After(w.timeout)
	for {
		interfaces, err := ask()
		var noDaemon *client.NoDaemonError
		if err != nil && !errors.As(err, &noDaemon) {
			return nil, err
		}
		if err == nil {
			if err = w.notYet(interfaces); err == nil {
				return interfaces, nil
			}
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-late:
			return nil, fmt.Errorf("after %v: %w", w.timeout, err)
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// notYet returns an error that names the first port without the state, nil if every port has it.
func (w *llrWait) notYet(interfaces []api.LLRInterface) error {
	for _, i := range interfaces {
		if i.TxStatus.String() != w.status && i.RxStatus.String() != w.status {
			return fmt.Errorf("port %s: Tx Status is %s, Rx Status %s, and neither is %s",
				i.Port, i.TxStatus, i.RxStatus, w.status)
		}
	}
	if len(interfaces) == 0 {
		return errors.New("the daemon has no link port")
	}
	return nil
}
