package dcbx

import (
	"fmt"
	"strings"
)

// The length of the parameters of Priority Groups, and the numbers of groups.
const (
	pgLen = 13 // octets of figure 12

	// PGStrict is the group of the priorities without a bandwidth limit: they are served before all
	// others. Groups 0 to 7 share the link by percentage, 8 to 14 are reserved.
	// Clauses: DCBX/pg.6.
	PGStrict = 15
	groups   = 8 // number of the groups that share the link
)

// PG is the parameters structure of Priority Groups (DCBX, 3.1.2).
// Clauses: DCBX/intro.3, DCBX/pg.4,7,8.
type PG struct {
	// Group is the number of the group of each priority: 0 to 7, or PGStrict.
	Group [8]uint8 `json:"pgid"`
	// Percentage is each group's share of the link's bandwidth, 0 to 100 percent.
	Percentage [groups]uint8 `json:"pg_percentage"`
	// NumTCs is the number of traffic classes that the device supports, 1 to 8.
	NumTCs uint8 `json:"num_tcs_supported"`
}

// Asked reports whether the groups differ from the default, which is one group for all priorities.
func (c PG) Asked() bool { return c.Group != [8]uint8{} }

// String returns the groups and the percentages, "00000015 100,0,0,0,0,0,0,0" with F for PGStrict.
func (c PG) String() string {
	var b strings.Builder
	for _, group := range c.Group {
		fmt.Fprintf(&b, "%X", group)
	}
	for i, share := range c.Percentage {
		fmt.Fprintf(&b, "%c%d", " ,"[min(i, 1)], share)
	}
	return b.String()
}

// appendBody appends the parameters of the Priority Group sub-TLV, 13 octets. The group of an even priority is in
// the high half of its octet.
// Clauses: DCBX/ordering.2, DCBX/pg.9.
func (c PG) appendBody(b []byte) []byte {
	for i := 0; i < len(c.Group); i += 2 {
		b = append(b, c.Group[i]<<4|c.Group[i+1]&0xf)
	}
	return append(append(b, c.Percentage[:]...), c.NumTCs)
}

// decodePG reads the parameters of a Priority Group sub-TLV, the octets after its feature header; false if octets
// are missing.
// Clauses: DCBX/pg.9.
func decodePG(body []byte) (c PG, ok bool) {
	if len(body) < pgLen {
		return PG{}, false
	}
	for i := range c.Group {
		c.Group[i] = body[i/2] >> (4 * (1 - i%2)) & 0xf
	}
	copy(c.Percentage[:], body[4:])
	c.NumTCs = body[12]
	return c, true
}

func (c PG) equal(other PG) bool { return c == other }

// compatible returns true (DCBX, table 6, "does not need to match" in every row).
// Clauses: DCBX/pg.10.
func (c PG) compatible(PG) bool { return true }

// withoutPeer returns c (DCBX, 3.1.4, "local configuration (DesiredCfg) shall be applied to
// operational values and feature shall be Enabled").
// Clauses: DCBX/pg.12.
func (c PG) withoutPeer() PG { return c }

// usable reports whether a scheduler can use the peer's Priority Groups c. It accepts more than validate:
// percentages of groups without priorities do not matter.
// Clauses: DCBX/feature-tlv.10,18.
func (c PG) usable() bool {
	used, reserved := c.used()
	total := 0
	for group, in := range used {
		if in {
			total += int(c.Percentage[group])
		}
	}
	return !reserved && total <= 100
}

// used returns which of the groups 0 to 7 have priorities, and whether a priority is in a reserved
// group.
// Clauses: DCBX/pg.6.
func (c PG) used() (used [groups]bool, reserved bool) {
	for _, group := range c.Group {
		switch {
		case group < groups:
			used[group] = true
		case group != PGStrict:
			reserved = true
		}
	}
	return used, reserved
}

// validate returns an error that names the mistake in a local Priority Group configuration (DCBX, table 5).
// Clauses: DCBX/pg.7.
func (c PG) validate() error {
	used, reserved := c.used()
	if reserved {
		return &ConfigError{FeaturePG, "pgid", fmt.Sprintf("groups are 0 to 7 and %d, not %v", PGStrict, c.Group)}
	}
	total, count := 0, 0
	for group, in := range used {
		if !in && c.Percentage[group] > 0 {
			return &ConfigError{FeaturePG, "pg_percentage", fmt.Sprintf("group %d has %d %% but no priority", group,
				c.Percentage[group])}
		}
		if in {
			count++
			total += int(c.Percentage[group])
		}
	}
	if count > 0 && total != 100 {
		return &ConfigError{FeaturePG, "pg_percentage", fmt.Sprintf("bandwidth percentages of the groups add up "+
			"to %d, not to 100", total)}
	}
	return c.validateTCs(count)
}

// validateTCs returns an error if NumTCs is too small for count groups: "Number of Priority Groups supported by a
// device can not be more than number of TCs supported". The strict group needs a class as well. The specification's
// range 0 to 7 cannot express eight classes; all implementations send 8.
// Clauses: DCBX/pg.4,5.
func (c PG) validateTCs(count int) error {
	for _, group := range c.Group {
		if group == PGStrict {
			count++
			break
		}
	}
	if c.NumTCs < 1 || c.NumTCs > 8 {
		return &ConfigError{FeaturePG, "num_tcs_supported", fmt.Sprintf("%d is not between 1 and 8", c.NumTCs)}
	}
	if count > int(c.NumTCs) {
		return &ConfigError{FeaturePG, "num_tcs_supported", fmt.Sprintf("%d priority groups need %[1]d traffic "+
			"classes, not %d", count, c.NumTCs)}
	}
	return nil
}
