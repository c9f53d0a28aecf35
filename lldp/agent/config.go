package agent

import (
	"errors"
	"fmt"
	"net/netip"

	"uelink/lldp"
	"uelink/lldp/dcbnl"
	"uelink/lldp/dcbx"
	"uelink/lldp/ue"
	"uelink/wire"
)

// Config is what the agents of a station are opened with.
type Config struct {
	System System
	Ports  []Port
	// Negotiated is told every new result of the UE negotiation of a port. It is
	// called by Run and by SetOffer and must neither block nor call back.
	Negotiated func(port string, r ue.Result)
	// DCB is told what DCBX has come to on a port each time that it changes, as compared to
	// the zero DCB that a port begins with. It is called by Run, Reload and Close and must
	// neither block nor call back.
	DCB func(port string, d DCB)
	// Apply programs a NIC; nil: dcbnl.Apply. It may be called from any goroutine.
	Apply func(ifname string, s dcbnl.Settings) error
}

// System is what the station says of itself on every port.
type System struct {
	Name            string      // empty: the host name
	Description     string      // empty: the kernel's name, release and machine
	Chassis         lldp.Policy // zero: ifname; made by lldp.ParseChassisPolicy
	HasCapabilities bool
	Capabilities    lldp.Capabilities
	Management      []netip.Addr // management addresses
	ManagementAuto  bool         // and the first global IPv4 and IPv6 address that the host has
	UEOUI           lldp.OUI     // zero: ue.DefaultOUI
}

// Port is one interface.
type Port struct {
	Name         string // unique
	Interface    string
	Mode         lldp.AdminStatus
	Destinations []wire.MAC  // one agent for each; none: the nearest bridge
	ID           lldp.Policy // zero: ifname; made by lldp.ParsePortPolicy
	Description  string      // empty: the interface's alias, else its name
	Custom       []lldp.Org
	Timers       lldp.Timers // zero: the defaults
	MaxNeighbors int         // 0: lldp.DefaultMaxNeighbors

	// UE is what the port offers to its UE partner, DCBX the parameters of DCBX,
	// nil for off, and Providers are others who contribute TLVs. All of them take
	// part in the agent of the nearest bridge only.
	UE        ue.Options
	DCBX      *dcbx.Local
	DCBNL     bool // the NIC is programmed by what DCBX has come to
	Providers []lldp.Provider
}

// complete puts the defaults in and tells what is wrong.
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
	}
	return nil
}

// dcbxCredit is txCreditMax of a port with DCBX: "The txDelay (minimum delay between
// successive transmitted LLDP frames) is also set to one second as a DCBX default" (DCBX,
// 2.3.1.1).
const dcbxCredit = 1

// SetCredit sets a txCreditMax of 0 to its default.
func (p *Port) SetCredit() {
	switch {
	case p.Timers.TxCreditMax != 0:
	case p.DCBX != nil:
		p.Timers.TxCreditMax = dcbxCredit
	default:
		p.Timers.TxCreditMax = lldp.DefaultTimers().TxCreditMax
	}
}

// complete puts the defaults in and tells what is wrong.
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
	if c.Apply == nil {
		c.Apply = dcbnl.Apply
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
			problems = append(problems, fmt.Errorf("port %s on %s is there twice", p.Name, p.Interface))
		}
		names[p.Name], interfaces[p.Interface] = true, true
	}
	c.Ports = ports
	return errors.Join(problems...)
}
