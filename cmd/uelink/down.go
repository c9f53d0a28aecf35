package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"uelink/dataplane/netif"
)

const downLong = `Remove the interfaces that the daemon of a configuration has made for the host (create: true)
and left when it ended, with all that the host has put on them: addresses, routes, macvlans. Only
those of this configuration file and of the daemon's state folder ($STATE_DIRECTORY, or
/var/lib/uelink) are removed. An interface that a running daemon serves stays: stop the daemon first
(systemctl stop uelinkd). Run it as root, in the network namespace of the daemon.`

// defaultConfig and defaultState are the configuration file and the state folder of the daemon under systemd.
const (
	defaultConfig = "/etc/uelink/uelink.yaml"
	defaultState  = "/var/lib/uelink"
)

// downResult is the output of uelink down.
type downResult struct {
	Removed []string     `json:"removed"` // removed interfaces: the daemon's ends of veths
	Others  []netif.Left `json:"others"`  // interfaces of other configurations, which stay
	served  bool         // a running daemon serves some of the interfaces: the command fails with an error
}

// downCommand returns the command that removes the interfaces which a stopped daemon has left.
func downCommand(t *tool) *cobra.Command {
	file := defaultConfig
	cmd := &cobra.Command{
		Use:   "down",
		Short: "Remove the host's interfaces that a stopped daemon has left",
		Long:  downLong,
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			state, _, _ := strings.Cut(os.Getenv("STATE_DIRECTORY"), ":")
			all, err := netif.AllLeft()
			if err != nil {
				return err
			}
			r, err := takeDown(all, netif.OwnerOf(file, cmp.Or(state, defaultState)))
			return errors.Join(t.show(cmd, r, func(w io.Writer) { r.print(w, file) }), err)
		},
	}
	cmd.Flags().StringVar(&file, "config", file, "configuration file of the daemon")
	return cmd
}

// takeDown removes those veths of all that belong to an owner and that no daemon serves. The result has the removed
// veths, and the veths of other owners, which stay. The error has the owner's veths that are served, or that could not
// be removed.
func takeDown(all []netif.Left, owner netif.Owner) (r downResult, err error) {
	r = downResult{Removed: []string{}, Others: []netif.Left{}}
	var problems []error
	for _, l := range all {
		switch {
		case l.Owner != owner:
			r.Others = append(r.Others, l)
		case l.Served:
			r.served = true
			problems = append(problems, fmt.Errorf("%s is served by a running uelinkd: stop that first "+
				"(systemctl stop uelinkd)", l.Interface))
		default:
			if err := l.Remove(); err != nil {
				problems = append(problems, err)
				continue
			}
			r.Removed = append(r.Removed, l.Interface)
		}
	}
	return r, errors.Join(problems...)
}

// print writes a line for each interface that was removed, or belongs to another configuration.
func (r *downResult) print(w io.Writer, file string) {
	for _, name := range r.Removed {
		fmt.Fprintf(w, "removed %s and its other end\n", name)
	}
	for _, l := range r.Others {
		_, config, _ := strings.Cut(strings.TrimPrefix(string(l.Owner), "uelinkd "), " ")
		fmt.Fprintf(w, "kept %s, which belongs to another configuration file or state folder: %s\n", l.Interface,
			cmp.Or(config, "not known which"))
	}
	if len(r.Removed) == 0 && !r.served {
		fmt.Fprintf(w, "no interface made by uelinkd for %s is left: nothing to remove\n", file)
	}
}
