package demo

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"uelink/client"
	"uelink/config/schema"
	"uelink/internal/nonnull"
	"uelink/lab/topology"
	"uelink/lab/traffic"
)

const labLong = `Builds the test bed of the demo and leaves it running: two daemons join two hosts
over a wire, which loses nothing unless a flag says so. For a job of continuous
integration, and for trying commands out:

    sudo uelink lab up --loss 0.01
    sudo uelink --socket /run/uelink-lab/A/api llr interface --wait ADVANCE
    sudo ip netns exec uelink-lab-hostA ping -c 3 10.77.0.2
    sudo uelink lab down

With FILE the command builds the lab that the file describes: any number of hosts,
stations (daemons) and wires with faults. Such a lab goes on when a daemon ends:

    stations: [{name: A}, {name: B}]
    hosts:
      - {name: h1, station: A}
      - {name: h2, station: B}
    wires:
      - {ends: [A, B], loss: 0.01}

docs/LABS.md has all keys. The names do not change from run to run. A machine has
one lab at a time.`

// LabCommands returns the commands `uelink lab up`, `uelink lab status` and `uelink lab down`.
func LabCommands() []*cobra.Command {
	return []*cobra.Command{labUpCommand(), labStatusCommand(), labDownCommand()}
}

// linksPatience is how long the links of a lab that a file describes may take to come up, unless a flag says otherwise.
const linksPatience = 20 * time.Second

// labUpCommand returns the command `uelink lab up`.
func labUpCommand() *cobra.Command {
	o, foreground := labOptions{Options: DefaultOptions()}, false
	o.Fault.Loss, o.Fault.Corrupt, o.Fault.Duplicate, o.Fault.Reorder = 0, 0, 0, 0
	cmd := &cobra.Command{
		Use: "up [FILE]", Short: "Start hosts, daemons and wires, and print their names", Long: labLong,
		Args: cobra.MaximumNArgs(1), ValidArgsFunction: completeFile,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := o.read(cmd, args); err != nil {
				return err
			}
			if !foreground {
				return labInBackground(cmd, os.Args[1:])
			}
			return runLab(cmd.Context(), o, func(l Lab) error { return showLab(cmd, l) })
		},
	}
	o.bindLink(cmd.Flags())
	cmd.Flags().BoolVar(&foreground, "foreground", false, "stay in the foreground, until SIGINT or SIGTERM")
	cmd.Flags().DurationVar(&o.patience, "timeout", linksPatience,
		"with FILE: how long the links may take to come up, 0: do not wait for them")
	return cmd
}

// completeFile completes the argument FILE in a shell: one file that ends in .yaml or .yml.
func completeFile(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return []string{"yaml", "yml"}, cobra.ShellCompDirectiveFilterFileExt
}

// read reads the file of the lab, if the arguments name one. Flags for the test bed of the demo are then refused.
func (o *labOptions) read(cmd *cobra.Command, args []string) (err error) {
	if len(args) == 0 {
		return nil
	}
	ofDemo := pflag.NewFlagSet("", pflag.ContinueOnError)
	new(Options).bindLink(ofDemo)
	ofDemo.VisitAll(func(f *pflag.Flag) {
		if f.Name != "uelinkd" && cmd.Flags().Changed(f.Name) && err == nil {
			err = &Error{exitUsage, fmt.Errorf("--%s cannot be combined with FILE: write the setting into %s, "+
				"under a wire or a port",
				f.Name, args[0])}
		}
	})
	if err != nil {
		return err
	}
	text, err := readBounded(args[0])
	if err != nil {
		return &Error{exitUsage, err}
	}
	o.document, err = topology.Parse(args[0], text)
	return err
}

// readBounded reads a file, at most an octet more than a document may have.
func readBounded(name string) ([]byte, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, schema.MaxDocument+1))
}

// showLab prints the names of the lab to stdout, as tables or as one line of JSON.
func showLab(cmd *cobra.Command, l Lab) error {
	if traffic.WantsJSON(cmd) {
		return json.NewEncoder(cmd.OutOrStdout()).Encode(nonnull.Lists(l))
	}
	return l.WriteTable(cmd.OutOrStdout())
}

// labStatusCommand returns the command `uelink lab status`.
func labStatusCommand() *cobra.Command {
	return &cobra.Command{
		Use: "status", Short: "Show the lab that is up, and whether its links are", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			l, err := labNow()
			if err != nil {
				return err
			}
			for i := range l.Stations {
				l.Stations[i].State = stateOf(cmd.Context(), l.Sockets[l.Stations[i].Name])
			}
			return showLab(cmd, l)
		},
	}
}

// stateOf returns the state of the station with this socket.
func stateOf(ctx context.Context, socket string) string {
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	c := client.NewClient(socket)
	defer c.Close()
	return topology.State(ctx, c)
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
	if exit, ok := ended.(*exec.ExitError); ok && exit.ExitCode() > 0 {
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

// labDownCommand returns the command `uelink lab down`.
func labDownCommand() *cobra.Command {
	return &cobra.Command{
		Use: "down", Short: "Stop the lab, and remove everything that it has made", Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return labDown(cmd.Context(), cmd.OutOrStdout()) },
	}
}
