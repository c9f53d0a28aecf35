package view

import (
	"fmt"
	"io"

	"uelink/sai"
)

// WriteSAIObjects prints SAI objects with their attributes: the value, and the value in force of a timeout that the
// daemon has raised.
func WriteSAIObjects(w io.Writer, objects []sai.Object) {
	for i, o := range objects {
		if i > 0 {
			fmt.Fprintln(w)
		}
		Heading(w, fmt.Sprintf("%s %s %s, made by %s", o.OID, o.Type, o.Name, o.MadeBy))
		for _, a := range o.Attributes {
			value := OrDash(a.Value)
			if a.InForce != "" {
				value += " (in force: " + a.InForce + ")"
			}
			Dotted(w, a.Name, value)
		}
	}
}
