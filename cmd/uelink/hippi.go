package main

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/control/api"
	"uelink/internal/table"
)

func hippiCommand(t *tool) *cobra.Command {
	return group("hippi", "Links that speak HIPPI-6400-PH",
		hippiView(t, "interface [PORT]", "Show state, partner and traffic of the links", writeHIPPIInterfaces),
		hippiView(t, "credits [PORT]", "Show credits and VC buffers of both directions", writeHIPPICredits),
		hippiView(t, "events [PORT]", "Show the logged events of table 7, and the counters", writeHIPPIEvents),
		hippiAct(t, api.HIPPIReset, "Begin a Link Reset, the way out of Shutdown: frames on their way are lost"),
		hippiAct(t, api.HIPPIInitialize, "Begin an Initialize, which the partner may pass on to other links"),
		hippiAct(t, api.HIPPIClear, "Set the logged events to 0"))
}

// hippiView returns a command that prints, by write, the state of one link that speaks HIPPI-6400-PH, or of all.
func hippiView(t *tool, use, short string, write func(io.Writer, []api.HIPPIInterface)) *cobra.Command {
	return watched(&cobra.Command{
		Use:               use,
		Short:             short,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: t.completePorts(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *client.Client) error {
				links, err := list(args,
					func() ([]api.HIPPIInterface, error) { return c.HIPPI(cmd.Context()) },
					func(port string) (api.HIPPIInterface, error) { return c.HIPPIOf(cmd.Context(), port) })
				if err != nil {
					return err
				}
				return t.show(cmd, links, func(w io.Writer) {
					if len(links) == 0 {
						io.WriteString(w, "No link speaks HIPPI-6400-PH: set protocol: hippi6400 of a port in the configuration.\n")
						return
					}
					write(w, links)
				})
			})
		},
	})
}

// hippiAct returns a command that sends a command of the administrator to a link.
func hippiAct(t *tool, command, short string) *cobra.Command {
	return &cobra.Command{
		Use:               command + " PORT",
		Short:             short,
		Args:              cobra.ExactArgs(1),
		ValidArgsFunction: t.completePorts(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *client.Client) error { return c.CommandHIPPI(cmd.Context(), args[0], command) })
		},
	}
}

func writeHIPPIInterfaces(w io.Writer, links []api.HIPPIInterface) {
	t := table.Table{Titles: []string{"Port", "State", "Signal", "Partner", ">Outstanding", ">Loop time", ">ACK timeout",
		">Retries", ">Messages sent", ">received", ">Lost at reset", "Note"}}
	for _, l := range links {
		t.Add(l.Port, l.LinkState, yesNo(l.Activity), orDash(l.PartnerMAC.String()), text(l.Outstanding),
			l.LoopTime.String(), l.Timeouts.ACK.String(), text(l.Events.RetryCount), text(l.Counters.TxMessages),
			text(l.Counters.RxMessages), text(l.Counters.TxLostAtReset+l.Counters.RxLostAtReset), l.Note)
	}
	writeTable(w, &t)
}

func writeHIPPICredits(w io.Writer, links []api.HIPPIInterface) {
	t := table.Table{Keys: 2, Titles: []string{"Port", ">VC", ">Credits", "Frame leaves", ">VC buffer", ">Filled",
		">Free chunks"}}
	for _, l := range links {
		for _, v := range l.Channels {
			t.Add(l.Port, text(v.VC), text(v.Credits), yesNo(v.Leaving), text(v.Buffer), text(v.Buffered), text(v.FreeChunks))
		}
	}
	writeTable(w, &t)
}

// writeHIPPIEvents prints the events and counters of each link, those of a virtual channel where they are not 0.
func writeHIPPIEvents(w io.Writer, links []api.HIPPIInterface) {
	for i, l := range links {
		if i > 0 {
			fmt.Fprintln(w)
		}
		heading(w, "Port "+l.Port)
		for _, object := range []any{l.Events, l.Counters, l.Frames} {
			for _, f := range api.Fields(object) {
				dotted(w, f.Key, text(f.Value))
			}
		}
		for _, v := range l.Channels {
			for _, f := range api.Fields(v) {
				if n, is := f.Value.(uint64); is && n > 0 {
					dotted(w, fmt.Sprintf("vc%d %s", v.VC, f.Key), text(n))
				}
			}
		}
	}
}
