package main

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"uelink/cbfc"
	"uelink/client"
	"uelink/control/api"
	"uelink/internal/table"
)

func cbfcCommand(t *tool) *cobra.Command {
	vc := cbfcView(t, "vc [PORT]", "Show the virtual channels with credits, or configured for credits", writeChannels)
	vc.AddCommand(
		vcModeCommand(t, "enable", "Make a virtual channel lossless in this end's direction, until the next reload", true),
		vcModeCommand(t, "disable", "Make a virtual channel best effort until the next reload", false))
	counters := cbfcView(t, "counters [PORT]", "Show the counters of credits and their messages", writeCreditCounters)
	counters.AddCommand(clearCommand(t))
	return group("cbfc", "Credit-based flow control", vc,
		cbfcView(t, "credits [PORT]", "Show the counts of credits of both directions", writeCredits), counters)
}

// cbfcView returns a command that prints, by write, the state of CBFC of one link, or of all links with CBFC.
func cbfcView(t *tool, use, short string, write func(io.Writer, []api.CBFCInterface)) *cobra.Command {
	return watched(&cobra.Command{
		Use:               use,
		Short:             short,
		Args:              cobra.MaximumNArgs(1),
		ValidArgsFunction: t.completePorts(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			return t.ask(func(c *client.Client) error {
				links, err := list(args,
					func() ([]api.CBFCInterface, error) { return c.CBFC(cmd.Context()) },
					func(port string) (api.CBFCInterface, error) { return c.CBFCOf(cmd.Context(), port) })
				if err != nil {
					return err
				}
				return t.show(cmd, links, func(w io.Writer) {
					if len(links) == 0 {
						io.WriteString(w, "No link port has CBFC: set cbfc.mode of the port in the configuration.\n")
						return
					}
					write(w, links)
				})
			})
		},
	})
}

func vcModeCommand(t *tool, use, short string, lossless bool) *cobra.Command {
	return &cobra.Command{
		Use:               use + " PORT INDEX",
		Short:             short,
		Args:              checked(cobra.ExactArgs(2), func(args []string) error { _, err := channelIndex(args[1]); return err }),
		ValidArgsFunction: t.completePorts(true),
		RunE: func(cmd *cobra.Command, args []string) error {
			vc, _ := channelIndex(args[1])
			return t.ask(func(c *client.Client) error { return c.SetVC(cmd.Context(), args[0], vc, lossless) })
		},
	}
}

// checked returns a cobra argument check that checks the number of arguments by args and then calls check.
func checked(args cobra.PositionalArgs, check func([]string) error) cobra.PositionalArgs {
	return cobra.MatchAll(args, func(_ *cobra.Command, list []string) error { return check(list) })
}

func channelIndex(text string) (int, error) {
	n, err := strconv.ParseUint(text, 10, 8)
	if err != nil || n >= cbfc.VCs {
		return 0, fmt.Errorf("%q is no virtual channel: a number from 0 to %d is wanted", text, cbfc.VCs-1)
	}
	return int(n), nil
}

func writeChannels(w io.Writer, links []api.CBFCInterface) {
	ports := table.Table{Titles: []string{"Port", "Mode", "CBFC", "Partner", ">Credit size", ">Overhead", ">Total",
		">Used", "Note"}}
	channels := table.Table{Keys: 2, Titles: []string{
		"Port", ">VC", "Lossless", "Phase", ">Used", ">Limit", ">Watermark", "Blocked", ">Grants", ">Held", "At rest", "Note",
	}}
	for _, l := range links {
		total := "-"
		if l.TotalCredits > 0 {
			total = text(l.TotalCredits)
		}
		ports.Add(l.Port, l.Mode, onOff(l.On), onOff(l.PartnerCBFC), text(l.SenderCreditSize), text(l.SenderPacketOverhead),
			total, text(l.CreditsUsed), l.Note)
		for _, v := range l.VCs {
			channels.Add(l.Port, text(v.VC), yesNo(v.Lossless), v.Phase, text(v.CreditsUsed), text(v.SenderCreditLimit),
				text(v.CreditsUsedWatermark), blocked(v), text(v.ReceiverCreditLimit), text(v.RxCreditsHeld),
				yesNo(v.AtRest), v.Note)
		}
	}
	writeTable(w, &ports)
	fmt.Fprintln(w)
	writeTable(w, &channels)
	writeCreditPools(w, links)
}

// writeCreditPools prints the totals of credits granted by partners, if there are any, and the part of each
// channel.
func writeCreditPools(w io.Writer, links []api.CBFCInterface) {
	pools := table.Table{Titles: []string{"Port", ">Pool size", ">Shared size", ">Used"}}
	parts := table.Table{Keys: 2, Titles: []string{"Port", ">VC", ">Reserved", "Threshold mode", ">Static threshold"}}
	for _, l := range links {
		if l.SenderCreditLimit == 0 {
			continue
		}
		pools.Add(l.Port, text(l.SenderCreditLimit), text(l.CreditPoolShared), text(l.CreditPoolUsed))
		for _, v := range l.VCs {
			if v.Lossless {
				parts.Add(l.Port, text(v.VC), text(v.ReservedCreditSize), v.ThresholdMode, text(v.SharedStaticTh))
			}
		}
	}
	if !pools.Empty() {
		fmt.Fprintln(w)
		writeTable(w, &pools)
		fmt.Fprintln(w)
		writeTable(w, &parts)
	}
}

// blocked returns, as text, how long a channel's frame has been waiting for credits; "-" for no wait.
func blocked(v api.VirtualChannel) string {
	if v.Blocked == 0 {
		return "-"
	}
	return time.Duration(v.Blocked).Round(time.Microsecond).String()
}

// writeCredits prints a table of the credit counts of each virtual channel, under the names of the specification
// (S_VC_CC, R_VC_CF).
func writeCredits(w io.Writer, links []api.CBFCInterface) {
	t := table.Table{Keys: 2, Titles: []string{
		"Port", ">VC", ">S_VC_CC", ">S_VC_CF", ">S_VC_CU", ">S_VC_CL", ">R_VC_CC", ">R_VC_CF", ">Held", ">Grants", "At rest",
	}}
	for _, l := range links {
		for _, v := range l.VCs {
			t.Add(l.Port, text(v.VC), text(v.CreditsConsumed), text(v.CreditsFreed), text(v.CreditsUsed),
				text(v.SenderCreditLimit),
				text(v.RxCreditsConsumed), text(v.RxCreditsFreed), text(v.RxCreditsHeld),
				text(v.ReceiverCreditLimit), yesNo(v.AtRest))
		}
	}
	writeTable(w, &t)
}

// writeCreditCounters prints the counters of each link, and then the counters of its channels side by side.
func writeCreditCounters(w io.Writer, links []api.CBFCInterface) {
	for i, l := range links {
		if i > 0 {
			fmt.Fprintln(w)
		}
		heading(w, "CBFC Counters - "+l.Port)
		for _, f := range api.Fields(l.Counters) {
			dotted(w, f.Key, text(f.Value))
		}
		if len(l.VCs) > 0 {
			fmt.Fprintln(w)
			writeChannelFields(w, l.VCs, func(v api.VirtualChannel) any { return v.Counters })
		}
	}
}

// writeChannelFields prints a table with a column for each channel and a line for each field of the object that
// object returns for a channel.
func writeChannelFields(w io.Writer, channels []api.VirtualChannel, object func(api.VirtualChannel) any) {
	t := table.Table{Titles: []string{"Virtual channel"}}
	for _, v := range channels {
		t.Titles = append(t.Titles, ">"+strconv.Itoa(v.VC))
	}
	for i, first := range api.Fields(object(channels[0])) {
		cells := []string{first.Key}
		for _, v := range channels {
			cells = append(cells, text(api.Fields(object(v))[i].Value))
		}
		t.Add(cells...)
	}
	writeTable(w, &t)
}
