package model

import (
	"fmt"
	"net"

	"uelink/wire"
)

// Role is the purpose of a port.
type Role uint8

// The roles of a port; 0 is no role.
const (
	RoleLink Role = iota + 1 // speaks the UE link protocol with one partner
	RoleEdge                 // plain Ethernet
	RoleHost                 // stays the kernel's: the data plane does nothing with the interface
)

// String returns the port role's name in the configuration: none, link, edge or host; "?" for any other value.
func (r Role) String() string {
	return [...]string{"none", "link", "edge", "host", "?"}[min(r, RoleHost+1)]
}

// MarshalText returns the port role's name in the configuration (link, edge, host) as octets. The error is always
// nil.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// Protocol is the protocol that a port of role link speaks with its partner.
type Protocol uint8

// The link protocols.
const (
	LLR       Protocol = iota // LLR and CBFC of Ultra Ethernet
	HIPPI6400                 // HIPPI-6400-PH
)

// String returns the protocol's name in the configuration: llr or hippi6400; "?" for any other value.
func (p Protocol) String() string { return [...]string{"llr", "hippi6400", "?"}[min(p, HIPPI6400+1)] }

// MarshalText returns the link protocol's name in the configuration (llr, hippi6400) as octets. The error is always
// nil.
func (p Protocol) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// LLRMode selects how LLR is switched on: never, by configuration and commands, or by agreement over LLDP.
type LLRMode uint8

// The LLR modes of a port.
const (
	LLROff     LLRMode = iota
	LLRStatic          // on as the configuration and commands say
	LLRDynamic         // on while both ends offer LLR by LLDP
)

// String returns the LLR mode's name in the configuration: off, static or dynamic; "?" for any other value.
func (m LLRMode) String() string {
	return [...]string{"off", "static", "dynamic", "?"}[min(m, LLRDynamic+1)]
}

// MarshalText returns the LLR mode's name in the configuration (off, static, dynamic) as octets. The error is always
// nil.
func (m LLRMode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Encapsulation selects the outer addresses of a link's data frames.
type Encapsulation uint8

// The encapsulations.
const (
	Transparent Encapsulation = iota // addresses of the carried frame
	Addressed                        // addresses of the two ends of the link
)

// String returns the encapsulation's name in the configuration: transparent or addressed; "?" for any other value.
func (e Encapsulation) String() string {
	return [...]string{"transparent", "addressed", "?"}[min(e, Addressed+1)]
}

// MarshalText returns the encapsulation's name in the configuration (transparent, addressed) as octets. The error is
// always nil.
func (e Encapsulation) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// MTU selects the action for an interface whose MTU is too small for a link.
type MTU uint8

// The actions for an MTU that is too small.
const (
	MTUAuto  MTU = iota // as MTUSet, but only report the problem on an interface in use by the host
	MTUCheck            // refuse the interface
	MTUSet              // raise the MTU, and put it back when the daemon leaves
)

// String returns the name in the configuration of how the daemon treats an interface's MTU: auto, check or set.
func (m MTU) String() string { return [...]string{"auto", "check", "set", "?"}[min(m, MTUSet+1)] }

// MarshalText returns auto, check or set, how the daemon treats an interface's MTU, as octets. The error is always
// nil.
func (m MTU) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Offloads selects the action for checksum and segmentation offloads of an interface.
type Offloads uint8

// The actions for offloads.
const (
	OffloadsAuto  Offloads = iota // as OffloadsOff; OffloadsLeave for a link on an interface in use by the host
	OffloadsLeave                 // leave the offloads unchanged
	OffloadsOff                   // switch the offloads off, and put them back when the daemon leaves
)

// String returns the name in the configuration of how the daemon treats an interface's offloads: auto, leave or off.
func (o Offloads) String() string {
	return [...]string{"auto", "leave", "off", "?"}[min(o, OffloadsOff+1)]
}

// MarshalText returns auto, leave or off, how the daemon treats an interface's offloads, as octets. The error is
// always nil.
func (o Offloads) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Promiscuous selects whether an interface accepts frames for foreign addresses.
type Promiscuous uint8

// The settings of promiscuous mode.
const (
	PromiscuousAuto Promiscuous = iota // as PromiscuousOn, but PromiscuousOff for a link where the host uses the interface
	PromiscuousOn                      // on while the daemon has the interface
	PromiscuousOff                     // left unchanged
)

// String returns the setting of promiscuous mode as in the configuration: auto, true or false.
func (p Promiscuous) String() string {
	return [...]string{"auto", "true", "false", "?"}[min(p, PromiscuousOff+1)]
}

// MarshalText returns the setting of promiscuous mode as in the configuration (auto, true, false) as octets. The
// error is always nil.
func (p Promiscuous) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// PushBack selects whether an edge leaves frames with the host until there is room for them.
type PushBack uint8

// The settings of push_back.
const (
	PushBackAuto PushBack = iota // on where the data plane makes the veth (HostInterface) and it works; else off
	PushBackOn
	PushBackOff
)

// String returns the setting push_back as in the configuration: auto, on or off.
func (b PushBack) String() string {
	return [...]string{"auto", "on", "off", "?"}[min(b, PushBackOff+1)]
}

// MarshalText returns the setting push_back as in the configuration (auto, on, off) as octets. The error is always
// nil.
func (b PushBack) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// Offload selects whether super-frames pass between an edge and its host.
type Offload uint8

// The settings of offload.
const (
	OffloadOff Offload = iota
	OffloadOn
	OffloadAuto
)

// String returns the setting offload as in the configuration: off, on or auto.
func (o Offload) String() string { return [...]string{"off", "on", "auto", "?"}[min(o, OffloadAuto+1)] }

// MarshalText returns the setting offload as in the configuration (off, on, auto) as octets. The error is always nil.
func (o Offload) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// LinkLoss selects whether the host of an xconnect learns by its carrier that the link is lost.
type LinkLoss uint8

// The settings of link_loss.
const (
	LinkLossIgnore  LinkLoss = iota
	LinkLossForward          // the host's carrier goes and comes with the link
)

// String returns the setting link_loss as in the configuration: ignore or forward.
func (l LinkLoss) String() string {
	return [...]string{"ignore", "forward", "?"}[min(l, LinkLossForward+1)]
}

// MarshalText returns the setting link_loss as in the configuration (ignore, forward) as octets. The error is always
// nil.
func (l LinkLoss) MarshalText() ([]byte, error) { return []byte(l.String()), nil }

// UnmarshalText sets the LLR mode by its name in the configuration: off, static or dynamic. Any other text is an
// error.
func (m *LLRMode) UnmarshalText(text []byte) error { return parse(text, m, LLROff, LLRDynamic) }

// UnmarshalText sets the encapsulation by its name in the configuration: transparent or addressed. Any other text is
// an error.
func (e *Encapsulation) UnmarshalText(text []byte) error {
	return parse(text, e, Transparent, Addressed)
}

// parse sets the setting *into to the value from first to last whose String is text; any other text is an error, and
// changes nothing.
func parse[S interface {
	~uint8
	fmt.Stringer
}](text []byte, into *S, first, last S) error {
	for s := first; s <= last; s++ {
		if s.String() == string(text) {
			*into = s
			return nil
		}
	}
	return fmt.Errorf("%q is no %T", text, first)
}

// Address is the MAC address of a station; the zero value is no station.
type Address wire.MAC

// String returns the MAC address as "02:00:00:00:00:01"; "" for the zero value.
func (a Address) String() string {
	if a == (Address{}) {
		return ""
	}
	return net.HardwareAddr(a[:]).String()
}

// MarshalText returns the MAC address as "02:00:00:00:00:01", or "" for the zero value, as octets. The error is
// always nil.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText sets the MAC address from text such as "02:00:00:00:00:01"; empty text is the zero value, no address.
func (a *Address) UnmarshalText(text []byte) error {
	if len(text) == 0 {
		*a = Address{}
		return nil
	}
	mac, err := net.ParseMAC(string(text))
	if err != nil || len(mac) != len(a) {
		return fmt.Errorf("%q is no MAC address", text)
	}
	copy(a[:], mac)
	return nil
}
