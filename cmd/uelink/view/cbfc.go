package view

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"uelink/control/api"
	"uelink/internal/table"
)

// WriteChannels prints a table of links with CBFC and one of their virtual channels.
func WriteChannels(w io.Writer, links []api.CBFCInterface) {
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
		ports.Add(l.Port, l.Mode, onOff(l.On), onOff(l.PartnerCBFC), text(l.SenderCreditSize),
			text(l.SenderPacketOverhead),
			total, text(l.CreditsUsed), l.Note)
		for _, v := range l.VCs {
			channels.Add(l.Port, text(v.VC), yesNo(v.Lossless), v.Phase, text(v.CreditsUsed), text(v.SenderCreditLimit),
				text(v.CreditsUsedWatermark), blocked(v), text(v.ReceiverCreditLimit), text(v.RxCreditsHeld),
				yesNo(v.AtRest), v.Note)
		}
	}
	WriteTable(w, &ports)
	fmt.Fprintln(w)
	WriteTable(w, &channels)
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
		WriteTable(w, &pools)
		fmt.Fprintln(w)
		WriteTable(w, &parts)
	}
}

// blocked returns, as text, how long a channel's frame has been waiting for credits; "-" for no wait.
func blocked(v api.VirtualChannel) string {
	if v.Blocked == 0 {
		return "-"
	}
	return time.Duration(v.Blocked).Round(time.Microsecond).String()
}

// WriteCredits prints a table of the credit counts of each virtual channel, under the names of the specification
// (S_VC_CC, R_VC_CF).
func WriteCredits(w io.Writer, links []api.CBFCInterface) {
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
	WriteTable(w, &t)
}

// WriteCreditCounters prints the counters of each link, and then the counters of its channels side by side.
func WriteCreditCounters(w io.Writer, links []api.CBFCInterface) {
	for i, l := range links {
		if i > 0 {
			fmt.Fprintln(w)
		}
		Heading(w, "CBFC Counters - "+l.Port)
		for _, f := range api.Fields(l.Counters) {
			Dotted(w, f.Key, text(f.Value))
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
	WriteTable(w, &t)
}
