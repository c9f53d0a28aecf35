package api

// PortAddition adds ports to the configuration, with the xconnects and memberships of bridges that they need. Its keys
// are those of the configuration file.
type PortAddition struct {
	// name of the group of ports, by which the group is replaced and removed: letters, digits, "-", "_"; empty: the name
	// of its first port
	Name      string           `json:"name"`
	Ports     []map[string]any `json:"ports"`
	XConnects []map[string]any `json:"xconnects"`
	// new bridges, or the name of an existing bridge and the ports that join it
	Bridges []map[string]any `json:"bridges"`
	Persist bool             `json:"persist"` // the ports outlive a boot; false: they outlive only the process
	// allow interfaces that the host uses itself, with an address, a route, a bridge or a bond
	Force bool `json:"force"`
}

// PortsChanged is the outcome of a change of ports by the API.
type PortsChanged struct {
	Name    string   `json:"name"`    // name of the group of ports
	File    string   `json:"file"`    // file in which the daemon keeps the group
	Ports   []string `json:"ports"`   // ports of the group
	Changed bool     `json:"changed"` // false: the ports were like that already
}

// PortKeys is the keys of a port that a request sets.
type PortKeys struct {
	Set map[string]any `json:"set"` // keys as in the configuration file; null removes a key
}
