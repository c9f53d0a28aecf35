package dataplane

// Role is what a port is for.
type Role uint8

// The roles of a port; 0 is none.
const (
	RoleLink Role = iota + 1 // speaks the UE link protocol with one partner
	RoleEdge                 // plain Ethernet
	RoleHost                 // stays the kernel's: the data plane has nothing to do with it
)

// String is the role's word in the configuration.
func (r Role) String() string {
	return [...]string{"none", "link", "edge", "host", "?"}[min(r, RoleHost+1)]
}

// MarshalText is String.
func (r Role) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// LLRMode is who decides whether LLR is on.
type LLRMode uint8

// The LLR modes of a port.
const (
	LLROff     LLRMode = iota
	LLRStatic          // on as the configuration and commands say
	LLRDynamic         // on while both ends offer it by LLDP
)

// String is the mode's word in the configuration.
func (m LLRMode) String() string {
	return [...]string{"off", "static", "dynamic", "?"}[min(m, LLRDynamic+1)]
}

// MarshalText is String.
func (m LLRMode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Encapsulation is whose addresses stand outside of a link's data frames.
type Encapsulation uint8

// The encapsulations.
const (
	Transparent Encapsulation = iota // those of the carried frame
	Addressed                        // those of the two ends of the link
)

// String is the word of the configuration.
func (e Encapsulation) String() string {
	return [...]string{"transparent", "addressed", "?"}[min(e, Addressed+1)]
}

// MarshalText is String.
func (e Encapsulation) MarshalText() ([]byte, error) { return []byte(e.String()), nil }

// MTU is what is done about an interface whose MTU is too small for a link.
type MTU uint8

// What can be done about it.
const (
	MTUAuto  MTU = iota // as MTUSet, but where the host uses the interface itself it is only told
	MTUCheck            // it is refused
	MTUSet              // it is raised, and put back when the daemon leaves
)

// String is the word of the configuration.
func (m MTU) String() string { return [...]string{"auto", "check", "set", "?"}[min(m, MTUSet+1)] }

// MarshalText is String.
func (m MTU) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// Offloads is what is done about checksum and segmentation offloads of an interface.
type Offloads uint8

// What can be done about them.
const (
	OffloadsAuto  Offloads = iota // as OffloadsOff, but OffloadsLeave for a link where the host uses the interface itself
	OffloadsLeave                 // nothing
	OffloadsOff                   // they are switched off, and put back when the daemon leaves
)

// String is the word of the configuration.
func (o Offloads) String() string {
	return [...]string{"auto", "leave", "off", "?"}[min(o, OffloadsOff+1)]
}

// MarshalText is String.
func (o Offloads) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Promiscuous is whether an interface takes in frames for addresses that are not its own.
type Promiscuous uint8

// What can be done about promiscuous mode.
const (
	PromiscuousAuto Promiscuous = iota // as PromiscuousOn, but PromiscuousOff for a link where the host uses the interface
	PromiscuousOn                      // on while the daemon has the interface
	PromiscuousOff                     // as it is
)

// String is the word of the configuration.
func (p Promiscuous) String() string {
	return [...]string{"auto", "true", "false", "?"}[min(p, PromiscuousOff+1)]
}

// MarshalText is String.
func (p Promiscuous) MarshalText() ([]byte, error) { return []byte(p.String()), nil }
