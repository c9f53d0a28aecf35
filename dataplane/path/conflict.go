package path

import (
	"encoding/binary"
	"fmt"
	"net"
	"strings"

	"uelink/dataplane/acd"
	"uelink/dataplane/model"
	"uelink/internal/events"
	"uelink/wire"
)

// conflicts finds IPv4 addresses that two hosts use.
type conflicts struct {
	table acd.Table // addresses that the hosts behind the ports claim
}

// receivedARP handles an ARP frame that came in by a port and is forwarded. It records which host claims an IPv4
// address. At an edge, it also records the addresses for which the edge's own host asks: all frames for this host pass
// the edge, so every answer is seen. vlan is the VLAN of the frame in the bridge; 0: the VLAN of the frame's tag
// counts. A frame with two tags is left out: hosts of two inner VLANs may have the same address.
func (t *conflicts) receivedARP(d *Domain, p *Port, f []byte, vlan uint16, now wire.Time) {
	rest := f[wire.HeaderLen:]
	tci, tagged, fault := wire.ParseVLAN(f[wire.AddressesLen:])
	if tagged && fault == wire.NoFault {
		rest = f[wire.HeaderLen+wire.VLANTagLen:]
	}
	if vlan == 0 {
		vlan = tci & wire.VIDMask
	}
	if binary.BigEndian.Uint16(f[len(f)-len(rest)-2:]) != wire.EtherTypeARP {
		return
	}
	if packet, ok := acd.Parse(rest); ok {
		t.table.Received(packet, p.Number, vlan, now)
		if host := p.findings.twin.host; packet.Kind == acd.Asks && packet.MAC == host {
			p.findings.asked.Asks(packet.Target, vlan, now)
		}
		for _, e := range d.Edges {
			e.findings.asked.Answered(packet.IP, vlan)
		}
	}
}

// report publishes an event when hosts at two ports begin to use the same IP address, or no longer do, and then updates
// the texts of the ports (update).
func (t *conflicts) report(d *Domain, h *model.Hub, now wire.Time) {
	for {
		c, over, ok := t.table.Poll(now)
		if !ok {
			break
		}
		port, text := t.text(d, &c)
		if over {
			h.PublishAt(events.Info, port, model.EventConflict, "over: "+c.Address()+" has had one user for a minute")
		} else {
			h.Publish(port, model.EventConflict, text)
		}
	}
	if t.table.Changed() {
		t.update(d, now)
	}
}

// conflictsShown is how many addresses the text of a port names.
const conflictsShown = 3

// update writes the texts of all ports (findings.conflicts) again: the first conflictsShown of the present conflicts
// that a port reports, and the number of the others.
func (t *conflicts) update(d *Domain, now wire.Time) {
	texts := map[string][]string{}
	for _, c := range t.table.Conflicts(nil, now) {
		port, text := t.text(d, &c)
		texts[port] = append(texts[port], text)
	}
	for _, p := range d.ports {
		if p == nil {
			continue
		}
		list := texts[p.settings.Name]
		if more := len(list) - conflictsShown; more > 0 {
			list = append(list[:conflictsShown], fmt.Sprintf("%d more addresses are used by two hosts each", more))
		}
		p.findings.conflicts = strings.Join(list, "; ")
	}
}

// text returns in words that two hosts use an address, and the name of the port that reports it: an edge, if a
// host is at one.
func (t *conflicts) text(d *Domain, c *acd.Conflict) (port, text string) {
	first, second := c.Hosts[0], c.Hosts[1]
	if rank(d.port(second.Port)) < rank(d.port(first.Port)) {
		first, second = second, first
	}
	return d.PortName(first.Port), fmt.Sprintf("the IP address %s is used by two hosts: %s and %s: change it at one of "+
		"them", c.Address(), t.place(d, first), t.place(d, second))
}

// place returns the address of a host and its port in words.
func (t *conflicts) place(d *Domain, h acd.Host) string {
	preposition := "at"
	if p := d.port(h.Port); p != nil && p.link != nil {
		preposition = "behind"
	}
	return fmt.Sprintf("%v %s %s", net.HardwareAddr(h.MAC[:]), preposition, d.PortName(h.Port))
}

// rank orders ports: edges by number, then links, then none.
func rank(p *Port) int {
	switch {
	case p == nil:
		return 1 << 20
	case p.link != nil:
		return 1<<16 + p.Number
	}
	return p.Number
}
