package trim

// Defaults of Settings.
const (
	DefaultSize     = 128  // SAI_SWITCH_ATTR_PACKET_TRIM_SIZE
	DefaultUDPPort  = 4793 // of UET, assigned by IANA
	DefaultProtocol = 253  // of UET over IP: a number for experiments (RFC 3692)
)

// Settings selects the frames to trim, and their trimmed form. The zero Settings trims no frame.
type Settings struct {
	Size      int   // octets to keep, from the addresses on, unless a row of table 4-1 demands more
	Trimmable DSCPs // DSCP_TRIMMABLE: DSCPs of frames that may be trimmed
	Control   DSCPs // DSCP_CONTROL: DSCPs of frames that are never trimmed
	DSCP      uint8 // DSCP_TRIMMED, 0 to 63
	RewriteIP bool  // adapt the length and the header checksum of IP to the trimmed frame
	UDPPort   uint16
	Protocol  uint8 // IP protocol number of UET without UDP
}

// DSCPs is a set of DSCPs, a bit for each.
type DSCPs uint64

// Contains reports whether a DSCP, 0 to 63, is in the set.
func (s DSCPs) Contains(dscp uint8) bool { return s>>(dscp&63)&1 == 1 }

// Including returns the set with a DSCP added.
func (s DSCPs) Including(dscp uint8) DSCPs { return s | 1<<(dscp&63) }

// List returns the DSCPs in the set in ascending order; never nil.
func (s DSCPs) List() []int {
	list := []int{}
	for dscp := range 64 {
		if s.Contains(uint8(dscp)) {
			list = append(list, dscp)
		}
	}
	return list
}
