package xsk

// Path is the way by which frames leave a port.
type Path uint8

// The paths.
const (
	PathAuto  Path = iota // live where it is safe, else AF_XDP: the data plane decides
	PathAFXDP             // by the TX ring alone
	PathLive              // large batches live
)

// String returns the name in the configuration of how frames are sent: auto, af_xdp or live.
func (p Path) String() string { return [...]string{"auto", "af_xdp", "live", "?"}[min(p, PathLive+1)] }

// MarshalText returns how frames are sent (auto, af_xdp, live) as octets. The error is always nil.
func (p Path) MarshalText() ([]byte, error) { return []byte(p.String()), nil }
