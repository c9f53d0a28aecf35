package attach

// Mode is the place where an XDP program runs.
type Mode uint8

// The modes that can be asked for. The mode of a bpf.Attachment is ModeDriver or ModeGeneric.
const (
	ModeAuto    Mode = iota // driver, or generic where the driver refuses
	ModeDriver              // in the driver, before an skb is made
	ModeGeneric             // in the network stack, on any interface
)

// String returns the mode's name in the configuration: auto, driver or generic; "?" for any other value.
func (m Mode) String() string {
	return [...]string{"auto", "driver", "generic", "?"}[min(m, ModeGeneric+1)]
}

// MarshalText returns the mode's name in the configuration (auto, driver, generic) as octets. The error is always
// nil.
func (m Mode) MarshalText() ([]byte, error) { return []byte(m.String()), nil }

// NativeAction is what the XDP program of a link port does with native frames: those that are neither frames of the
// link protocol nor LLDP. The numbers are those of steer.c.
type NativeAction uint8

// The actions for a native frame.
const (
	NativeSocket NativeAction = iota // to the socket, like frames of the link protocol
	NativePass                       // to the kernel
	NativeDrop                       // dropped by the program
	NativeAuto                       // replaced by the caller of bpf.Attach: programs do not know the value
)

// String returns the action's name in the configuration: socket, pass, drop or auto; "?" for any other value.
func (a NativeAction) String() string {
	return [...]string{"socket", "pass", "drop", "auto", "?"}[min(a, NativeAuto+1)]
}

// MarshalText returns the action's name in the configuration (socket, pass, drop, auto) as octets. The error is
// always nil.
func (a NativeAction) MarshalText() ([]byte, error) { return []byte(a.String()), nil }
