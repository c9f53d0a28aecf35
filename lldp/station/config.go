package station

import (
	"errors"
	"fmt"
	"net/netip"

	"uelink/lldp"
	"uelink/lldp/dcbnl"
	"uelink/lldp/dcbx"
	"uelink/lldp/dcbx/dialect"
	"uelink/lldp/dcbx/ieee"
	"uelink/lldp/ue"
	"uelink/wire"
)

// Config is the configuration of the agents of a station.
type Config struct {
	System System
	Ports  []Port
	// Negotiated receives every new result of the UE negotiation of a port. Run and SetOffer call
	// it; it must neither block nor call back.
	Negotiated func(port string, r ue.Result)
	// DCB receives every change of the outcome of DCBX on a port, starting from the zero DCB of a
	// new port. Run, Reload and Close call it; it must neither block nor call back.
	DCB func(port string, d DCB)
	NIC NIC // programs NICs; nil: the kernel does
}

// System is the station's description, the same on every port.
type System struct {
	Name            string      // empty: the host name
	Description     string      // empty: the kernel's name, release and machine
	Chassis         lldp.Policy // zero: ifname; made by lldp.ParseChassisPolicy
	HasCapabilities bool
	Capabilities    lldp.Capabilities
	Management      []netip.Addr // management addresses
	ManagementAuto  bool         // adds the host's first global IPv4 and IPv6 address
	UEOUI           lldp.OUI     // zero: ue.DefaultOUI
}

// Port is one interface.
type Port struct {
	Name         string // unique
	Interface    string
	Mode         lldp.AdminStatus
	Destinations []wire.MAC  // an agent for each; none: the nearest bridge
	ID           lldp.Policy // zero: ifname; made by lldp.ParsePortPolicy
	Description  string      // empty: the interface's alias, or without an alias its name
	Custom       []lldp.Org
	Timers       lldp.Timers // zero: the defaults
	MaxNeighbors int         // 0: lldp.DefaultMaxNeighbors

	// UE is the port's offer to its UE partner. DCBX are the parameters of DCBX in the dialect of CEE; nil: DCBX is off.
	// Providers contribute other TLVs. All three work in the agent of the nearest bridge only.
	UE        ue.Options
	Wishes    ue.Wishes // settings of DCBX in the configuration, sent to the neighbour even while DCBX is off
	DCBX      *dcbx.Local
	Dialect   dialect.Version // dialect of DCBX
	IEEE      *ieee.Local     // parameters of DCBX in the dialect of IEEE; nil: field DCBX, converted
	DCBNL     bool            // program the NIC with the outcome of DCBX
	Providers []lldp.Provider
}

// complete sets the defaults of a port's configuration and returns an error that names a mistake in it.
func (p *Port) complete() error {
	if p.Interface == "" {
		return fmt.Errorf("port %s: no interface", p.Name)
	}
	if len(p.Destinations) == 0 {
		p.Destinations = []wire.MAC{lldp.NearestBridge}
	}
	if p.Timers == (lldp.Timers{}) {
		p.Timers = lldp.DefaultTimers()
		p.Timers.TxCreditMax = 0
	}
	p.SetCredit()
	if err := p.Timers.Validate(); err != nil {
		return fmt.Errorf("port %s: %w", p.Name, err)
	}
	if p.UE.CBFC {
		if err := p.UE.Credit.Validate(); err != nil {
			return fmt.Errorf("port %s: %w", p.Name, err)
		}
	}
	if p.UE.Size != (ue.CreditSize{}) {
		if err := p.UE.Size.Validate(); err != nil {
			return fmt.Errorf("port %s: %w", p.Name, err)
		}
	}
	if p.DCBX != nil {
		if err := p.DCBX.Validate(); err != nil {
			return fmt.Errorf("port %s: %w", p.Name, err)
		}
		local := p.ieee()
		if err := local.Validate(); err != nil {
			return fmt.Errorf("port %s: %w", p.Name, err)
		}
	}
	return nil
}

// dcbxCredit is txCreditMax of a port with DCBX: "The txDelay (minimum delay between successive
// transmitted LLDP frames) is also set to one second as a DCBX default" (DCBX, 2.3.1.1).
const dcbxCredit = 1

// SetCredit replaces a txCreditMax of 0 by the default.
// Clauses: DCBX/fast.5.
func (p *Port) SetCredit() {
	switch {
	case p.Timers.TxCreditMax != 0:
	case p.DCBX != nil:
		p.Timers.TxCreditMax = dcbxCredit
	default:
		p.Timers.TxCreditMax = lldp.DefaultTimers().TxCreditMax
	}
}

// complete sets the defaults of the whole configuration and returns an error that names all mistakes in it.
func (c *Config) complete() error {
	if c.System.UEOUI == (lldp.OUI{}) {
		c.System.UEOUI = ue.DefaultOUI
	}
	if c.Negotiated == nil {
		c.Negotiated = func(string, ue.Result) {}
	}
	if c.DCB == nil {
		c.DCB = func(string, DCB) {}
	}
	if c.NIC == nil {
		c.NIC = dcbnl.Kernel{}
	}
	names := map[string]bool{}
	interfaces := map[string]bool{}
	var problems []error
	ports := make([]Port, len(c.Ports))
	copy(ports, c.Ports)
	for i := range ports {
		p := &ports[i]
		problems = append(problems, p.complete())
		if names[p.Name] || interfaces[p.Interface] {
			problems = append(problems, fmt.Errorf("port %s on %s is configured twice", p.Name, p.Interface))
		}
		names[p.Name], interfaces[p.Interface] = true, true
	}
	c.Ports = ports
	return errors.Join(problems...)
}
