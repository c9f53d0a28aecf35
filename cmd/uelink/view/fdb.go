package view

import (
	"fmt"
	"io"

	"uelink/control/api"
)

// WriteFDB prints FDB entries in iproute2's form.
func WriteFDB(w io.Writer, entries []api.FDBEntry) {
	for _, e := range entries {
		fmt.Fprintf(w, "%s dev %s", e.MAC, e.IfName)
		if e.VLAN != 0 {
			fmt.Fprintf(w, " vlan %d", e.VLAN)
		}
		if e.Updated != nil {
			fmt.Fprintf(w, " updated %d", *e.Updated)
		}
		fmt.Fprintf(w, " master %s", e.Master)
		if e.State != "" {
			fmt.Fprintf(w, " %s", e.State)
		}
		fmt.Fprintln(w)
	}
}
