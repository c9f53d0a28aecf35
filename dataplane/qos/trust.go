package qos

// String returns the name in the configuration of the frame field that a port trusts for the traffic class: none,
// dot1p, dscp or uet.
func (t Trust) String() string {
	return [...]string{"none", "dot1p", "dscp", "uet", "?"}[min(t, TrustUET+1)]
}

// MarshalText returns the frame field that a port trusts (none, dot1p, dscp, uet) as octets. The error is always nil.
func (t Trust) MarshalText() ([]byte, error) { return []byte(t.String()), nil }
