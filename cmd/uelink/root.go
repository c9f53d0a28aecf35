package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"uelink/cable"
	"uelink/conformance"
	"uelink/control"
	"uelink/demo"
	"uelink/doctor"
	"uelink/traffic"
)

// tool is the flags that every command has.
type tool struct {
	socket string
	output format
}

// newRoot puts the commands together.
func newRoot() *cobra.Command {
	t := &tool{output: asTable}
	root := group("uelink", "Ask and tell uelinkd; try a link out",
		portCommand(t),
		group("llr", "Link layer retry",
			llrInterfaceCommand(t), llrProfileCommand(t), llrCountersCommand(t),
			llrModeCommand(t, "local", "Receive reliably: accept LLR_INIT (LLR_MODE_LOCAL)", (*control.Client).SetLLRLocal),
			llrModeCommand(t, "remote", "Transmit reliably: send LLR_INIT (LLR_MODE_REMOTE)", (*control.Client).SetLLRRemote),
			llrReinitCommand(t)),
		pfcCommand(t),
		cbfcCommand(t),
		queueCommand(t),
		qosCommand(t),
		bridgeCommand(t),
		fdbCommand(t),
		vlanCommand(t),
		switchTrimmingCommand(t),
		lldpCommand(t),
		dcbxCommand(t),
		watchCommand(t),
		decodeCommand(t),
		group("log", "What the daemon logs", logLevelCommand(t)),
		cable.Command(),
		traffic.Command(),
		demo.Command(),
		doctorCommand(t, doctor.Gather),
		supportCommand(t),
		conformance.Command(),
		confirmCommand(t),
		versionCommand(t),
	)
	root.SilenceErrors, root.SilenceUsage = true, true
	root.PersistentFlags().StringVar(&t.socket, "socket", control.DefaultSocket, "unix socket of the daemon")
	root.PersistentFlags().VarP(&t.output, "output", "o", "table or json")
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		mustName(completion)
	}
	return root
}

// group is a command that does nothing but hold other commands.
func group(use, short string, subs ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Short: short}
	cmd.AddCommand(subs...)
	mustName(cmd)
	return cmd
}

// mustName makes it an error of usage to name none of a group's commands, or one
// that it does not have; cobra by itself would show the help and succeed.
func mustName(cmd *cobra.Command) {
	cmd.SuggestionsMinimumDistance = 2
	cmd.Annotations = map[string]string{groupMark: "yes"}
	cmd.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			cmd.SetOut(cmd.ErrOrStderr())
			return errors.Join(cmd.Help(), fmt.Errorf("which command of %s?", cmd.CommandPath()))
		}
		if several := beginning(args[0], commandNames(cmd)); len(several) > 1 {
			return fmt.Errorf("%q of %q is ambiguous: %s", args[0], cmd.CommandPath(), strings.Join(several, ", "))
		}
		if near := cmd.SuggestionsFor(args[0]); len(near) > 0 {
			return fmt.Errorf("unknown command %q for %q: did you mean %q?", args[0], cmd.CommandPath(), near[0])
		}
		return fmt.Errorf("unknown command %q for %q", args[0], cmd.CommandPath())
	}
	cmd.RunE = func(*cobra.Command, []string) error { return nil } // Args lets nothing through
}

// client is a client of the daemon; the caller closes it.
func (t *tool) client() *control.Client { return control.NewClient(t.socket) }

// ask runs one request with a client of its own.
func (t *tool) ask(request func(*control.Client) error) error {
	c := t.client()
	defer c.Close()
	return request(c)
}

// completePorts offers the names of ports, of link ports only where links is
// set; none when there is no daemon to ask.
func (t *tool) completePorts(links bool) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		var names []string
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		c := t.client()
		defer c.Close()
		ports, _ := c.Ports(cmd.Context())
		for _, p := range ports {
			if p.LLR != nil || !links {
				names = append(names, p.Name)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
