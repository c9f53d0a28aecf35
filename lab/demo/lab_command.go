package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"uelink/internal/nonnull"
	"uelink/lab/traffic"
)

const labLong = `Builds the bed of the demo and leaves it there: two daemons join two hosts over a
wire, which loses nothing unless a flag says so. For a job of continuous
integration, and for trying commands out:

    sudo uelink lab up --loss 0.01
    sudo uelink --socket /run/uelink-lab/A/api llr interface --wait ADVANCE
    sudo ip netns exec uelink-lab-hostA ping -c 3 10.77.0.2
    sudo uelink lab down

The names do not change from run to run. A machine has one lab at a time.`

// LabCommands returns the commands `uelink lab up` and `uelink lab down`.
func LabCommands() []*cobra.Command { return []*cobra.Command{labUpCommand(), labDownCommand()} }

func labUpCommand() *cobra.Command {
	o, foreground := DefaultOptions(), false
	o.Fault.Loss, o.Fault.Corrupt, o.Fault.Duplicate, o.Fault.Reorder = 0, 0, 0, 0
	cmd := &cobra.Command{
		Use: "up", Short: "Start hosts, daemons and wire, and print their names", Long: labLong, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !foreground {
				return labInBackground(cmd, os.Args[1:])
			}
			return runLab(cmd.Context(), o, func(l Lab) error { return showLab(cmd, l) })
		},
	}
	o.bindLink(cmd.Flags())
	cmd.Flags().BoolVar(&foreground, "foreground", false, "stay in the foreground, until SIGINT or SIGTERM")
	return cmd
}

func showLab(cmd *cobra.Command, l Lab) error {
	if traffic.WantsJSON(cmd) {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(nonnull.Lists(l))
	}
	return l.WriteTable(cmd.OutOrStdout())
}

// labInBackground starts this program with the given arguments and --foreground in a session of its own, waits
// until the link is up, prints the names of the lab and returns; the started program goes on. Its standard error
// goes to labLog.
func labInBackground(cmd *cobra.Command, args []string) error {
	log, err := os.Create(labLog)
	if err != nil {
		return explained(err)
	}
	defer log.Close()
	self, err := os.Executable()
	if err != nil {
		return err
	}
	child := exec.Command(self, append(args[:len(args):len(args)], "--foreground", "--output", "json")...)
	child.SysProcAttr, child.Stderr = &syscall.SysProcAttr{Setsid: true}, log
	out, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	if err := child.Start(); err != nil {
		return err
	}
	defer context.AfterFunc(cmd.Context(), func() { _ = child.Process.Signal(syscall.SIGTERM) })()
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		return labFailure(child.Wait())
	}
	var l Lab
	if err := json.Unmarshal(line, &l); err != nil {
		return fmt.Errorf("read the names of the lab: %w", err)
	}
	return showLab(cmd, l)
}

// labFailure returns the error for a lab whose process ended before the link was up: the text in labLog and the
// exit code. ended is the error with which the process ended.
func labFailure(ended error) error {
	text, err := os.ReadFile(labLog)
	if err != nil {
		return err
	}
	code := 1
	if exit, is := ended.(*exec.ExitError); is && exit.ExitCode() > 0 {
		code = exit.ExitCode()
	}
	return &Error{code, fmt.Errorf("%s", labLogText(text))}
}

// labLogText returns the text of labLog of a lab that has ended, with the error in its last line, which is JSON, as
// text.
func labLogText(log []byte) string {
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	var last struct{ Error string }
	if json.Unmarshal([]byte(lines[len(lines)-1]), &last) == nil && last.Error != "" {
		lines[len(lines)-1] = last.Error
	}
	return strings.Join(lines, "\n")
}

func labDownCommand() *cobra.Command {
	return &cobra.Command{
		Use: "down", Short: "Stop the lab, and remove everything that it has made", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return labDown(cmd.Context(), cmd.OutOrStdout()) },
	}
}
