package attach

// Opener is the code that opens sockets.
type Opener uint8

// The openers.
const (
	OpenerAuto   Opener = iota // not for xsk.Open: package netif replaces it by a choice
	OpenerAsavie               // the library github.com/asavie/xdp
	OpenerNative               // uelink's own, by system calls; fills the fill ring before bind, as zero-copy drivers want
)

// String returns the name in the configuration of the code that opens AF_XDP sockets: auto, asavie or native.
func (o Opener) String() string {
	return [...]string{"auto", "asavie", "native", "?"}[min(o, OpenerNative+1)]
}

// MarshalText returns the name of the code that opens AF_XDP sockets (auto, asavie, native) as octets. The error is
// always nil.
func (o Opener) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// Bind is the mode in which sockets are bound.
type Bind uint8

// The modes of binding.
const (
	BindAuto     Bind = iota // not for xsk.Open: package netif replaces it by a choice
	BindCopy                 // copy mode; the only mode while the XDP program is in generic mode
	BindZeroCopy             // zero copy; where the driver has none, the socket does not open
)

// String returns the bind mode's name in the configuration: auto, copy or zerocopy.
func (b Bind) String() string {
	return [...]string{"auto", "copy", "zerocopy", "?"}[min(b, BindZeroCopy+1)]
}

// MarshalText returns the bind mode's name in the configuration (auto, copy, zerocopy) as octets. The error is always
// nil.
func (b Bind) MarshalText() ([]byte, error) { return []byte(b.String()), nil }

// Path is the way by which frames leave a port.
type Path uint8

// The paths.
const (
	PathAuto  Path = iota // live where it is safe, else AF_XDP: the data plane decides
	PathAFXDP             // by the TX ring alone
	PathLive              // large batches as live frames, small ones by the TX ring
)

// String returns the name in the configuration of how frames are sent: auto, af_xdp or live.
func (p Path) String() string { return [...]string{"auto", "af_xdp", "live", "?"}[min(p, PathLive+1)] }

// MarshalText returns how frames are sent (auto, af_xdp, live) as octets. The error is always nil.
func (p Path) MarshalText() ([]byte, error) { return []byte(p.String()), nil }
