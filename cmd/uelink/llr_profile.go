package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/control/api"
	"uelink/llr"
)

func llrProfileCommand(t *tool) *cobra.Command {
	return &cobra.Command{
		Use:   "profile [NAME]",
		Short: "Show LLR profiles",
		Args:  cobra.MaximumNArgs(1),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			return t.profileNames(cmd, args), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *client.Client) error {
				profiles, err := list(args,
					func() ([]api.LLRProfile, error) { return c.LLRProfiles(cmd.Context()) },
					func(name string) (api.LLRProfile, error) { return c.LLRProfile(cmd.Context(), name) })
				if err != nil {
					return err
				}
				return t.show(cmd, profiles, func(w io.Writer) { writeLLRProfiles(w, profiles) })
			})
		},
	}
}

// profileNames returns the names of the LLR profiles for shell completion; nil without a daemon.
func (t *tool) profileNames(cmd *cobra.Command, args []string) (names []string) {
	if len(args) > 0 {
		return nil
	}
	c := t.client()
	defer c.Close()
	profiles, _ := c.LLRProfiles(cmd.Context())
	for _, p := range profiles {
		names = append(names, p.Name)
	}
	return names
}

func writeLLRProfiles(w io.Writer, profiles []api.LLRProfile) {
	for i, p := range profiles {
		if i > 0 {
			fmt.Fprintln(w)
		}
		writeLLRProfile(w, p)
	}
}

func writeLLRProfile(w io.Writer, p api.LLRProfile) {
	heading(w, "LLR Profile: "+p.Name)
	dotted(w, "Maximum Outstanding Frames", autoOr(p.MaxOutstandingFrames == 0, count(uint64(p.MaxOutstandingFrames))))
	dotted(w, "Maximum Outstanding Bytes", text(p.MaxOutstandingBytes))
	dotted(w, "Maximum Replay Count", replays(p.MaxReplayCount))
	dotted(w, "Maximum Replay Timer", autoOr(p.MaxReplayTimer == 0, p.MaxReplayTimer.String()))
	dotted(w, "Hold Timeout", timeout(p.HoldTimeout))
	dotted(w, "PCS Lost Status Timeout", timeout(p.PCSLostTimeout))
	dotted(w, "Data Age Timeout", timeout(p.DataAgeTimeout))
	dotted(w, "CtlOS Spacing Bytes", text(p.CtlOSSpacingBytes))
	dotted(w, "Init Action", p.InitAction)
	dotted(w, "Flush Action", p.FlushAction)
	dotted(w, "Re-Init on Flush", enabled(p.ReInitOnFlush))
}

// autoOr returns "auto" if auto is true (the setting follows the loop time), else value.
func autoOr(auto bool, value string) string {
	if auto {
		return "auto"
	}
	return value
}

func replays(n uint8) string {
	if n == llr.NoReplayLimit {
		return "no limit"
	}
	return text(n)
}
