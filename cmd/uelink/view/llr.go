package view

import (
	"fmt"
	"io"

	"uelink/control/api"
	"uelink/internal/table"
)

// WriteLLRInterfaces prints a table of links with LLR.
func WriteLLRInterfaces(w io.Writer, interfaces []api.LLRInterface) {
	if len(interfaces) == 0 {
		fmt.Fprintln(w, NoLinkPorts)
		return
	}
	t := table.Table{Titles: []string{"Port", "Mode", "LLR Local", "LLR Remote", "LLR Profile", "Tx Status",
		"Rx Status",
		">Outstanding", "Partner", "Note"}}
	for _, i := range interfaces {
		t.Add(i.Port, i.Mode.String(), enabled(i.Local), enabled(i.Remote), i.Profile,
			i.TxStatus.String(), i.RxStatus.String(),
			text(i.OutstandingFrames), partner(i), i.Note)
	}
	WriteTable(w, &t)
}

func partner(i api.LLRInterface) string {
	if !i.PartnerKnown {
		return "unknown"
	}
	return OrDash(i.PartnerMAC.String())
}
