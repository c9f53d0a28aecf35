package xsk

// Path is the way by which frames leave a port.
type Path uint8

// The paths.
const (
	PathAuto  Path = iota // live where it is safe, else AF_XDP: the data plane decides
	PathAFXDP             // by the TX ring alone
	PathLive              // large batches live
)

// String returns the word of the configuration.
func (p Path) String() string { return [...]string{"auto", "af_xdp", "live", "?"}[min(p, PathLive+1)] }

// MarshalText returns String.
func (p Path) MarshalText() ([]byte, error) { return []byte(p.String()), nil }
