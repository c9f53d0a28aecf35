package api

// PortAddition adds ports to the configuration, with the xconnects and memberships of bridges that they need. Its keys
// are those of the configuration file.
type PortAddition struct {
	// by which the addition is replaced and removed: letters, digits, "-", "_"; empty: the name of its first port
	Name      string           `json:"name"`
	Ports     []map[string]any `json:"ports"`
	XConnects []map[string]any `json:"xconnects"`
	Bridges   []map[string]any `json:"bridges"` // new bridges, or the name of one and the ports that join it
	Persist   bool             `json:"persist"` // whether the ports outlive a boot; else they outlive only the process
	// also for interfaces that the host uses itself, with an address, a route, a bridge or a bond
	Force bool `json:"force"`
}

// PortsChanged is the outcome of a change of ports by the API.
type PortsChanged struct {
	Name    string   `json:"name"`    // of the addition
	File    string   `json:"file"`    // in which the daemon keeps it
	Ports   []string `json:"ports"`   // of the addition
	Changed bool     `json:"changed"` // false: all was so already
}

// PortKeys is keys of a port to be set.
type PortKeys struct {
	Set map[string]any `json:"set"` // as in the configuration file; null takes a key away
}
