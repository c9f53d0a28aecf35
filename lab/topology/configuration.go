package topology

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"uelink/config"
	"uelink/config/schema"
)

// port is a port of a station.
type port struct {
	name string     // name of the port and of its interface
	from string     // path, in the lab's file, of the host or wire at the port
	text string     // keys of the port that the lab sets, as YAML
	keys *yaml.Node // further keys of the port, from the lab's file
	as   *yaml.Node // keys of the port as a member of the bridge
	link bool       // the port is at a wire; else at a host
}

// ports returns the ports of a station: of its wires, and then of its hosts, in the order of the file.
func (d *Document) ports(station string) (all []port) {
	for i := range d.Wires {
		w := &d.Wires[i]
		if !slices.Contains(w.Ends, station) {
			continue
		}
		name := "link" + strconv.Itoa(len(all))
		all = append(all, port{name: name, from: schema.Element("wires", i), text: w.linkText(name), keys: w.Port,
			as: w.Member, link: true})
	}
	for i, h := range d.Hosts {
		if h.Station == station {
			all = append(all, port{name: h.Name, from: schema.Element("hosts", i), keys: h.Port, as: h.Member,
				text: fmt.Sprintf("{name: %q, interface: %q, role: edge}", h.Name, h.Name)})
		}
	}
	return all
}

// linkText returns the keys of a link. Whatever the wire does, the link never gives up and never sends a frame without
// a number.
func (w *Wire) linkText(name string) string {
	if w.Protocol == hippiProtocol {
		return fmt.Sprintf("{name: %s, interface: %[1]s, role: link, fcs: true, protocol: hippi6400}", name)
	}
	return fmt.Sprintf("{name: %s, interface: %[1]s, role: link, fcs: true, "+
		"llr: {mode: static, local: true, remote: true, profile: lab}}", name)
}

// stationText is the configuration of a station without its ports.
const stationText = `log: {level: warn, format: json}
control: {socket: %q, mode: "0600"}
lldp: {system_name: %q}
llr_profiles: {lab: {max_replay_count: 255, init_action: block, flush_action: block}}
`

// given are the keys of a station's configuration that the lab itself sets, and that the lab's file must not set.
var given = []string{"control", "ports", "bridges", "xconnects"}

// configuration is the configuration of a station as YAML, and the ports in it.
type configuration struct {
	root  *yaml.Node
	ports []port
}

// configure returns the configuration of a station: the lab's own keys and ports, with the further keys of the file,
// and an xconnect of two ports or the bridge br0 over all ports. socket is the path of the daemon's API.
func (d *Document) configure(s *Station, socket string) configuration {
	c := configuration{root: parsed(fmt.Sprintf(stationText, socket, s.Name)), ports: d.ports(s.Name)}
	merge(c.root, s.Config)
	list := &yaml.Node{Kind: yaml.SequenceNode}
	for _, p := range c.ports {
		keys := parsed(p.text)
		merge(keys, p.keys)
		list.Content = append(list.Content, keys)
	}
	set(c.root, "ports", list)
	if c.crossed(s) {
		set(c.root, "xconnects", parsed(fmt.Sprintf("[{edge: %q, link: %s}]", c.ports[1].name, c.ports[0].name)))
		return c
	}
	bridge, members := parsed("{name: br0}"), &yaml.Node{Kind: yaml.SequenceNode}
	merge(bridge, s.Bridge)
	for _, p := range c.ports {
		member := parsed(fmt.Sprintf("{port: %q}", p.name))
		merge(member, p.as)
		members.Content = append(members.Content, member)
	}
	set(bridge, "ports", members)
	set(c.root, "bridges", &yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{bridge}})
	return c
}

// crossed reports whether an xconnect joins the two ports of a station, and no bridge.
func (c *configuration) crossed(s *Station) bool {
	return s.Bridge == nil && len(c.ports) == 2 && c.ports[0].link && !c.ports[1].link
}

// text returns the configuration as YAML.
func (c *configuration) text() ([]byte, error) {
	return yaml.Dump(c.root, yaml.WithIndent(2), yaml.WithLineWidth(-1), yaml.WithUnicode(true))
}

// place returns the path in the file of the lab that a path in the daemon's configuration comes from. station is the
// number of the station in the file.
func (c *configuration) place(station int, path string) string {
	at := schema.Element("stations", station)
	if rest, ok := strings.CutPrefix(path, "bridges[0]"); ok {
		if i, rest, ok := element(rest, ".ports"); ok && i < len(c.ports) {
			return c.ports[i].from + ".member" + rest
		}
		return at + ".bridge" + rest
	}
	if i, rest, ok := element(path, "ports"); ok && i < len(c.ports) {
		return c.ports[i].from + ".port" + rest
	}
	return at + ".config." + path
}

// element parses key[i] at the beginning of a path, and returns i and the rest of the path.
func element(path, key string) (i int, rest string, ok bool) {
	number, rest, ok := strings.Cut(strings.TrimPrefix(path, key+"["), "]")
	i, err := strconv.Atoi(number)
	return i, rest, ok && err == nil && strings.HasPrefix(path, key+"[")
}

// checkPorts reports keys in the file that only the lab may set, and keys of a bridge at a station without a bridge.
func (c checks) checkPorts() {
	for i := range c.d.Stations {
		s, path := &c.d.Stations[i], schema.Element("stations", i)
		c.refuse(path+".config", s.Config, given...)
		c.refuse(path+".bridge", s.Bridge, "name", "ports")
		file := configuration{ports: c.d.ports(s.Name)}
		if len(file.ports) == 0 {
			c.FailAt(path+".name", "station %q has no host and no wire", s.Name)
		}
		for _, p := range file.ports {
			if p.as != nil && file.crossed(s) {
				c.FailAt(p.from+".member", "station %s has no bridge but an xconnect: give it the key bridge, as in bridge: {}",
					s.Name)
			}
		}
	}
	for i := range c.d.Hosts {
		c.refusePort(schema.Element("hosts", i), c.d.Hosts[i].Port, c.d.Hosts[i].Member)
	}
	for i := range c.d.Wires {
		c.refusePort(schema.Element("wires", i), c.d.Wires[i].Port, c.d.Wires[i].Member)
	}
}

// refusePort reports those keys of a port, and of the port in the bridge, that the lab gives. path is the place of the
// port's host or wire in the file.
func (c checks) refusePort(path string, port, member *yaml.Node) {
	c.refuse(path+".port", port, "name", "interface", "role", "protocol", "create")
	c.refuse(path+".member", member, "port")
}

// refuse reports those keys of a mapping that the lab gives.
func (c checks) refuse(path string, n *yaml.Node, keys ...string) {
	for _, key := range keys {
		if valueOf(n, key) != nil {
			c.FailAt(schema.Join(path, key), "the lab gives this key itself")
		}
	}
}

// checkStations reports problems of the daemons' configurations, at the keys of the file that they come from.
func (c checks) checkStations() {
	found := map[string]bool{} // a wrong key of a wire is a problem at both of its stations: it is reported once
	for i := range c.d.Stations {
		file := c.d.configure(&c.d.Stations[i], "/run/socket")
		text, err := file.text()
		if err == nil {
			_, err = config.Parse("", text)
		}
		var wrong *schema.Error
		if errors.As(err, &wrong) {
			for _, p := range wrong.Problems {
				path := file.place(i, p.Path)
				if !found[path+p.Text] {
					c.FailAt(path, "%s", p.Text)
				}
				found[path+p.Text] = true
			}
		} else if err != nil {
			c.FailAt(schema.Element("stations", i), "%v", err)
		}
	}
}
