package view

import (
	"fmt"
	"io"
	"strings"

	"uelink/control/api"
)

// WriteVLANs prints the VLANs of ports in iproute2's form.
func WriteVLANs(w io.Writer, ports []api.PortVLANs) {
	line := func(port, vlan string) { fmt.Fprintf(w, "%-16s  %s\n", port, vlan) } // 16 is the kernel's IFNAMSIZ
	line("port", "vlan-id")
	for _, p := range ports {
		name := p.IfName
		for _, v := range p.VLANs {
			line(name, strings.Join(append([]string{v.Range()}, v.Flags...), " "))
			name = "" // printed once
		}
	}
}
