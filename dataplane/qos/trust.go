package qos

// String is the word of the configuration.
func (t Trust) String() string {
	return [...]string{"none", "dot1p", "dscp", "uet", "?"}[min(t, TrustUET+1)]
}

// MarshalText is String.
func (t Trust) MarshalText() ([]byte, error) { return []byte(t.String()), nil }
