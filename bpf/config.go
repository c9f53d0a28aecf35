package bpf

// Config is how frames of one interface are steered. The zero value is that of
// an edge port: everything but LLDP goes to the socket.
type Config struct {
	Link             bool         // a link port: the EtherTypes below are ours
	EtherTypeData    uint16       // link: shim data frames, to the socket
	EtherTypeControl uint16       // link: control frames, to the socket
	Native           NativeAction // link: everything else but LLDP
}

// NativeAction is what a link port does with frames that are neither ours nor
// LLDP. The numbers are those of steer.c.
type NativeAction uint8

// What can be done with a native frame.
const (
	NativeSocket NativeAction = iota // to the socket, like ours
	NativePass                       // to the kernel
	NativeDrop
	NativeAuto // whoever attaches decides: a program is never told so
)

// String is the action's word in the configuration.
func (a NativeAction) String() string {
	return [...]string{"socket", "pass", "drop", "auto", "?"}[min(a, NativeAuto+1)]
}

// MarshalText is String.
func (a NativeAction) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

func (c Config) settings() steerSettings {
	s := steerSettings{
		EthertypeData:    c.EtherTypeData,
		EthertypeControl: c.EtherTypeControl,
		Native:           uint8(c.Native),
	}
	if c.Link {
		s.Link = 1
	}
	return s
}
