package sonic

import (
	"maps"
	"slices"
	"strings"
)

// portRow is a row of LLR_PORT.
type portRow struct {
	mode          string // llr_mode: static or dynamic
	local, remote bool   // llr_local and llr_remote are enabled
	profile       string // name of an LLR profile; empty: the lookup table gives the profile
}

// accepted has the last valid rows of CONFIG_DB. An invalid row changes nothing.
type accepted struct {
	ports      map[string]portRow // by SONiC's name of the port, like cables and hosts
	profiles   map[string]bound   // by name
	cables     map[string]string  // length of the port's cable, such as "40m"
	hosts      map[string]hostRow
	rowless    map[string]bool // profiles without a row, which a port still names
	wrongPorts map[string]bool // ports whose present row of LLR_PORT is invalid
	noRow      map[Key]bool    // keys of the last pass that are no hash and never were a hash
	flex       flex
	mode       string // field mode of row LLR_CONFIG|GLOBAL
}

// newAccepted returns an empty configuration: no rows were read yet.
func newAccepted() accepted {
	return accepted{
		ports: map[string]portRow{}, profiles: map[string]bound{}, cables: map[string]string{}, hosts: map[string]hostRow{},
		rowless: map[string]bool{}, wrongPorts: map[string]bool{}, flex: flex{interval: defaultInterval}, mode: static,
	}
}

// read updates the accepted configuration of the given ports from rows of CONFIG_DB (argument in). An invalid value is
// reported to problems, and the last valid value stays; a deleted row is removed.
func (a *accepted) read(in Rows, ports []Port, problems *problems) {
	a.readMode(in, problems)
	rows := a.readProfiles(in, problems)
	a.readCables(in, ports, problems)
	a.readFlex(in[keyFlexCounter], problems)
	for _, p := range ports {
		a.readPort(p.Name, in[keyLLRPort(p.Name)], problems)
		a.readHost(p.Name, in[keyPort(p.Name)], problems)
	}
	a.dropProfiles(rows)
}

// readMode reads, from row LLR_CONFIG, the LLR mode (static or dynamic) of ports whose own row has no llr_mode.
// Without the row the mode is static.
func (a *accepted) readMode(in Rows, problems *problems) {
	switch mode, given := in[keyLLRConfig]["mode"]; {
	case !given:
		a.mode = static
	case mode != static && mode != dynamic:
		problems.add(keyLLRConfig, "mode", "%q is not one of static, dynamic", mode)
	default:
		a.mode = mode
	}
}

// readProfiles reads all rows of table LLR_PROFILE, and returns their names. A row with an error is reported to
// problems, and the profile keeps its last valid values.
func (a *accepted) readProfiles(in Rows, problems *problems) (seen map[string]bool) {
	seen = map[string]bool{}
	for _, k := range slices.SortedFunc(maps.Keys(in), func(a, b Key) int { return strings.Compare(a.Name, b.Name) }) {
		name, ok := strings.CutPrefix(k.Name, tableLLRProfile)
		if !ok || k.DB != ConfigDB {
			continue
		}
		seen[name] = true
		if len(name) > maxProfileName {
			problems.add(k, "", "the name has %d characters, and at most %d are allowed", len(name), maxProfileName)
			continue
		}
		if values, recognized, ok := parseProfile(k, in[k], problems); ok {
			a.profiles[name] = bound{k, values, recognized}
		}
	}
	return seen
}

// dropProfiles removes the profiles that have no row and that no port names; rows has the names of all rows. As in
// SONiC, a profile without a row is kept while a port names it; rowless then says that its row is missing.
func (a *accepted) dropProfiles(rows map[string]bool) {
	used := map[string]bool{}
	for _, p := range a.ports {
		used[p.profile] = true
	}
	clear(a.rowless)
	for name := range a.profiles {
		a.rowless[name] = !rows[name]
		if !rows[name] && !used[name] {
			delete(a.profiles, name)
		}
	}
}

// maxProfileName is the largest allowed number of characters in the name of a profile.
const maxProfileName = 64

// readCables reads from the rows of CABLE_LENGTH the length of each port's cable, such as "40m". An invalid length is
// reported to problems, and the last valid length stays. If no row names the port, the length is forgotten.
func (a *accepted) readCables(in Rows, ports []Port, problems *problems) {
	for _, p := range ports {
		given := false
		for k, row := range in {
			length, listed := row[p.Name]
			if !listed || k.DB != ConfigDB || !strings.HasPrefix(k.Name, tableCable) {
				continue
			}
			given = true
			if digits, ok := strings.CutSuffix(length, "m"); !ok || digits == "" ||
				strings.Trim(digits, "0123456789") != "" {
				problems.add(k, p.Name, "%q is no length such as 40m", length)
				continue
			}
			a.cables[p.Name] = length
		}
		if !given {
			delete(a.cables, p.Name)
		}
	}
}

// portWords has the fields of LLR_PORT; a later draft of SONiC's design has the second names.
var portWords = map[string]string{
	fieldMode: fieldMode, fieldLocal: fieldLocal, "local-state": fieldLocal, fieldRemote: fieldRemote,
	"remote-state": fieldRemote, fieldProfile: fieldProfile, "profile": fieldProfile,
}

// readPort reads the row of LLR_PORT of a port: mode, local and remote LLR, and profile. nil means that there is no
// row: the port's last row is dropped, unless its key is there with another type than hash (noRow). A row with an
// invalid value is reported to problems, and the port's last valid row stays. wrongPorts records both kinds of error.
func (a *accepted) readPort(port string, row Row, problems *problems) {
	key, out, ok := keyLLRPort(port), portRow{mode: a.mode}, true
	if a.wrongPorts[port] = a.noRow[key]; row == nil {
		if !a.wrongPorts[port] {
			delete(a.ports, port)
		}
		return
	}
	for _, field := range slices.Sorted(maps.Keys(row)) {
		value := row[field]
		switch portWords[field] {
		case fieldMode:
			if out.mode = value; value != static && value != dynamic {
				problems.add(key, field, "%q is not one of static, dynamic", value)
				ok = false
			}
		case fieldLocal:
			ok = readEnabled(key, field, value, &out.local, problems) && ok
		case fieldRemote:
			ok = readEnabled(key, field, value, &out.remote, problems) && ok
		case fieldProfile:
			out.profile = value
		default:
			if field != placeholder {
				problems.note(key, field, "this field is unknown, and ignored")
			}
		}
	}
	if ok {
		a.ports[port] = out
	}
	a.wrongPorts[port] = !ok
}

// readEnabled stores in into whether a field's value is "enabled". Any value but "enabled" and "disabled" is reported
// to problems, and the result is false.
func readEnabled(k Key, field, value string, into *bool, problems *problems) bool {
	if *into = value == enabled; value != enabled && value != disabled {
		problems.add(k, field, "%q is not one of enabled, disabled", value)
		return false
	}
	return true
}
