package sonic

import (
	"fmt"
	"maps"
	"slices"

	"uelink/sai"
)

// SAI's numbers of the attributes of a port that set its LLR: LLR_MODE_LOCAL, LLR_MODE_REMOTE and LLR_PROFILE.
const (
	AttrLocal   = 0xc0
	AttrRemote  = 0xc1
	AttrProfile = 0xc2
)

// Verb is the kind of a Call.
type Verb uint8

// The calls of SAI.
const (
	CreateProfile Verb = iota // with all attributes of Values
	SetAttribute              // sets Attribute of object OID to Value, or to the object id Refers
	RemoveObject
)

// Call is a call of SAI's interface of the daemon.
type Call struct {
	Verb      Verb
	Name      string  // of CreateProfile: name of the LLR profile
	Values    Profile // of CreateProfile
	OID       sai.OID // object that is changed or removed
	Attribute uint32  // of SetAttribute: number of the attribute
	Value     int64   // of SetAttribute: new value, unless the value is an object
	Refers    sai.OID // of SetAttribute: new value of an attribute that refers to an object
	Key       Key     // row of CONFIG_DB that asks for the call
}

// object is an LLR profile of the daemon, made by this process or by an earlier one.
type object struct {
	name   string // empty: no port needs the profile
	values Profile
}

// havePort is the LLR of a port at the daemon.
type havePort struct {
	isLink        bool // the port is a link; false: the fields below have no meaning
	profile       sai.OID
	local, remote bool
}

// have is the present LLR of the daemon.
type have struct {
	objects map[sai.OID]*object  // LLR profiles that clients of SAI have made
	ports   map[string]*havePort // by SONiC's name of the port
}

func newHave() have { return have{map[sai.OID]*object{}, map[string]*havePort{}} }

// Attached is the LLR of a port at a daemon.
type Attached struct {
	Profile       sai.OID
	Local, Remote bool
	Values        *Profile // values of Profile, if a client of SAI has made the profile; else nil
}

// Attachment is the LLR of a daemon.
type Attachment struct {
	Links map[string]Attached // by port
	Made  map[sai.OID]bool    // objects that clients of SAI have made
}

// Attach records the present LLR settings and profiles of the daemon: after a start of the daemon, or after somebody
// else has changed its LLR. Profiles that this machine knows, and that still exist, stay known with their names; a
// profile of another client of SAI becomes known if a port has it.
func (m *Machine) Attach(a Attachment) {
	before := m.have.objects
	m.have = newHave()
	for oid, o := range before {
		if a.Made[oid] {
			m.have.objects[oid] = o
		}
	}
	for _, p := range m.ports {
		actual, ok := a.Links[p.Port]
		m.have.ports[p.Name] = &havePort{isLink: ok, profile: actual.Profile, local: actual.Local,
			remote: actual.Remote}
		switch o := m.have.objects[actual.Profile]; {
		case actual.Values == nil:
		case o != nil:
			o.values = *actual.Values
		default:
			m.have.objects[actual.Profile] = &object{values: *actual.Values}
		}
	}
}

// Next returns the next SAI call that the daemon must carry out in this pass, without those that the daemon has
// refused; ok is false if no call is left. The caller reports the outcome of each call by Done before it calls Next
// again.
func (m *Machine) Next() (c Call, ok bool) {
	if m.away {
		return Call{}, false
	}
	for _, next := range []func(func(Call) bool){m.profileCalls, m.portCalls, m.removals} {
		next(func(call Call) bool {
			if ok = !m.refused[call]; ok {
				c = call
			}
			return !ok
		})
		if ok {
			return c, true
		}
	}
	return Call{}, false
}

// profileCalls yields the SAI calls that create the LLR profiles wanted by ports, and those that change attributes of
// existing ones.
func (m *Machine) profileCalls(yield func(Call) bool) {
	for _, name := range slices.Sorted(maps.Keys(m.profiles)) {
		b := m.profiles[name]
		oid := m.oidOf(name)
		if oid == 0 {
			if !yield(Call{Verb: CreateProfile, Name: name, Values: b.values, Key: b.key}) {
				return
			}
			continue
		}
		for id, value := range b.values {
			if m.have.objects[oid].values[id] != value && !yield(Call{
				Verb: SetAttribute, OID: oid, Attribute: uint32(id), Value: value, Key: b.key,
			}) {
				return
			}
		}
	}
}

// oidOf returns the SAI object of the wanted LLR profile of that name; 0 if it must be created. An object whose
// create-only attributes have other values cannot be changed: its name is removed, so that it is replaced.
func (m *Machine) oidOf(name string) sai.OID {
	values := m.profiles[name].values
	oids := slices.Sorted(maps.Keys(m.have.objects))
	for _, oid := range oids {
		if o := m.have.objects[oid]; o.name == name {
			if o.values.becomes(values) {
				return oid
			}
			o.name = ""
		}
	}
	for _, oid := range oids { // objects that an earlier process has made
		if o := m.have.objects[oid]; o.name == "" && o.values == values {
			o.name = name
			return oid
		}
	}
	return 0
}

// becomes reports whether a SAI object with the values p can be given the values other: all attributes that are set
// only at creation are equal.
func (p Profile) becomes(other Profile) bool {
	for id := range p {
		if p[id] != other[id] && createOnly(uint32(id)) {
			return false
		}
	}
	return true
}

// portCalls yields the SAI calls that give each port its wanted LLR: switch directions off, set the profile, switch
// directions on. Ports that must stay as they are, or whose profile was refused, are skipped.
func (m *Machine) portCalls(yield func(Call) bool) {
	for _, p := range m.ports {
		have := m.have.ports[p.Name]
		want := m.wanted[p.Name]
		_, present := m.plane.Ports[p.Port]
		_, configured := m.accepted.ports[p.Name]
		if have == nil || !have.isLink || !present || want.hold || !configured && m.have.objects[have.profile] == nil {
			continue // LLR stays as it is
		}
		oid := m.oidNamed(want.profile)
		if want.profile != "" && oid == 0 {
			continue // its profile was refused
		}
		if !m.callsOf(p, have, want, oid, yield) {
			return
		}
	}
}

// callsOf yields the SAI calls that bring one port from its present LLR, have, to the wanted LLR, want. oid is the
// object of the wanted profile. It returns false if yield did.
func (m *Machine) callsOf(p Port, have *havePort, want wanted, oid sai.OID, yield func(Call) bool) bool {
	call := Call{Verb: SetAttribute, OID: m.plane.Ports[p.Port].OID, Key: keyLLRPort(p.Name)}
	set := func(attribute uint32, value bool, refers sai.OID) bool {
		call.Attribute, call.Value, call.Refers = attribute, 0, refers
		if value {
			call.Value = 1
		}
		return yield(call)
	}
	switch on := want.profile != ""; { // each needed call is yielded, until yield returns false
	case have.local && !on && !set(AttrLocal, false, 0):
	case have.remote && !on && !set(AttrRemote, false, 0):
	case have.profile != oid && !set(AttrProfile, false, oid):
	case !have.local && on && !set(AttrLocal, true, 0):
	case !have.remote && on && !set(AttrRemote, true, 0):
	default:
		return true
	}
	return false
}

// oidNamed returns the SAI object of the LLR profile of that name; 0 if there is none.
func (m *Machine) oidNamed(name string) sai.OID {
	for oid, o := range m.have.objects {
		if name != "" && o.name == name {
			return oid
		}
	}
	return 0
}

// removals yields the SAI calls that remove LLR profiles which no port has and no configuration asks for.
func (m *Machine) removals(yield func(Call) bool) {
	for _, oid := range slices.Sorted(maps.Keys(m.have.objects)) {
		o := m.have.objects[oid]
		_, wanted := m.profiles[o.name]
		used := slices.ContainsFunc(slices.Collect(maps.Values(m.have.ports)), func(p *havePort) bool {
			return p.profile == oid
		})
		if !wanted && !used && !yield(Call{Verb: RemoveObject, OID: oid}) {
			return
		}
	}
}

// String returns the SAI call in words, such as "create LLR profile" and its name.
func (c Call) String() string {
	switch {
	case c.Verb == CreateProfile:
		return "create LLR profile " + c.Name
	case c.Verb == RemoveObject:
		return "remove " + c.OID.String()
	case c.Refers != 0:
		return fmt.Sprintf("set %s %s %s", c.OID, fieldOf(c), c.Refers)
	}
	return fmt.Sprintf("set %s %s %d", c.OID, fieldOf(c), c.Value)
}

// Done records the outcome of a call that Next has returned: created is the created object, if any; refusal is the
// error of the daemon, or nil. A refused call is not tried again in this pass, and is reported as a problem.
func (m *Machine) Done(c Call, created sai.OID, refusal error) {
	if refusal != nil {
		m.refused[c] = true
		if c.Verb != RemoveObject { // a refused removal is no problem: another client may use the profile
			m.problems.add(c.Key, fieldOf(c), "uelinkd refuses this: %v", refusal)
		}
		return
	}
	switch c.Verb {
	case CreateProfile:
		m.have.objects[created] = &object{c.Name, c.Values}
	case RemoveObject:
		delete(m.have.objects, c.OID)
	case SetAttribute:
		if o := m.have.objects[c.OID]; o != nil {
			o.values[c.Attribute] = c.Value
			return
		}
		m.donePort(c)
	}
}

// donePort records that the daemon has carried out call c, which set an attribute of a port: LLR local, LLR remote or
// the profile.
func (m *Machine) donePort(c Call) {
	for _, p := range m.ports {
		if m.plane.Ports[p.Port].OID != c.OID {
			continue
		}
		switch have := m.have.ports[p.Name]; c.Attribute {
		case AttrLocal:
			have.local = c.Value != 0
		case AttrRemote:
			have.remote = c.Value != 0
		case AttrProfile:
			have.profile = c.Refers
		}
	}
}

// fieldOf returns the name of the Redis field that a SAI call sets at the daemon; empty if the call concerns the row
// as a whole.
func fieldOf(c Call) string {
	switch {
	case c.Verb != SetAttribute:
		return ""
	case c.Attribute == AttrLocal:
		return fieldLocal
	case c.Attribute == AttrRemote:
		return fieldRemote
	case c.Attribute == AttrProfile:
		return fieldProfile
	}
	for _, f := range profileFields {
		if f.attribute == c.Attribute {
			return f.name
		}
	}
	return ""
}
