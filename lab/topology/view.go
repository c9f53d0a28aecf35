package topology

import (
	"path/filepath"

	"uelink/config/schema"
)

// View is the names of a lab, for people and programs.
type View struct {
	Hosts    []HostView    `json:"hosts,omitempty"`
	Stations []StationView `json:"stations,omitempty"`
	Wires    []WireView    `json:"wires,omitempty"`
}

// HostView is a host. Its interface is eth0.
type HostView struct {
	Name    string `json:"name"`
	Station string `json:"station"` // station at whose edge the host is; the edge has the host's name
	Address string `json:"address"` // IP address with the length of its prefix
	MTU     int    `json:"mtu"`
}

// StationView is a station.
type StationView struct {
	Name  string   `json:"name"`
	Ports []string `json:"ports"`
	State string   `json:"state"` // "up", or what is not up, in words
}

// WireView is a wire.
type WireView struct {
	Name    string   `json:"name"`
	Ends    []string `json:"ends"`              // "STATION PORT"
	Faults  string   `json:"faults"`            // faults in the words of uelink cable; "none": the wire is a veth
	Control string   `json:"control,omitempty"` // socket for uelink cable rule, report and clear
}

// View returns the names of the lab; dir is the path by which users know its directory.
func (l *Lab) View(dir string) (v View) {
	d := l.document
	for _, h := range d.Hosts {
		v.Hosts = append(v.Hosts, HostView{h.Name, h.Station, h.Address.String(), h.MTU})
	}
	at := map[string]string{} // port of each end of a wire
	for _, s := range d.Stations {
		ports := []string{}
		for _, p := range d.ports(s.Name) {
			ports = append(ports, p.name)
			if p.link {
				at[p.from+s.Name] = p.name
			}
		}
		v.Stations = append(v.Stations, StationView{s.Name, ports, Up})
	}
	for i := range d.Wires {
		w := &d.Wires[i]
		shown := WireView{Name: w.Name, Faults: w.Faults.String()}
		for _, end := range w.Ends {
			shown.Ends = append(shown.Ends, end+" "+at[schema.Element("wires", i)+end])
		}
		if w.Faults.Control {
			shown.Control = l.control(dir, w)
		}
		v.Wires = append(v.Wires, shown)
	}
	return v
}

// Namespaces returns the names in /run/netns of the hosts, the stations, and the wires with a cable, by their names in
// the lab.
func (l *Lab) Namespaces() map[string]string {
	all := map[string]string{}
	for name, ns := range l.spaces {
		all[name] = ns.Name()
	}
	return all
}

// Sockets returns the paths of the stations' sockets by their names; dir is the path by which users know the directory
// of the lab.
func (l *Lab) Sockets(dir string) map[string]string {
	all := map[string]string{}
	for _, s := range l.stations {
		all[s.name] = filepath.Join(dir, s.name, filepath.Base(s.daemon.Socket))
	}
	return all
}
