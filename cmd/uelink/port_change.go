package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v4"

	"uelink/client"
	"uelink/control/api"
)

// portAddCommand adds an edge to a bridge or to a link of the running daemon.
func portAddCommand(t *tool) *cobra.Command {
	var a api.PortAddition
	var bridge, link string
	cmd := &cobra.Command{
		Use:   "add PORT INTERFACE --bridge BRIDGE|--link LINK [KEY=VALUE …]",
		Short: "Add an edge to a bridge or a link of the running daemon",
		Long: `Adds an edge port on an interface to a bridge or a link, without an interruption of other ports. The
daemon keeps it over its restarts and upgrades, and with --persist over a boot. KEY=VALUE sets a key of
the port, as the configuration file has it. The same command again changes the port.`,
		Example: "  uelink port add pod7 ue-pod7 --bridge br0 push_back=off",
		Args:    cobra.MinimumNArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			port, err := keysOf(args[2:])
			if err != nil {
				return err
			}
			port["name"], port["interface"], port["role"] = args[0], args[1], "edge"
			switch a.Ports = []map[string]any{port}; {
			case (bridge == "") == (link == ""):
				return errors.New("one of --bridge and --link is wanted")
			case bridge != "":
				a.Bridges = []map[string]any{{"name": bridge, "ports": []map[string]any{{"port": args[0]}}}}
			default:
				a.XConnects = []map[string]any{{"edge": args[0], "link": link}}
			}
			return t.changePorts(cmd, func(c *client.Client) (api.PortsChanged, error) {
				if bridge != "" { // without this check the daemon would create the bridge
					if _, err := c.Bridge(cmd.Context(), bridge); err != nil {
						return api.PortsChanged{}, err
					}
				}
				return c.AddPorts(cmd.Context(), a)
			})
		},
	}
	cmd.Flags().StringVar(&bridge, "bridge", "", "bridge that the port joins")
	cmd.Flags().StringVar(&link, "link", "", "link port that is in no xconnect and no bridge yet")
	cmd.Flags().BoolVar(&a.Persist, "persist", false, "keep the port over a boot, too")
	cmd.Flags().BoolVar(&a.Force, "force", false, "also on an interface that the host itself uses")
	return cmd
}

// portSetCommand sets keys of a port that the API has added.
func portSetCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use: "set PORT KEY=VALUE …", Short: "Set keys of a port that was added while the daemon runs",
		Example: "  uelink port set pod7 push_back=on", Args: cobra.MinimumNArgs(2), ValidArgsFunction: t.completePorts(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			keys, err := keysOf(args[1:])
			if err != nil {
				return err
			}
			return t.changePorts(cmd, func(c *client.Client) (api.PortsChanged, error) {
				return c.SetPort(cmd.Context(), args[0], keys)
			})
		},
	}
}

// portDeleteCommand removes a port that the API has added.
func portDeleteCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use: "del PORT", Aliases: []string{"delete", "rm"}, Short: "Remove a port that was added while the daemon runs",
		Args: cobra.ExactArgs(1), ValidArgsFunction: t.completePorts(false),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.changePorts(cmd, func(c *client.Client) (api.PortsChanged, error) {
				return c.RemovePorts(cmd.Context(), args[0])
			})
		},
	}
}

// keysOf returns the keys and values of arguments KEY=VALUE, with values as a configuration file has them.
func keysOf(args []string) (map[string]any, error) {
	keys := map[string]any{}
	for _, arg := range args {
		key, text, ok := strings.Cut(arg, "=")
		var value any
		if err := yaml.Unmarshal([]byte(text), &value); !ok || err != nil {
			return nil, fmt.Errorf("%q: KEY=VALUE is wanted, such as push_back=off", arg)
		}
		keys[key] = value
	}
	return keys, nil
}

// changePorts asks the daemon for a change of ports by calling change, and prints the outcome: what is in force, or
// that the ports were like that already.
func (t *tool) changePorts(cmd *cobra.Command, change func(*client.Client) (api.PortsChanged, error)) error {
	return t.ask(func(c *client.Client) error {
		done, err := change(c)
		if err != nil {
			return err
		}
		return t.show(cmd, done, func(w io.Writer) {
			if !done.Changed {
				fmt.Fprintf(w, "%s is so already: %s\n", done.Name, done.File)
				return
			}
			fmt.Fprintf(w, "In force: %s\n", done.Name)
		})
	})
}
