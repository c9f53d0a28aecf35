package demo

import (
	"cmp"
	"fmt"
	"io"
	"net/netip"
	"strings"

	"uelink/internal/table"
	"uelink/lab/topology"
)

// WriteTable prints the names, sockets and addresses of the lab as tables, and the commands to try next.
func (l Lab) WriteTable(w io.Writer) error {
	if len(l.Stations) > 0 {
		return l.writeFile(w)
	}
	t := table.Table{Titles: []string{"", "Namespace", "Socket or Address"}}
	for _, name := range []string{"hostA", "A", "wire", "B", "hostB"} {
		t.Add(name, l.Namespaces[name], l.Sockets[name]+l.Addresses[name])
	}
	if err := t.Write(w); err != nil {
		return err
	}
	_, err := fmt.Fprintf(w, `
uelink --socket %s %s interface
ip netns exec %s ping %s
uelink lab down
`, l.Sockets["A"], strings.TrimSuffix(l.Protocol, "6400"), l.Namespaces["hostA"], l.Addresses["hostB"])
	return err
}

// writeFile prints the tables of a lab that a file describes.
func (l Lab) writeFile(w io.Writer) error {
	hosts := table.Table{Titles: []string{"Host", "Namespace", "Address", "Station"}}
	for _, h := range l.Hosts {
		hosts.Add(h.Name, l.Namespaces[h.Name], h.Address, h.Station)
	}
	stations := table.Table{Titles: []string{"Station", "Namespace", "Socket", "State"}}
	for _, s := range l.Stations {
		stations.Add(s.Name, l.Namespaces[s.Name], l.Sockets[s.Name], s.State)
	}
	wires := table.Table{Titles: []string{"Wire", "Namespace", "Ends", "Faults"}}
	for _, v := range l.Wires {
		wires.Add(v.Name, cmp.Or(l.Namespaces[v.Name], "-"), strings.Join(v.Ends, " - "), v.Faults)
	}
	for _, t := range []*table.Table{&hosts, &stations, &wires} {
		if t.Empty() {
			continue
		}
		if err := t.Write(w); err != nil {
			return err
		}
		if _, err := fmt.Fprintln(w); err != nil {
			return err
		}
	}
	_, err := io.WriteString(w, l.next())
	return err
}

// next returns commands to try in a lab that a file describes, one a line.
func (l Lab) next() string {
	var b strings.Builder
	fmt.Fprintf(&b, "uelink --socket %s port\n", l.Sockets[l.Stations[0].Name])
	if from, to, ok := l.pair(); ok {
		fmt.Fprintf(&b, "ip netns exec %s ping %s\n", l.Namespaces[from.Name], addressOf(to))
		fmt.Fprintf(&b, "uelink traffic --from eth0@%s --to eth0@%s --frames 100000\n", l.Namespaces[from.Name],
			l.Namespaces[to.Name])
	}
	for _, v := range l.Wires {
		if v.Control != "" {
			fmt.Fprintf(&b, "uelink cable report --control %s\n", v.Control)
		}
	}
	return b.String() + "uelink lab down\n"
}

// pair returns two hosts of the lab, the first host and another, at different stations if possible; ok is false if the
// lab has a single host. Each lab has at least one.
func (l Lab) pair() (from, to topology.HostView, ok bool) {
	for _, h := range l.Hosts[1:] {
		if !ok || h.Station != l.Hosts[0].Station && to.Station == l.Hosts[0].Station {
			to, ok = h, true
		}
	}
	return l.Hosts[0], to, ok
}

// addressOf returns the address of a host without the length of its prefix.
func addressOf(h topology.HostView) string {
	p, err := netip.ParsePrefix(h.Address)
	if err != nil {
		return h.Address
	}
	return p.Addr().String()
}
