package sonic

import "maps"

// Machine configures the ports of its map as SONiC's llrmgrd and llrorch do. A pass begins with Pass; then come Next
// and Done for each call, Hosts, Rows and Problems.
type Machine struct {
	ports    []Port
	lookup   Lookup
	problems problems

	hashes   Rows              // the rows of the last pass, as rightTypes returned them
	accepted accepted          // the last valid rows of CONFIG_DB
	speeds   map[string]string // speeds of the ports, as in STATE_DB, or as the daemon knows them
	wanted   map[string]wanted // wanted LLR, by port
	profiles map[string]bound  // LLR profiles of wanted, by name

	plane   Plane              // state of uelinkd, as last read
	away    bool               // the daemon does not answer
	seen    map[string]bool    // ports that have had a row of LLR_PORT at some time since CONFIG_DB was last empty
	have    have               // LLR of uelinkd
	refused map[Call]bool      // calls that uelinkd has refused in this pass
	hosts   map[string]hostRow // MTU and admin status that the ports' interfaces have got, by SONiC's name of the port
	counted map[string][]count // statistics by the port's SAI object, in the order of Counted
}

// wanted is the LLR that a port must have.
type wanted struct {
	hold    bool // LLR stays as it is, because no valid configuration has been read yet
	mode    string
	profile string // empty: off; else both directions are on
}

// bound is an LLR profile that a port has.
type bound struct {
	key    Key     // key of the LLR_PROFILE row, or of the port's row if the lookup table gave the profile
	values Profile // values of the SAI attributes
	fields Row     // known fields of the row, as text
}

// NewMachine returns a Machine for a list of ports, each a SONiC name and the daemon's port, and for a table of LLR
// profiles by speed and cable.
func NewMachine(ports []Port, lookup Lookup) *Machine {
	return &Machine{
		ports: ports, lookup: lookup, accepted: newAccepted(), speeds: map[string]string{}, away: true,
		seen: map[string]bool{}, have: newHave(), hosts: map[string]hostRow{}, counted: map[string][]count{},
	}
}

// Pass begins a pass, and decides the LLR that each port must have. Argument in has the rows that were read from Redis,
// by the keys of Reads; plane is the state of the daemon, nil if the daemon does not respond. For a port whose LLR must
// stay as it is, the decision of the last pass holds, if there is one.
func (m *Machine) Pass(in Rows, plane *Plane) {
	m.problems.begin()
	m.refused = map[Call]bool{}
	m.setPlane(plane)
	in = m.rightTypes(in)
	m.accepted.read(in, m.ports, &m.problems)
	m.readSpeeds(in)
	before, profiles := m.wanted, maps.Clone(m.profiles)
	m.wanted, m.profiles = map[string]wanted{}, map[string]bound{}
	for _, p := range m.ports {
		m.seen[p.Name] = m.seen[p.Name] || in[keyLLRPort(p.Name)] != nil
		want, b := m.decide(p, in)
		if old, ok := before[p.Name]; want.hold && ok {
			want, b = old, profiles[old.profile]
		}
		m.wanted[p.Name] = want
		if want.profile != "" {
			m.profiles[want.profile] = b
		}
	}
}

// decide returns the LLR that a port must have (mode, directions and profile name) and the profile's values. It
// returns hold, which means to leave LLR as it is, while the configuration is wrong or perhaps not loaded yet.
func (m *Machine) decide(p Port, in Rows) (wanted, bound) {
	row, right := m.accepted.ports[p.Name]
	switch {
	case !right && m.accepted.wrongPorts[p.Name]:
		return wanted{hold: true}, bound{}
	case !right && !m.loaded(p.Name, in):
		m.problems.note(keyLLRPort(p.Name), "",
			"CONFIG_DB has no such row, and may not be loaded yet: until then LLR of the port stays as it is")
		return wanted{hold: true}, bound{}
	case right && row.local != row.remote:
		m.problems.note(keyLLRPort(p.Name), "", "LLR is off until llr_local and llr_remote are both enabled")
		return wanted{}, bound{}
	case !right || !row.local:
		return wanted{}, bound{}
	case !m.checkPort(p, row):
		return wanted{hold: true}, bound{}
	}
	name, b := m.profileOf(p, row)
	if name == "" {
		return wanted{}, bound{}
	}
	return wanted{mode: row.mode, profile: name}, b
}

// rightTypes returns the rows of argument in with a change: for a key that is no hash, the row is the one that the key
// had when it was last a hash, or missing, and the key is reported. A port that has never had a valid row keeps its
// LLR.
func (m *Machine) rightTypes(in Rows) Rows {
	in, m.accepted.noRow = maps.Clone(in), map[Key]bool{}
	for k, row := range in {
		switch {
		case row != nil:
			continue
		case m.hashes[k] != nil:
			in[k] = m.hashes[k]
		default:
			delete(in, k)
			m.accepted.noRow[k] = true
		}
		m.problems.add(k, "", "the key is no hash, and is ignored: delete the key, and write the row again")
	}
	m.hashes = in
	return in
}

// loaded reports whether a missing row of LLR_PORT means that the row was removed, and not that CONFIG_DB is still
// being filled. After a start of Redis CONFIG_DB is empty and is filled row by row; then SONiC writes the row
// Initialized. Until then the row counts as removed only if it was seen since the port's row of PORT last was missing.
func (m *Machine) loaded(port string, in Rows) bool {
	_, all := in[Initialized]
	if !all && in[keyPort(port)] == nil {
		m.seen[port] = false
	}
	return all || m.seen[port]
}

// checkPort reports whether the daemon's port can have the LLR that a row of LLR_PORT asks for: it must be a link
// with the same LLR mode. If it cannot, checkPort reports a problem.
func (m *Machine) checkPort(p Port, row portRow) bool {
	actual, seen := m.plane.Ports[p.Port]
	switch key := keyLLRPort(p.Name); {
	case !seen:
		return true // setPlane reports it
	case !actual.Link:
		m.problems.add(key, "", "port %s of uelinkd is no link, and cannot have LLR", p.Port)
	case row.mode == dynamic && actual.Mode != dynamic:
		m.problems.add(key, fieldMode, "llr_mode dynamic needs llr: {mode: dynamic} for port %s in uelinkd's configuration",
			p.Port)
	case row.mode == static && actual.Mode == dynamic:
		m.problems.add(key, fieldMode, "llr_mode static needs llr: {mode: static} for port %s in uelinkd's configuration",
			p.Port)
	default:
		return true
	}
	return false
}

// profileOf returns name and values of the LLR profile of a port: the one that row LLR_PORT names, or else the one in
// the lookup table for the port's speed and cable length. Without either, the name is empty and a problem is
// reported.
func (m *Machine) profileOf(p Port, row portRow) (name string, b bound) {
	key := keyLLRPort(p.Name)
	if row.profile != "" {
		if b, found := m.accepted.profiles[row.profile]; found {
			if m.accepted.rowless[row.profile] {
				m.problems.note(b.key, "",
					"the row was deleted: ports that name the profile keep its values until they name another profile")
			}
			return row.profile, b
		}
		m.problems.add(key, fieldProfile,
			"CONFIG_DB has no valid row LLR_PROFILE|%s: the port gets a profile of the lookup table", row.profile)
	}
	c := Cabling{m.speeds[p.Name], m.accepted.cables[p.Name]}
	fields, ok := m.lookup[c]
	switch {
	case c.Speed == "":
		m.problems.add(key, "", "LLR is off: the port has no valid llr_profile, and %s has no speed for the lookup "+
			"table", keyStatePort(p.Name))
	case c.Cable == "":
		m.problems.add(key, "", "LLR is off: the port has no valid llr_profile, and CABLE_LENGTH|AZURE has no cable "+
			"length for the lookup table")
	case !ok:
		m.problems.add(key, "", "LLR is off: the port has no valid llr_profile, and the lookup table has no line for "+
			"speed %s and cable %s", c.Speed, c.Cable)
	default:
		values, recognized, _ := parseProfile(key, fields, &problems{})
		return c.profile(), bound{key, values, recognized}
	}
	return "", bound{}
}

// Problems returns the problems and notes of this pass that the previous pass did not have, sorted by key and field.
func (m *Machine) Problems() []Problem { return m.problems.fresh() }
