package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"uelink/client"
	"uelink/cmd/uelink/support"
	"uelink/cmd/uelink/view"
)

const supportLong = `Write one file for a bug report: what stands out, versions, configuration, states, counters, the
latest events, the last lines of the journal, and what the kernel and the drivers say of the
interfaces. Without a daemon, --config names the configuration. The configuration is
written without its comments and without values of keys that look secret. Addresses and names of
stations are in the file: look through it before you send it.

The file is readable by you only. "-" is standard output. With -o json it is one JSON object.`

// supportCommand returns the command that writes the file for a bug report.
func supportCommand(t *tool) *cobra.Command {
	var file string
	cmd := &cobra.Command{
		Use:   "support [FILE]",
		Short: "Write one file with the data for a bug report",
		Long:  supportLong,
		Args:  cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *client.Client) error {
				r := support.Gather(cmd.Context(), c, file, time.Now())
				var content bytes.Buffer
				if err := t.write(&content, r, func(w io.Writer) { r.Write(w) }); err != nil {
					return err
				}
				return deliver(cmd, supportName(args, r), content.Bytes())
			})
		},
	}
	cmd.Flags().StringVar(&file, "config", "",
		"configuration `file`, for a daemon that does not run: its interfaces are looked at (default: the daemon's)")
	return cmd
}

// supportName returns the name of the support file: the name in args, or a default name with host and time.
func supportName(args []string, r *support.Report) string {
	if len(args) > 0 {
		return args[0]
	}
	return fmt.Sprintf("uelink-support-%s-%s.txt", r.Host.Name, r.Made.Format("20060102-150405"))
}

// deliver writes content to a new file that only its owner may read, or to standard output if name is "-". It
// neither follows a link nor replaces a file.
func deliver(cmd *cobra.Command, name string, content []byte) error {
	if name == "-" {
		_, err := cmd.OutOrStdout().Write(content)
		return err
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL|unix.O_NOFOLLOW, 0o600)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s is there already: name another file, or - for standard output", name)
	}
	if err != nil {
		return fmt.Errorf("%w: name a file in a directory that you may write to, or - for standard output", err)
	}
	_, err = f.Write(content)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", name, err), os.Remove(name))
	}
	_, err = fmt.Fprintf(cmd.OutOrStdout(), "%s: %s octets: look through it before you send it\n",
		name, view.Count(uint64(len(content))))
	return err
}
