package dcbx

import (
	"fmt"
	"strings"
)

// PFC is the parameters structure of Priority-based Flow Control (DCBX,
// 3.2.2).
// Clauses: DCBX/intro.3, DCBX/pfc.5,6.
type PFC struct {
	// Enable is the bitmap of the priorities with PFC in both directions: bit i is priority i.
	Enable uint8 `json:"pfc_enable"`
	// NumTCs is the number of traffic classes that can have PFC at a time, 1 to 8.
	NumTCs uint8 `json:"num_tcs_supported"`
}

// String returns the enabled priorities, "3,4", or "none".
func (c PFC) String() string {
	var on []string
	for priority := range 8 {
		if c.Enable>>priority&1 != 0 {
			on = append(on, fmt.Sprint(priority))
		}
	}
	if on == nil {
		return "none"
	}
	return strings.Join(on, ",")
}

// appendBody appends the parameters of the PFC sub-TLV to b.
// Clauses: DCBX/pfc.8.
func (c PFC) appendBody(b []byte) []byte { return append(b, c.Enable, c.NumTCs) }

// decodePFC reads the parameters of a PFC sub-TLV, the octets after its feature header; false if octets are
// missing.
// Clauses: DCBX/pfc.8.
func decodePFC(body []byte) (PFC, bool) {
	if len(body) < 2 {
		return PFC{}, false
	}
	return PFC{Enable: body[0], NumTCs: body[1]}, true
}

func (c PFC) equal(other PFC) bool { return c == other }

// compatible reports whether c and the peer's PFC settings enable the same priorities. The table of DCBX, 3.2.3, is
// missing from the copy of the specification at hand; implementations require the same priorities and let NumTCs
// differ.
// Clauses: DCBX/pfc.9.
func (c PFC) compatible(peer PFC) bool { return c.Enable == peer.Enable }

// usable returns true: every bitmap is usable. Several priorities may share a class (DCBX, 2.4.3.1,
// first note), so NumTCs does not limit the number of priorities.
// Clauses: DCBX/feature-tlv.10,18.
func (c PFC) usable() bool { return true }

// adopted returns the peer's parameters c with at most own.NumTCs traffic classes, which the
// priorities share.
func (c PFC) adopted(own PFC) PFC {
	return PFC{Enable: c.Enable, NumTCs: min(max(c.NumTCs, 1), own.NumTCs)}
}

// withoutPeer returns c without any priority (DCBX, 3.2.4, "then feature shall be Disabled").
// Clauses: DCBX/pfc.11.
func (c PFC) withoutPeer() PFC { return PFC{NumTCs: c.NumTCs} }

// validate returns an error that names the mistake in a local PFC configuration (DCBX, table 7).
// Clauses: DCBX/pfc.5.
func (c PFC) validate() error {
	if c.NumTCs < 1 || c.NumTCs > 8 {
		return &ConfigError{FeaturePFC, "num_tcs_supported", fmt.Sprintf("%d is not between 1 and 8", c.NumTCs)}
	}
	return nil
}
