package qos

// String returns the word of the configuration.
func (t Trust) String() string {
	return [...]string{"none", "dot1p", "dscp", "uet", "?"}[min(t, TrustUET+1)]
}

// MarshalText returns String.
func (t Trust) MarshalText() ([]byte, error) { return []byte(t.String()), nil }
