package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/control/api"
)

const upgradeLong = `Have the running daemon start another uelinkd and hand everything over to it: sockets,
frames that wait, sessions with partners and neighbours, counters. No frame is lost, and partners
notice nothing. If the other program cannot take over, the daemon goes on, and the reason is told,
also by uelink status, until an upgrade or a check of one succeeds.
A configuration file that has changed is read by the new daemon; exit code 1 if that is refused.

Without --binary the program at the path by which the daemon was started is started: install the
new version there first. --binary and --config are for root and for the user of the daemon. The
program, and every folder above it, must belong to root or to that user, and nobody else may write
to them.

--check tries all that up to the last step: the program takes the present state over and ends, and
the daemon goes on. No frame moves for as long as in an upgrade, and none is lost.`

// upgradeCommand returns the command that makes the daemon hand over to another program.
func upgradeCommand(t *tool) *cobra.Command {
	var u api.Upgrade
	cmd := &cobra.Command{
		Use:   "upgrade",
		Short: "Start another version of the daemon without losing a frame",
		Long:  upgradeLong,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			for _, path := range []*string{&u.Binary, &u.Config} {
				if err := absolute(path); err != nil {
					return err
				}
			}
			return t.ask(func(c *client.Client) error { return t.upgrade(cmd, c, u) })
		},
	}
	cmd.Flags().StringVar(&u.Binary, "binary", "", "program to start instead of the one at the daemon's own path")
	cmd.Flags().StringVar(&u.Config, "config", "", "configuration of the new daemon, instead of the daemon's own")
	cmd.Flags().BoolVar(&u.Check, "check", false, "only try whether the program can take over")
	return cmd
}

// absolute makes a path absolute, from the working directory of this process, because the daemon's is another. ""
// stays.
func absolute(path *string) (err error) {
	if *path != "" {
		*path, err = filepath.Abs(*path)
	}
	return err
}

// upgraded is the output of uelink upgrade: the new process, and the fate of a changed configuration file.
type upgraded struct {
	api.Upgraded
	Reload *api.Reload `json:"reload"` // null: the file had not changed
}

// upgrade makes the daemon hand over, prints who has taken over from whom, and returns an error if the new daemon
// refuses a changed configuration.
func (t *tool) upgrade(cmd *cobra.Command, c *client.Client, u api.Upgrade) error {
	done, err := c.HandOver(cmd.Context(), u)
	if err != nil {
		return err
	}
	result := upgraded{Upgraded: done}
	if result.Reload, err = reloadAfter(cmd.Context(), c, done); err != nil {
		return err
	}
	if err := t.show(cmd, result, func(w io.Writer) { writeUpgraded(w, result, u.Check) }); err != nil {
		return err
	}
	if result.Reload != nil && len(result.Reload.Errors) > 0 {
		return errors.New("the new daemon has refused the changed configuration, and the former one stays in force: " +
			strings.Join(result.Reload.Errors, "; "))
	}
	return nil
}

// reloadAfter waits for the outcome of the reload that follows an upgrade if the configuration file has changed.
func reloadAfter(ctx context.Context, c *client.Client, done api.Upgraded) (*api.Reload, error) {
	if !done.Changed {
		return nil, nil
	}
	r, err := c.Reloaded(ctx, done.New.PID)
	return &r, err
}

// writeUpgraded prints who has taken over from whom; after a check, who could take over.
func writeUpgraded(w io.Writer, done upgraded, check bool) {
	switch {
	case done.New.SHA256 == "":
		fmt.Fprintln(w, "another process has taken over; the former daemon was too old to say more")
		return
	case check:
		fmt.Fprintf(w, "%s can take over, and the daemon goes on\n", done.New.Program)
	default:
		fmt.Fprintf(w, "%s has taken over\n", done.New.Program)
	}
	fmt.Fprintf(w, "former: version %s, process %d, SHA-256 %s\n", done.Former.Version, done.Former.PID,
		done.Former.SHA256)
	if check {
		fmt.Fprintf(w, "new:    version %s, SHA-256 %s\n", done.New.Version, done.New.SHA256)
		return
	}
	fmt.Fprintf(w, "new:    version %s, process %d, SHA-256 %s\n", done.New.Version, done.New.PID, done.New.SHA256)
	fmt.Fprintf(w, "no frame moved for %v\n", time.Duration(done.Pause*float64(time.Second)).Round(10*time.Microsecond))
	if done.Reload != nil && len(done.Reload.Errors) == 0 {
		fmt.Fprintln(w, "the configuration file had changed, and is in force")
	}
}
