package trim

// Defaults of Settings.
const (
	DefaultSize     = 128  // SAI_SWITCH_ATTR_PACKET_TRIM_SIZE
	DefaultUDPPort  = 4793 // of UET, as IANA has assigned it
	DefaultProtocol = 253  // of UET over IP: a number for experiments (RFC 3692)
)

// Settings is which frames are trimmed, and to what. The zero Settings trims none.
type Settings struct {
	Size      int   // octets that are kept, from the addresses on, where no row of table 4-1 wants more
	Trimmable DSCPs // DSCP_TRIMMABLE: what may be trimmed
	Control   DSCPs // DSCP_CONTROL: what is never trimmed
	DSCP      uint8 // DSCP_TRIMMED, 0 to 63
	RewriteIP bool  // the length and the header checksum of IP are those of what is left
	UDPPort   uint16
	Protocol  uint8 // IP protocol number of UET without UDP
}

// DSCPs is a set of DSCPs, a bit for each.
type DSCPs uint64

// Has tells whether a DSCP, 0 to 63, is in the set.
func (s DSCPs) Has(dscp uint8) bool { return s>>(dscp&63)&1 == 1 }

// With is the set with a DSCP in it.
func (s DSCPs) With(dscp uint8) DSCPs { return s | 1<<(dscp&63) }

// List is the DSCPs in the set, the smallest first; never nil.
func (s DSCPs) List() []int {
	list := []int{}
	for dscp := range 64 {
		if s.Has(uint8(dscp)) {
			list = append(list, dscp)
		}
	}
	return list
}
