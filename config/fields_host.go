package config

import (
	"fmt"
	"net/netip"

	"uelink/config/schema"
	"uelink/dataplane/model"
	"uelink/wire"
)

// hostEntry describes the interface that the daemon creates for the host at an edge.
type hostEntry struct {
	create    bool
	name      string
	addresses []netip.Prefix
	mac       wire.MAC // zero: auto
}

// hostFields returns the schema of the configuration keys of an edge whose veth the daemon creates.
func hostFields() schema.Section[portEntry] {
	return schema.Section[portEntry]{
		schema.Value("create", schema.Boolean(), "false",
			"Edge only. The daemon creates `interface` as one end of a veth pair; through the other end, `host_interface`, the host itself uses the link. The pair stays when the daemon ends, and the next start takes it over; it goes when the configuration no longer has it, or by `uelink down`. Its MTU is the link's MTU less the shim.",
			func(p *portEntry) *bool { return &p.host.create }),
		schema.Value("host_interface", optional(interfaceName(maxInterfaceName)), "", "With `create`. Name of the kernel's end; unique.",
			func(p *portEntry) *string { return &p.host.name }),
		schema.Scalars("address", prefix(), 0, "",
			"With `create`. Addresses of the kernel's end with the length of their prefix; other addresses are removed from it. With an empty list the daemon leaves addresses alone.",
			func(p *portEntry, list []netip.Prefix) { p.host.addresses = list }),
		schema.Value("mac", schema.OrAuto(stationAddress()), "auto",
			"With `create`. Hardware address of the kernel's end. `auto`: drawn at random once, and kept in the state folder; another one is drawn on another machine, or behind a link with another permanent address. A veth that is there keeps its address.",
			func(p *portEntry) *wire.MAC { return &p.host.mac }),
	}
}

// optional returns a schema.Kind that accepts an empty text and the values of k.
func optional(k schema.Kind[string]) schema.Kind[string] {
	return schema.NewKind(k.Values+", empty", k.JSON, func(s schema.Scalar) (string, error) {
		if s.Text == "" {
			return "", nil
		}
		return k.Parse(s)
	})
}

// prefix returns the schema.Kind that parses an IP address of a host with the length of its prefix, as
// 10.0.0.1/24.
func prefix() schema.Kind[netip.Prefix] {
	parse := func(s schema.Scalar) (netip.Prefix, error) {
		p, err := netip.ParsePrefix(s.Text)
		if err != nil || p.Addr().Is4In6() {
			return p, fmt.Errorf("%q is not an address with its prefix, such as 10.0.0.1/24", s.Text)
		}
		if p.Addr().IsUnspecified() || p.Addr().IsMulticast() {
			return p, fmt.Errorf("%s is not an address that a host can have", s.Text)
		}
		if p.Addr().Is4() && p.Bits() < 31 && p == p.Masked() {
			return p, fmt.Errorf("%s is the address of a network, not one of a host in it", s.Text)
		}
		return p, nil
	}
	return schema.NewKind("ADDRESS/LENGTH", schema.StringJSON(`^[0-9a-fA-F.:]+/[0-9]+$`), parse)
}

// edgeFields returns the schema of the configuration keys that only an edge port has: push_back, offload.
func edgeFields() schema.Section[model.PortSettings] {
	return schema.Section[model.PortSettings]{
		schema.Value("push_back", schema.Choice(model.PushBackAuto, model.PushBackOn, model.PushBackOff), "auto",
			"Edge on a veth only. Leave frames with the host until there is room for them, so that the host's senders wait and no frame is dropped (Linux 6.16). The daemon gives the host's end of the veth a queueing discipline (`tbf` without a limit of the rate), or `gso_max_segs 16` if the host's end has a queueing discipline already. When push back ends, the daemon removes the discipline, or restores the former value. Beginning and ending push back costs frames that the host sends in that moment (`host_tx_dropped`, `host_qdisc_dropped`); push back ends only when no frames are stuck with the host. A trial at the start shows whether push back works. `on`: a port where push back does not work has a problem. `auto`: on for an edge with `create: true` where push back works, off elsewhere.",
			func(p *model.PortSettings) *model.PushBack { return &p.PushBack }),
		schema.Value("offload", schema.Choice(model.OffloadAuto, model.OffloadOn, model.OffloadOff), "auto",
			"Edge on a veth only. Exchange frames of up to 64 kB (super-frames) with the host, as an interface with TSO and LRO does: the daemon cuts and joins frames, and the offloads of the host stay on. The frames come by a packet socket with 80 MB of memory, without an XDP program on the interface; a filter of tc keeps the network stack of the daemon's namespace from them. `auto`: on where super-frames work and the edge does not push back, off elsewhere. `on`: `push_back: auto` means off. A port where super-frames do not work has a problem, and works without them.",
			func(p *model.PortSettings) *model.Offload { return &p.Offload }),
	}
}

// checkHost checks the keys of the veth that the daemon creates at an edge (create: true), and describes the host's end
// of the veth in the port's settings. Without create, and for another role, it refuses the keys of the veth.
func (w checks) checkHost(p *portEntry, path string) {
	h := &p.host
	if p.frames.Role == model.RoleLink || p.frames.Role == model.RoleHost {
		refuse(w, hostFields(), path, "edge")
		refuse(w, schema.Within(edgeFields(), frames), path, "edge")
		return
	}
	if w.Wrong(schema.Join(path, "create")) {
		return
	}
	if !h.create {
		if h.name != "" {
			w.FailAt(schema.Join(path, "host_interface"), "this needs create: true")
		}
		if len(h.addresses) > 0 {
			w.FailAt(schema.Join(path, "address"), "this needs create: true")
		}
		if h.mac != (wire.MAC{}) {
			w.FailAt(schema.Join(path, "mac"), "this needs create: true")
		}
		return
	}
	if h.name == "" && !w.Wrong(schema.Join(path, "host_interface")) {
		w.FailAt(schema.Join(path, "create"), "create: true needs host_interface, the name of the kernel's end")
	}
	if n := len(p.frames.Interface); n > maxInterfaceName {
		w.FailAt(schema.Join(path, "interface"), "%q is longer than the %d octets of the name of a new interface "+
			"(create: true)", p.frames.Interface, maxInterfaceName)
	}
	if p.frames.Offloads == model.OffloadsLeave {
		w.FailAt(schema.Join(path, "offloads"),
			"create: true needs the offloads off: with offloads the daemon would compute "+
				"checksums in place of the host, on the same CPUs")
	}
	if n := repeated(h.addresses); n >= 0 {
		w.FailAt(schema.Element(schema.Join(path, "address"), n), "%v is there already", h.addresses[n])
	}
	p.frames.Host = &model.HostInterface{Name: h.name, Addresses: h.addresses, MAC: h.mac}
}

// checkHostNames refuses a host_interface that is also an interface or host_interface of another port. interfaces
// maps the interfaces to the indexes of their ports.
func (w checks) checkHostNames(ports []portEntry, interfaces map[string]int) {
	hosts := map[string]int{}
	for i, p := range ports {
		path, name := schema.Join(schema.Element("ports", i), "host_interface"), p.host.name
		if name == "" {
			continue
		}
		if first, twice := interfaces[name]; twice {
			w.FailAt(path, "%q is already the interface of ports[%d]", name, first)
		}
		if first, twice := hosts[name]; twice {
			w.FailAt(path, "%q is already the host_interface of ports[%d]", name, first)
		}
		hosts[name] = i
	}
}
