package control

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"uelink/control/api"
	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/lldp/station"
)

// A request names a port by the port's name or by the name of its interface. If a port has the same name as the
// interface of another port, the request is for the port with that name.

// named is a port and its interface.
type named struct{ port, iface string }

// namesMax bounds the ports in an error.
const namesMax = 16

// find returns the name of the port that has the given name, or else of the port whose interface has that name;
// found is false if there is none.
func find(ports []named, name string) (port string, found bool) {
	for _, matches := range []func(named) bool{
		func(n named) bool { return n.port == name },
		func(n named) bool { return n.iface == name },
	} {
		if i := slices.IndexFunc(ports, matches); i >= 0 {
			return ports[i].port, true
		}
	}
	return "", false
}

// choice returns a sentence that lists ports, at most namesMax of them: "the link ports are edge0 (veth1), link0
// (eth1)". noun is the word for the ports.
func choice(ports []named, noun string) string {
	var list []string
	for _, n := range ports {
		text := n.port
		if n.iface != n.port && n.iface != "" {
			text += " (" + n.iface + ")"
		}
		list = append(list, text)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	switch n := len(list); {
	case n == 0:
		return "there are no " + noun
	case n > namesMax:
		return fmt.Sprintf("the %s are %s and %d more", noun, strings.Join(list[:namesMax], ", "), n-namesMax)
	}
	return "the " + noun + " are " + strings.Join(list, ", ")
}

// namesOf returns the names and interfaces of ports.
func namesOf(ports []api.Port) (list []named) {
	for _, p := range ports {
		list = append(list, named{p.Name, p.Interface})
	}
	return list
}

// portNamed returns a snapshot of the port with that name or interface. The error for an unknown name lists the
// ports.
func (s *Server) portNamed(name string) (api.Port, error) {
	ports := s.ports()
	port, found := find(namesOf(ports), name)
	if !found {
		return api.Port{}, fmt.Errorf("port %s: %w: %s", name, dataplane.ErrNoPort, choice(namesOf(ports), "ports"))
	}
	return ports[slices.IndexFunc(ports, func(p api.Port) bool { return p.Name == port })], nil
}

// linkNamed returns a snapshot of the link port with that name or interface. The error for any other port lists
// the link ports.
func (s *Server) linkNamed(name string) (api.Port, error) {
	p, err := s.portNamed(name)
	if err != nil || p.LLR != nil {
		return p, err
	}
	cause := dataplane.ErrNotLink
	if p.HIPPI != nil {
		cause = dataplane.ErrNotLLR
	}
	links := slices.DeleteFunc(s.ports(), func(p api.Port) bool { return p.LLR == nil })
	return p, fmt.Errorf("port %s: %w: %s", p.Name, cause, choice(namesOf(links), "link ports"))
}

// framesNamed returns the name of the port with that name or interface, if the data plane moves its frames; a port
// of role host is an error.
func (s *Server) framesNamed(name string) (string, error) {
	p, err := s.portNamed(name)
	if err == nil && p.Role == model.RoleHost.String() {
		text := fmt.Sprintf("port %s has role host, so the kernel moves its frames: see ip -s link show %s", p.Name,
			p.Interface)
		return "", &api.Error{Status: http.StatusConflict, Message: text, Field: "port"}
	}
	return p.Name, err
}

// lldpNamed returns the name of the port with LLDP that has that name or interface. The error for any other port
// lists the ports with LLDP.
func (s *Server) lldpNamed(name string) (string, error) {
	var ports []named
	for _, i := range s.lldp.Interfaces() {
		ports = append(ports, named{i.Port, i.Interface})
	}
	if port, found := find(ports, name); found {
		return port, nil
	}
	list := choice(ports, "ports with LLDP")
	if port, found := find(namesOf(s.ports()), name); found {
		return "", fmt.Errorf("port %s: %w: LLDP is off there: set its lldp.mode to rx-tx; %s", port, station.ErrNoPort,
			list)
	}
	return "", fmt.Errorf("port %s: %w: %s", name, station.ErrNoPort, list)
}

// noDCBX returns the error of a request about DCBX for a port without DCBX.
func (s *Server) noDCBX(port string) error {
	var ports []named
	for _, d := range s.lldp.DCBX() {
		ports = append(ports, named{d.Port, d.Interface})
	}
	text := fmt.Sprintf("port %s: DCBX is off: set its dcbx.mode to on; %s", port, choice(ports, "ports with DCBX"))
	return &api.Error{Status: http.StatusConflict, Message: text, Field: "port"}
}
