package sonic

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"uelink/sai"
)

// end is a daemon as the machine knows it: two links and an edge.
type end struct {
	plane   Plane
	objects map[sai.OID]Profile
	ports   map[sai.OID]*Attached
	next    sai.OID
	refuses string // calls whose words contain it
	said    []string
}

const link0, link1, edge0 = sai.OID(0x1000000000001), sai.OID(0x1000000000002), sai.OID(0x1000000000003)

func newEnd() *end {
	return &end{
		objects: map[sai.OID]Profile{}, next: 0x73000000000001,
		ports: map[sai.OID]*Attached{link0: {Profile: 0x73000000000fff}, link1: {}},
		plane: Plane{
			Ports: map[string]PlanePort{
				"link0": {OID: link0, Link: true, Interface: "eth0", Mode: "off", OperStatus: "up", Speed: 10000, MTU: 1514,
					TxStatus: "OFF", RxStatus: "OFF"},
				"link1": {OID: link1, Link: true, Interface: "eth1", Mode: "static", OperStatus: "up", Speed: 400000, MTU: 9000,
					TxStatus: "OFF", RxStatus: "OFF"},
				"edge0": {OID: edge0, Interface: "eth2", OperStatus: "up", MTU: 1500},
			},
			Attributes: []string{"OUTSTANDING_FRAMES_MAX", "OUTSTANDING_BYTES_MAX"},
			Stats:      []Stat{{204, "SAI_PORT_STAT_LLR_TX_OK", true}, {205, "SAI_PORT_STAT_LLR_RX_OK", false}},
		},
	}
}

// attached returns what the machine reads of a daemon that it sees for the first time.
func (e *end) attached() Attachment {
	out, objects := map[string]Attached{}, map[sai.OID]bool{}
	for oid := range e.objects {
		objects[oid] = true
	}
	for name, p := range e.plane.Ports {
		is := e.ports[p.OID]
		if is == nil {
			continue
		}
		a := *is
		if values, made := e.objects[a.Profile]; made {
			a.Values = &values
		}
		out[name] = a
	}
	return Attachment{Links: out, Made: objects}
}

// do carries out a call.
func (e *end) do(c Call) (made sai.OID, err error) {
	e.said = append(e.said, c.String())
	switch {
	case e.refuses != "" && strings.Contains(c.String(), e.refuses):
		return 0, errors.New("no room")
	case c.Verb == CreateProfile:
		e.next++
		e.objects[e.next] = c.Values
		return e.next, nil
	case c.Verb == RemoveObject:
		for oid, p := range e.ports {
			if p.Profile == c.OID {
				return 0, fmt.Errorf("%s has it", oid)
			}
		}
		delete(e.objects, c.OID)
		return 0, nil
	}
	if values, profile := e.objects[c.OID]; profile {
		values[c.Attribute] = c.Value
		e.objects[c.OID] = values
		return 0, nil
	}
	p := e.ports[c.OID]
	switch c.Attribute {
	case AttrLocal:
		p.Local = c.Value != 0
	case AttrRemote:
		p.Remote = c.Value != 0
	case AttrProfile:
		if _, there := e.objects[c.Refers]; !there && c.Refers != 0 {
			return 0, errors.New("there is no such object")
		}
		p.Profile = c.Refers
	}
	return 0, nil
}

// harness is a machine with its daemon and CONFIG_DB.
type harness struct {
	t  *testing.T
	m  *Machine
	e  *end
	in Rows
}

// table is the lookup table of the tests.
const table = `speed cable outstanding_frames outstanding_bytes
10000 40m 10 1000
10000 5m 20 2000
`

// newHarness returns a machine with three ports, attached to a daemon.
func newHarness(t *testing.T) *harness {
	t.Helper()
	lookup, problems := ParseLookup("lookup", table)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	b := &harness{t: t, e: newEnd(), in: Rows{}, m: NewMachine(
		[]Port{{"Ethernet0", "link0"}, {"Ethernet4", "link1"}, {"Ethernet8", "edge0"}}, lookup)}
	b.m.Attach(b.e.attached())
	b.in[Initialized] = Row{}
	b.set("PORT|Ethernet0")
	b.set("FLEX_COUNTER_TABLE|LLR")
	return b
}

// set sets a row of CONFIG_DB; without fields it has none but SONiC's placeholder.
func (b *harness) set(key string, fields ...string) {
	row := maps.Clone(b.in[Key{ConfigDB, key}])
	if row == nil {
		row = Row{placeholder: placeholder}
	}
	for i := 0; i < len(fields); i += 2 {
		row[fields[i]] = fields[i+1]
	}
	b.in[Key{ConfigDB, key}] = row
}

// remove removes a row.
func (b *harness) remove(key string) { delete(b.in, Key{ConfigDB, key}) }

// pass makes a pass, and returns the calls and the problems.
func (b *harness) pass() (said, problems []string) {
	b.t.Helper()
	b.e.said = nil
	b.m.Pass(b.in, &b.e.plane)
	for range 100 {
		c, more := b.m.Next()
		if !more {
			for _, p := range b.m.Problems() {
				problems = append(problems, p.String())
			}
			return b.e.said, problems
		}
		made, err := b.e.do(c)
		b.m.Done(c, made, err)
	}
	b.t.Fatalf("the calls do not end: %v", b.e.said)
	return nil, nil
}

// calls makes a pass, and demands its calls.
func (b *harness) calls(want ...string) {
	b.t.Helper()
	said, problems := b.pass()
	if diff := cmp.Diff(want, said); diff != "" {
		b.t.Errorf("calls (-want +got):\n%s%v", diff, problems)
	}
	if again, _ := b.pass(); len(again) > 0 {
		b.t.Errorf("the next pass calls again: %v", again)
	}
}

// complains makes a pass, and demands a new problem with these words, and no call.
func (b *harness) complains(words ...string) {
	b.t.Helper()
	said, problems := b.pass()
	if len(said) > 0 {
		b.t.Errorf("calls: %v", said)
	}
	if !slices.ContainsFunc(problems, func(p string) bool {
		return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(p, w) })
	}) {
		b.t.Errorf("no problem has %q: %q", words, problems)
	}
	if _, again := b.pass(); len(again) > 0 {
		b.t.Errorf("the next pass has problems again: %q", again)
	}
}

// fast is an LLR profile of the user, and a port that has it.
func (b *harness) fast(port string) {
	b.set("LLR_PROFILE|fast", "max_outstanding_frames", "100", "max_outstanding_bytes", "5000")
	b.set("LLR_PORT|"+port, "llr_local", "enabled", "llr_remote", "enabled", "llr_profile", "fast")
}

// TestPortIsEnabled: a profile is made, attached, and both modes are set, in this order; and the other way round.
func TestPortIsEnabled(t *testing.T) {
	b := newHarness(t)
	b.calls()
	b.fast("Ethernet0")
	b.calls("create LLR profile fast", "set oid:0x1000000000001 llr_profile oid:0x73000000000002",
		"set oid:0x1000000000001 llr_local 1", "set oid:0x1000000000001 llr_remote 1")
	want := Profile{100, 5000, 0, 1, 0, 0, 2, 2, 1, 2048}
	if is := b.e.objects[0x73000000000002]; is != want {
		t.Errorf("the profile is %v, want %v", is, want)
	}
	off := []string{"set oid:0x1000000000001 llr_local 0", "set oid:0x1000000000001 llr_remote 0",
		"set oid:0x1000000000001 llr_profile 0"}
	b.set("LLR_PORT|Ethernet0", "llr_remote", "disabled")
	b.calls(append(off, "remove oid:0x73000000000002")...)
	b.set("LLR_PORT|Ethernet0", "llr_local", "disabled")
	b.calls()
	b.set("LLR_PORT|Ethernet0", "local-state", "enabled", "llr_local", "enabled")
	b.complains("LLR_PORT|Ethernet0", "until llr_local and llr_remote are both enabled")
	b.set("LLR_PORT|Ethernet0", "remote-state", "enabled", "llr_remote", "enabled")
	b.calls("create LLR profile fast", "set oid:0x1000000000001 llr_profile oid:0x73000000000003",
		"set oid:0x1000000000001 llr_local 1", "set oid:0x1000000000001 llr_remote 1")
	b.remove("LLR_PORT|Ethernet0")
	b.calls(append(off, "remove oid:0x73000000000003")...)
}

// TestKeyOfAnotherType: a key that is no hash is reported, and changes nothing, whichever it is; at the start LLR stays
// as a process before left it.
func TestKeyOfAnotherType(t *testing.T) {
	for _, key := range []string{"LLR_PORT|Ethernet0", "LLR_PROFILE|fast", "CABLE_LENGTH|AZURE", "PORT|Ethernet0",
		"LLR_CONFIG|GLOBAL", "FLEX_COUNTER_TABLE|LLR"} {
		b := newHarness(t)
		b.set("LLR_CONFIG|GLOBAL", "mode", "static")
		b.set("CABLE_LENGTH|AZURE", "Ethernet4", "40m")
		b.set("LLR_PORT|Ethernet4", "llr_local", "enabled", "llr_remote", "enabled")
		b.in[keyStatePort("Ethernet4")] = Row{"speed": "10000"}
		b.fast("Ethernet0")
		b.pass()
		before := b.m.Rows()
		b.in[Key{ConfigDB, key}] = nil
		b.complains("CONFIG_DB "+key, "no hash")
		if diff := cmp.Diff(before, b.m.Rows()); diff != "" {
			t.Errorf("%s changes rows:\n%s", key, diff)
		}
		b.m = NewMachine(b.m.ports, nil)
		b.m.Attach(b.e.attached())
		b.in[Key{ConfigDB, "LLR_PORT|Ethernet0"}] = nil
		said, _ := b.pass()
		for _, call := range said {
			if strings.Contains(call, "oid:0x1000000000001 ") {
				t.Errorf("%s at the start: %s", key, call)
			}
		}
	}
}

// TestProfileInUseStays: a profile without a row stays until no port names it.
func TestProfileInUseStays(t *testing.T) {
	b := newHarness(t)
	b.fast("Ethernet0")
	b.pass()
	b.remove("LLR_PROFILE|fast")
	b.complains("LLR_PROFILE|fast", "the row was deleted")
	if row := b.m.Rows()[Key{ApplDB, "LLR_PROFILE_TABLE:fast"}]; row["max_outstanding_frames"] != "100" {
		t.Errorf("its row is %v", row)
	}
	b.fast("Ethernet4")
	b.pass()
	b.remove("LLR_PROFILE|fast")
	b.remove("LLR_PORT|Ethernet0")
	b.calls("set oid:0x1000000000001 llr_local 0", "set oid:0x1000000000001 llr_remote 0",
		"set oid:0x1000000000001 llr_profile 0")
	b.set("CABLE_LENGTH|AZURE", "Ethernet4", "40m")
	b.in[keyStatePort("Ethernet4")] = Row{"speed": "10000"}
	b.set("LLR_PORT|Ethernet4", "llr_profile", "")
	b.calls("create LLR profile llr_10000_40m_profile", "set oid:0x1000000000002 llr_profile oid:0x73000000000003",
		"remove oid:0x73000000000002")
	b.set("LLR_PORT|Ethernet4", "llr_profile", "fast")
	b.complains("no valid row LLR_PROFILE|fast")
}

// TestProfileChanges: an attribute is set on the object; one that is set when an object is made alone makes a new one,
// and ports go over to it.
func TestProfileChanges(t *testing.T) {
	b := newHarness(t)
	b.fast("Ethernet0")
	b.fast("Ethernet4")
	b.pass()
	b.set("LLR_PROFILE|fast", "max_replay_count", "7", "flush_action", "block", "ctlos_spacing_bytes", "400")
	b.calls("set oid:0x73000000000002 max_replay_count 7", "set oid:0x73000000000002 flush_action 1",
		"set oid:0x73000000000002 ctlos_spacing_bytes 400")
	b.set("LLR_PROFILE|fast", "max_outstanding_bytes", "6000")
	b.calls("create LLR profile fast", "set oid:0x1000000000001 llr_profile oid:0x73000000000003",
		"set oid:0x1000000000002 llr_profile oid:0x73000000000003", "remove oid:0x73000000000002")
}

// TestLookup: without a profile of the user the lookup table has one, by the speed and the cable.
func TestLookup(t *testing.T) {
	b := newHarness(t)
	b.set("LLR_PORT|Ethernet0", "llr_local", "enabled", "llr_remote", "enabled")
	_, problems := b.pass()
	if len(problems) != 1 || !strings.Contains(problems[0], "no cable length") {
		t.Errorf("%q", problems)
	}
	b.set("CABLE_LENGTH|AZURE", "Ethernet0", "40m")
	b.calls("create LLR profile llr_10000_40m_profile", "set oid:0x1000000000001 llr_profile oid:0x73000000000002",
		"set oid:0x1000000000001 llr_local 1", "set oid:0x1000000000001 llr_remote 1")
	b.set("CABLE_LENGTH|AZURE", "Ethernet0", "5m")
	b.calls("create LLR profile llr_10000_5m_profile", "set oid:0x1000000000001 llr_profile oid:0x73000000000003",
		"remove oid:0x73000000000002")
	b.in[keyStatePort("Ethernet0")] = Row{"speed": "400000"}
	b.calls("set oid:0x1000000000001 llr_local 0", "set oid:0x1000000000001 llr_remote 0",
		"set oid:0x1000000000001 llr_profile 0", "remove oid:0x73000000000003")
	b.set("LLR_PROFILE|own", "max_outstanding_frames", "100", "max_outstanding_bytes", "5000")
	b.set("LLR_PORT|Ethernet0", "profile", "own")
	b.calls("create LLR profile own", "set oid:0x1000000000001 llr_profile oid:0x73000000000004",
		"set oid:0x1000000000001 llr_local 1", "set oid:0x1000000000001 llr_remote 1")
	delete(b.in, keyStatePort("Ethernet0"))
	b.set("LLR_PORT|Ethernet0", "profile", "another")
	_, problems = b.pass()
	if len(problems) != 1 || !strings.Contains(problems[0], "LLR_PROFILE|another") {
		t.Errorf("%q", problems)
	}
	if is := b.m.Rows()[Key{ApplDB, "LLR_PORT_TABLE:Ethernet0"}]["llr_profile"]; is != "llr_10000_5m_profile" {
		t.Errorf("the profile is %q", is)
	}
}

// TestWrongRow: a row that is wrong changes nothing, and is reported once.
func TestWrongRow(t *testing.T) {
	for _, c := range []struct{ key, field, value string }{
		{"LLR_PROFILE|fast", "max_outstanding_frames", "0"},
		{"LLR_PROFILE|fast", "max_outstanding_frames", "524289"},
		{"LLR_PROFILE|fast", "max_outstanding_bytes", "4294967296"},
		{"LLR_PROFILE|fast", "max_replay_count", "256"},
		{"LLR_PROFILE|fast", "max_replay_timer", "65536"},
		{"LLR_PROFILE|fast", "pcs_lost_timeout", "4290000001"},
		{"LLR_PROFILE|fast", "data_age_timeout", "x"},
		{"LLR_PROFILE|fast", "ctlos_spacing_bytes", "399"},
		{"LLR_PROFILE|fast", "init_action", "BLOCK"},
		{"LLR_PROFILE|fast", "unheard_of", "1"},
		{"LLR_PORT|Ethernet0", "llr_local", "true"},
		{"LLR_PORT|Ethernet0", "llr_remote", ""},
		{"LLR_PORT|Ethernet0", "llr_mode", "auto"},
		{"LLR_PORT|Ethernet0", "llr_mode", "dynamic"},
		{"LLR_PORT|Ethernet0", "unheard_of", "1"},
		{"LLR_PORT|Ethernet8", "llr_local", "enabled"},
		{"LLR_CONFIG|GLOBAL", "mode", "on"},
		{"CABLE_LENGTH|AZURE", "Ethernet0", "m"},
		{"CABLE_LENGTH|AZURE", "Ethernet0", "40"},
		{"PORT|Ethernet0", "mtu", "67"},
		{"PORT|Ethernet0", "admin_status", "UP"},
		{"PORT|Ethernet0", "lanes", "1,2"},
		{"FLEX_COUNTER_TABLE|LLR", "POLL_INTERVAL", "99"},
		{"FLEX_COUNTER_TABLE|LLR", "FLEX_COUNTER_STATUS", "yes"},
		{"FLEX_COUNTER_TABLE|LLR", "FLEX_COUNTER_DELAY_STATUS", "yes"},
	} {
		b := newHarness(t)
		b.fast("Ethernet0")
		b.pass()
		before := b.m.Rows()
		b.set(c.key, c.field, c.value)
		where := c.key + " " + c.field
		if c.key == "LLR_PORT|Ethernet8" {
			where = c.key // it has no right field
		}
		b.complains("CONFIG_DB " + where)
		if diff := cmp.Diff(before, b.m.Rows()); diff != "" {
			t.Errorf("%s %s %q changes rows:\n%s", c.key, c.field, c.value, diff)
		}
	}
}

// TestMandatoryFields: a profile without one is not made.
func TestMandatoryFields(t *testing.T) {
	b := newHarness(t)
	b.set("LLR_PROFILE|fast", "max_outstanding_frames", "100")
	b.complains("LLR_PROFILE|fast max_outstanding_bytes", "mandatory")
	b.set("LLR_PROFILE|"+strings.Repeat("x", 65), "max_outstanding_frames", "1", "max_outstanding_bytes", "1")
	b.complains("65 characters")
}

// TestWrongRowAtTheStart: the LLR of a port whose row never was right stays as a process before left it.
func TestWrongRowAtTheStart(t *testing.T) {
	b := newHarness(t)
	b.fast("Ethernet0")
	b.pass()
	b.m = NewMachine(b.m.ports, nil)
	b.m.Attach(b.e.attached())
	b.set("LLR_PORT|Ethernet0", "llr_local", "?")
	b.complains("LLR_PORT|Ethernet0 llr_local")
	b.set("LLR_PORT|Ethernet0", "llr_local", "enabled")
	b.calls() // the object of the process before has the wanted values
	b.remove("LLR_PORT|Ethernet0")
	b.calls("set oid:0x1000000000001 llr_local 0", "set oid:0x1000000000001 llr_remote 0",
		"set oid:0x1000000000001 llr_profile 0", "remove oid:0x73000000000002")
}

// TestEmptyConfigDB: after a start of Redis CONFIG_DB is empty, and filled row by row. LLR stays as it is meanwhile.
func TestEmptyConfigDB(t *testing.T) {
	b := newHarness(t)
	delete(b.in, Initialized)
	b.fast("Ethernet0")
	b.pass()
	b.in = Rows{}
	b.complains("may not be loaded yet")
	if _, there := b.m.Rows()[Key{ApplDB, "LLR_PROFILE_TABLE:fast"}]; !there {
		t.Error("the row of the profile is gone")
	}
	b.set("PORT|Ethernet0")
	b.calls()
	b.fast("Ethernet0")
	b.calls()
	b.remove("LLR_PORT|Ethernet0") // it was there
	b.calls("set oid:0x1000000000001 llr_local 0", "set oid:0x1000000000001 llr_remote 0",
		"set oid:0x1000000000001 llr_profile 0", "remove oid:0x73000000000002")
	b.fast("Ethernet0")
	b.pass()
	b.in = Rows{Initialized: {}}
	if said, _ := b.pass(); len(said) != 4 {
		t.Errorf("a loaded CONFIG_DB without the row: %v", said)
	}
}

// TestModeDynamic: llr_mode is that of the daemon's configuration, which alone has the negotiation by LLDP.
func TestModeDynamic(t *testing.T) {
	b := newHarness(t)
	p := b.e.plane.Ports["link0"]
	p.Mode = "dynamic"
	b.e.plane.Ports["link0"] = p
	b.fast("Ethernet0")
	b.complains("LLR_PORT|Ethernet0 llr_mode", "mode: static")
	b.set("LLR_CONFIG|GLOBAL", "mode", "dynamic")
	if said, problems := b.pass(); len(said) != 4 {
		t.Errorf("%v, %q", said, problems)
	}
	if is := b.m.Rows()[Key{ApplDB, "LLR_PORT_TABLE:Ethernet0"}]["llr_mode"]; is != "dynamic" {
		t.Errorf("llr_mode is %q", is)
	}
}

// TestRefusedCall: a call that the daemon refuses is reported with its key and field, and tried again in each pass.
func TestRefusedCall(t *testing.T) {
	b := newHarness(t)
	b.fast("Ethernet0")
	b.e.refuses = "llr_remote"
	_, problems := b.pass()
	if len(problems) != 1 ||
		!strings.Contains(problems[0], "LLR_PORT|Ethernet0 llr_remote: uelinkd refuses this: no room") {
		t.Errorf("%q", problems)
	}
	if _, again := b.pass(); len(again) > 0 {
		t.Errorf("reported twice: %q", again)
	}
	b.e.refuses = ""
	b.calls("set oid:0x1000000000001 llr_remote 1")
	b.e.refuses = "create"
	b.set("LLR_PROFILE|fast", "max_outstanding_frames", "101")
	b.complainsOf("LLR_PROFILE|fast: uelinkd refuses")
}

// complainsOf makes a pass, and demands a new problem.
func (b *harness) complainsOf(words string) {
	b.t.Helper()
	if _, problems := b.pass(); !strings.Contains(fmt.Sprint(problems), words) {
		b.t.Errorf("%q has no %q", problems, words)
	}
}

// TestDaemonStartsAgain: what it has lost is made again; and a port that it has no longer is reported.
func TestDaemonStartsAgain(t *testing.T) {
	b := newHarness(t)
	b.fast("Ethernet0")
	b.pass()
	b.m.Pass(b.in, nil)
	if _, more := b.m.Next(); more {
		t.Error("a call while the daemon is away")
	}
	rows := b.m.Rows()
	if _, there := rows[keyPortState("Ethernet0")]; there || rows[keyNameMap]["Ethernet0"] == "" {
		t.Errorf("while the daemon is away: %v", rows)
	}
	b.e = newEnd()
	delete(b.e.plane.Ports, "link1")
	b.m.Attach(b.e.attached())
	said, problems := b.pass()
	if len(said) != 4 || !strings.Contains(fmt.Sprint(problems), "ports Ethernet4: uelinkd has no port link1") {
		t.Errorf("%v, %q", said, problems)
	}
}

// TestProfileOfAnotherClient: one that another client of SAI uses is not removed, and nobody is told.
func TestProfileOfAnotherClient(t *testing.T) {
	b := newHarness(t)
	b.fast("Ethernet0")
	b.pass()
	b.e.refuses = "remove"
	b.remove("LLR_PORT|Ethernet0")
	if said, problems := b.pass(); len(said) != 4 || len(problems) > 0 {
		t.Errorf("%v, %q", said, problems)
	}
}

// TestReloadGivesUp: a reload that gives up what SAI has set on a port gives the port the file's LLR. The machine sets
// the rows' LLR again, with the profile that it has made.
func TestReloadGivesUp(t *testing.T) {
	b := newHarness(t)
	b.fast("Ethernet4")
	b.calls("create LLR profile fast", "set oid:0x1000000000002 llr_profile oid:0x73000000000002",
		"set oid:0x1000000000002 llr_local 1", "set oid:0x1000000000002 llr_remote 1")
	*b.e.ports[link1] = Attached{Profile: 0x73000000000fff, Remote: true}
	b.m.Attach(b.e.attached())
	b.calls("set oid:0x1000000000002 llr_profile oid:0x73000000000002", "set oid:0x1000000000002 llr_local 1")
	b.remove("LLR_PORT|Ethernet4")
	b.calls("set oid:0x1000000000002 llr_local 0", "set oid:0x1000000000002 llr_remote 0",
		"set oid:0x1000000000002 llr_profile 0", "remove oid:0x73000000000002")
}

// TestPortIsRemoved: no call is for a port that a reload has removed.
func TestPortIsRemoved(t *testing.T) {
	b := newHarness(t)
	b.fast("Ethernet4")
	b.pass()
	delete(b.e.plane.Ports, "link1")
	b.set("LLR_PORT|Ethernet4", "llr_remote", "disabled")
	b.complains("uelinkd has no port link1")
}
