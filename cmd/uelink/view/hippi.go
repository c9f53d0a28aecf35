package view

import (
	"fmt"
	"io"

	"uelink/control/api"
	"uelink/internal/table"
)

// WriteHIPPIInterfaces prints a table of HIPPI-6400-PH links.
func WriteHIPPIInterfaces(w io.Writer, links []api.HIPPIInterface) {
	t := table.Table{Titles: []string{"Port", "State", "Signal", "Partner", ">Outstanding", ">Loop time",
		">ACK timeout",
		">Retries", ">Messages sent", ">received", ">Lost at reset", "Note"}}
	for _, l := range links {
		t.Add(l.Port, l.LinkState, yesNo(l.Activity), OrDash(l.PartnerMAC.String()), text(l.Outstanding),
			l.LoopTime.String(), l.Timeouts.ACK.String(), text(l.Events.RetryCount), text(l.Counters.TxMessages),
			text(l.Counters.RxMessages), text(l.Counters.TxLostAtReset+l.Counters.RxLostAtReset), l.Note)
	}
	WriteTable(w, &t)
}

// WriteHIPPICredits prints a table of the credits and buffers of the virtual channels of HIPPI-6400-PH links.
func WriteHIPPICredits(w io.Writer, links []api.HIPPIInterface) {
	t := table.Table{Keys: 2, Titles: []string{"Port", ">VC", ">Credits", "Frame leaves", ">VC buffer", ">Filled",
		">Free chunks"}}
	for _, l := range links {
		for _, v := range l.Channels {
			t.Add(l.Port, text(v.VC), text(v.Credits), yesNo(v.Leaving), text(v.Buffer), text(v.Buffered),
				text(v.FreeChunks))
		}
	}
	WriteTable(w, &t)
}

// WriteHIPPIEvents prints the event counts and counters of each HIPPI-6400-PH link in links, and those counters of
// its virtual channels that are not 0.
func WriteHIPPIEvents(w io.Writer, links []api.HIPPIInterface) {
	for i, l := range links {
		if i > 0 {
			fmt.Fprintln(w)
		}
		Heading(w, "Port "+l.Port)
		for _, object := range []any{l.Events, l.Counters, l.Frames} {
			for _, f := range api.Fields(object) {
				Dotted(w, f.Key, text(f.Value))
			}
		}
		for _, v := range l.Channels {
			for _, f := range api.Fields(v) {
				if n, ok := f.Value.(uint64); ok && n > 0 {
					Dotted(w, fmt.Sprintf("vc%d %s", v.VC, f.Key), text(n))
				}
			}
		}
	}
}
