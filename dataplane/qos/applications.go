package qos

// Applications are the priorities of frames by the Application table of DCBX. The zero value is an empty table.
type Applications struct {
	Listed   uint64    // DSCPs with an entry: bit n is DSCP n
	Priority [64]uint8 // priorities of the listed DSCPs, 0 to 7
	Default  uint8     // priority of all other frames, 0 to 7
	Any      bool      // the table has an entry for a DSCP or for all other frames
}

// Map returns the map m with classes by the table: class n for priority n. The result trusts the DSCP if the table
// lists any, else the VLAN tag. Frames without a listed DSCP have the class of the default priority, whatever tag they
// have.
// Clauses: 802.1Qaz/app.2.
func (a *Applications) Map(m Map) Map {
	for i := range m.Dot1pDEI {
		m.Dot1pDEI[i] = a.Default
	}
	for i := range m.DSCP {
		if m.DSCP[i] = a.Default; a.Listed>>i&1 == 1 {
			m.DSCP[i] = a.Priority[i]
		}
	}
	if m.Trust = TrustDot1p; a.Listed != 0 {
		m.Trust = TrustDSCP
	}
	return m
}
