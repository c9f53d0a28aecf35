package topology

import (
	"net/netip"
	"regexp"
	"strconv"

	"uelink/config/schema"
	"uelink/internal/spelling"
	"uelink/lab/cable"
	"uelink/wire"
)

// checks compares the values of a document with each other.
type checks struct {
	*schema.Walk
	d *Document
}

// check reports problems between values, and fills in the values that the file leaves to the lab.
func (c checks) check() {
	few := c.few("stations", len(c.d.Stations), 1, maxStations)
	few = c.few("hosts", len(c.d.Hosts), 1, maxHosts) && few
	few = c.few("wires", len(c.d.Wires), 0, maxWires) && few
	if !few { // checking thousands of names would take long
		return
	}
	c.checkNames()
	c.checkHosts()
	c.checkWires()
	if c.Right() {
		c.checkLoops()
		c.checkPorts()
	}
	if c.Right() {
		c.checkStations()
	}
}

// few reports whether a list has from least to most elements; another number is a problem.
func (c checks) few(key string, n, least, most int) bool {
	switch {
	case n < least && !c.Wrong(key):
		c.FailAt(key, "the list is empty: a lab needs at least one entry")
	case n > most:
		c.FailAt(key, "the list has %d entries, and a lab at most %d", n, most)
	}
	return n >= least && n <= most
}

// maxInterface is the most characters of the name of an interface (IFNAMSIZ).
const maxInterface = 15

// ofLink matches the names that the ports of wires have at their stations.
var ofLink = regexp.MustCompile(`^link[0-9]+$`)

// checkNames gives wires their names, and reports names that are used twice or that an interface cannot have.
func (c checks) checkNames() {
	first := map[string]string{} // for each name, the path in the file where it was used first
	add := func(path, name string) {
		if name == "" { // reported already
			return
		}
		if at, twice := first[name]; twice {
			c.FailAt(path, "the name %q is used already (%s)", name, c.Place(at))
			return
		}
		first[name] = path
	}
	for i, s := range c.d.Stations {
		add(schema.Element("stations", i)+".name", s.Name)
	}
	for i, h := range c.d.Hosts {
		path := schema.Element("hosts", i) + ".name"
		add(path, h.Name)
		switch {
		case len(h.Name) > maxInterface:
			c.FailAt(path, "%q has %d characters: an interface gets this name, which may have at most %d", h.Name,
				len(h.Name), maxInterface)
		case h.Name == "lo" || h.Name == "all" || h.Name == "default" || ofLink.MatchString(h.Name):
			c.FailAt(path, "an interface would get the name %q, which stations use otherwise: choose another name", h.Name)
		}
	}
	for i := range c.d.Wires {
		w := &c.d.Wires[i]
		if w.Name == "" {
			w.Name = "wire" + strconv.Itoa(i)
		}
		add(schema.Element("wires", i)+".name", w.Name)
	}
}

// station reports whether there is a station with this name. If not, it adds a problem at path, with the most similar
// name of a station as a hint.
func (c checks) station(path, name string) bool {
	var names []string
	for _, s := range c.d.Stations {
		if s.Name == name {
			return true
		}
		names = append(names, s.Name)
	}
	hint := ""
	if near := spelling.Nearest(name, names); near != "" {
		hint = ": did you mean " + near + "?"
	}
	c.FailAt(path, "there is no station %q%s", name, hint)
	return false
}

// network is the network of addresses that the lab chooses.
var network = netip.AddrFrom4([4]byte{10, 77, 0, 0})

// checkHosts gives hosts without an address one by their place in the file (10.77.0.1 to the first), and reports
// addresses that are used twice, and hosts whose station is missing.
func (c checks) checkHosts() {
	first := map[netip.Addr]string{}
	last := network
	for i := range c.d.Hosts {
		h, path := &c.d.Hosts[i], schema.Element("hosts", i)
		if h.Station != "" {
			c.station(path+".station", h.Station)
		}
		last = last.Next()
		if c.Wrong(path + ".address") {
			continue
		}
		if !h.Address.IsValid() {
			h.Address = netip.PrefixFrom(last, 24)
		}
		if at, twice := first[h.Address.Addr()]; twice {
			c.FailAt(path+".address", "the address %s is used already (%s)", h.Address.Addr(), c.Place(at))
			continue
		}
		first[h.Address.Addr()] = path + ".address"
	}
}

// checkWires gives wires their MTU, and reports wires without two ends, and values of faults that a cable refuses.
func (c checks) checkWires() {
	mtu := 0
	for _, h := range c.d.Hosts {
		mtu = max(mtu, h.MTU)
	}
	for i := range c.d.Wires {
		w, path := &c.d.Wires[i], schema.Element("wires", i)
		if w.MTU == 0 {
			w.MTU = mtu + wire.Overhead
		}
		c.checkEnds(path+".ends", w.Ends)
		if !w.hasCable() || c.Wrong(path) {
			continue
		}
		if _, err := cable.Parse(w.arguments("control")); err != nil {
			c.FailAt(path, "%v", err)
		}
		if w.Faults.Loss == 1 || w.Faults.Corrupt == 1 {
			c.FailAt(path, "the wire loses or damages every frame, so that no link comes up: choose a share below 1")
		}
	}
}

// checkEnds adds a problem if the ends of a wire are not two different stations. path is the place of ends in the file.
func (c checks) checkEnds(path string, ends []string) {
	if c.Wrong(path) {
		return
	}
	if len(ends) != 2 {
		c.FailAt(path, "a wire joins two stations: name both, as in ends: [A, B]")
		return
	}
	ok := true
	for i, name := range ends {
		ok = c.station(schema.Element(path, i), name) && ok
	}
	if ok && ends[0] == ends[1] {
		c.FailAt(path, "both ends are at %s: a wire joins two stations", ends[0])
	}
}

// checkLoops reports wires between stations that earlier wires join already: bridges have no spanning tree.
func (c checks) checkLoops() {
	root := map[string]string{} // for each station, another station that earlier wires join with it; "": none
	find := func(name string) string {
		for root[name] != "" {
			name = root[name]
		}
		return name
	}
	for i, w := range c.d.Wires {
		a, b := find(w.Ends[0]), find(w.Ends[1])
		if a == b {
			c.FailAt(schema.Element("wires", i)+".ends",
				"this wire closes a loop: other wires join %s and %s already, and no station has a spanning tree; take a wire out",
				w.Ends[0], w.Ends[1])
			continue
		}
		root[a] = b
	}
}
