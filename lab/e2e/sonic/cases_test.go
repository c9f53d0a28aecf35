package sonic

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"uelink/internal/netns"
	"uelink/lab/e2e/bed"
	"uelink/sai"
	"uelink/sonic"
)

// The names of SONiC's profiles for the speeds and cables of the cases.
const (
	profile40m  = "llr_40000_40m_profile"
	profile5m   = "llr_40000_5m_profile"
	profile200g = "llr_200000_40m_profile"
)

// plan is a uelink sonic with two ports, Ethernet0 and Ethernet4, for the cases of SONiC's tests of LLR: each has a
// speed of 40000 and a cable of 40m.
type plan struct {
	*server
	t      *testing.T
	d      *bed.Daemon
	j      joined
	fences int
}

// newPlan starts a daemon with two links, Redis, and uelink sonic.
func newPlan(t *testing.T) *plan {
	t.Helper()
	top := bed.Direct(t)
	bed.Must(t, netns.Veth(top.A, "link1", top.B, "link1", bed.LinkMTU))
	bed.Must(t, netns.Veth(top.A, "edge1", top.B, "edge1", bed.EdgeMTU))
	d := bed.NewDaemon(t, top.A, "A", off)
	d.Write(strings.Replace(off.Text(d.Socket), "xconnects: [{edge: edge0, link: link0}]",
		"  - {name: edge1, interface: edge1, role: edge}\n  - {name: link1, interface: link1, role: link}\n"+
			"xconnects: [{edge: edge0, link: link0}, {edge: edge1, link: link1}]", 1))
	d.Start()
	table := filepath.Join(t.TempDir(), "llr_profile_lookup.ini")
	writeFile(t, table, `speed cable outstanding_frames outstanding_bytes
40000  40m 100 50000
40000  5m  50  25000
200000 40m 400 200000
200000 5m  200 100000
`)
	p := &plan{server: newServer(t, top.A), t: t, d: d}
	p.j = join(t, d, fmt.Sprintf("redis: {socket: %q}\nports:\n  - {name: Ethernet0, port: link0}\n"+
		"  - {name: Ethernet4, port: link1}\nprofile_lookup: %s\n", p.Socket, table))
	bed.Must(t, p.db[sonic.ConfigDB].Set(t.Context(), "CONFIG_DB_INITIALIZED", "1", 0).Err())
	return p
}

// base sets the rows that every case begins with, and removes those that another one has left.
func (p *plan) base(t *testing.T) {
	t.Helper()
	p.t, p.server.t = t, t
	for _, table := range []string{"LLR_PORT|*", "LLR_PROFILE|*"} {
		for _, key := range p.keys(sonic.ConfigDB, table) {
			p.remove(key)
		}
	}
	p.cable("Ethernet0", "40m")
	p.cable("Ethernet4", "40m")
	p.speed("40000")
	p.settle()
	p.published()
}

// remove removes a row of CONFIG_DB.
func (p *plan) remove(key string) {
	p.t.Helper()
	bed.Must(p.t, p.db[sonic.ConfigDB].Del(p.t.Context(), key).Err())
}

// cable sets the length of the cable of a port.
func (p *plan) cable(port, length string) { p.config("CABLE_LENGTH|AZURE", port, length) }

// speed sets the speed of both ports.
func (p *plan) speed(mbps string) {
	for _, port := range []string{"Ethernet0", "Ethernet4"} {
		p.set(sonic.StateDB, "PORT_TABLE|"+port, "speed", mbps)
	}
}

// on enables both directions of LLR of a port, with more fields.
func (p *plan) on(port string, more ...string) {
	p.config("LLR_PORT|"+port, append([]string{"llr_mode", "static", "llr_local", "enabled", "llr_remote", "enabled"},
		more...)...)
}

// settle waits until uelink sonic has read all that was written, and written all rows that follow: a wrong value is
// logged in the pass that reads it, and the next such line begins with the rows of that pass written.
func (p *plan) settle() {
	p.t.Helper()
	for range 2 {
		p.fences++
		p.config("LLR_CONFIG|GLOBAL", "mode", "fence"+strconv.Itoa(p.fences))
		p.j.says(fmt.Sprintf("fence%d", p.fences))
	}
	p.remove("LLR_CONFIG|GLOBAL")
}

// published waits until APPL_DB has rows of these ports, each "Ethernet0=PROFILE", and of their profiles, and no
// others; and demands that the daemon has the same: LLR of both directions, or of none, and a profile with SONiC's
// frames.
func (p *plan) published(ports ...string) {
	p.t.Helper()
	p.settle()
	want, profiles := map[string]string{}, map[string]bool{}
	for _, port := range ports {
		name, profile, _ := strings.Cut(port, "=")
		want[name] = profile
		profiles["LLR_PROFILE_TABLE:"+profile] = true
	}
	bed.Eventually(p.t, "the rows of APPL_DB", func() string {
		found := map[string]string{}
		for _, key := range p.keys(sonic.ApplDB, "LLR_PORT_TABLE:*") {
			row := p.row(sonic.ApplDB, key)
			if row["llr_local"] != "enabled" || row["llr_remote"] != "enabled" {
				return fmt.Sprintf("%s is %v", key, row)
			}
			found[strings.TrimPrefix(key, "LLR_PORT_TABLE:")] = row["llr_profile"]
		}
		if rows := p.keys(sonic.ApplDB, "LLR_PROFILE_TABLE:*"); !maps.Equal(found, want) ||
			!slices.Equal(rows, slices.Sorted(maps.Keys(profiles))) {
			return fmt.Sprintf("ports %v, want %v; profiles %v", found, want, rows)
		}
		return ""
	})
	for _, port := range []string{"Ethernet0", "Ethernet4"} {
		p.programmed(port, want[port])
	}
}

// programmed waits until the daemon has LLR of both directions on a port with the values of a profile, or, without a
// name, of none.
func (p *plan) programmed(port, profile string) {
	p.t.Helper()
	bed.Eventually(p.t, "attributes of SAI of "+port, func() string {
		var oid sai.OID
		if err := oid.UnmarshalText([]byte(p.row(sonic.CountersDB, "COUNTERS_PORT_NAME_MAP")[port])); err != nil {
			return err.Error()
		}
		port, err := p.d.Client.SAIGet(p.t.Context(), oid, sonic.AttrLocal, sonic.AttrRemote, sonic.AttrProfile)
		if err != nil {
			return err.Error()
		}
		on := profile != ""
		if got := port[0].Number != 0; got != on || (port[1].Number != 0) != on {
			return fmt.Sprintf("local and remote are %v, want %v", port, on)
		}
		if !on {
			return ""
		}
		frames, err := p.d.Client.SAIGet(p.t.Context(), port[2].OID, 0)
		want := p.row(sonic.ApplDB, "LLR_PROFILE_TABLE:"+profile)["max_outstanding_frames"]
		if err != nil || fmt.Sprint(frames[0].Number) != want {
			return fmt.Sprintf("the profile has %v frames (%v), want %s", frames, err, want)
		}
		return ""
	})
}

// own is a profile of the user.
func (p *plan) own(name string) {
	p.config("LLR_PROFILE|"+name, "max_outstanding_frames", "256", "max_outstanding_bytes", "131072")
}

// The cases of SONiC's tests of LLR, in their order. Where they look at ASIC_DB, these look at the attribute of SAI
// that the daemon has.
func TestCasesOfSONiC(t *testing.T) {
	p := newPlan(t)
	for i, c := range []struct {
		name string
		run  func(p *plan)
	}{
		{"capabilities", (*plan).capabilities},
		{"a port waits for its cable", (*plan).waitsForCable},
		{"both directions", (*plan).bothDirections},
		{"a profile of its own", (*plan).ownProfile},
		{"two ports share a profile", (*plan).twoPorts},
		{"cable and speed change", (*plan).changes},
		{"cable and speed go", (*plan).goes},
		{"a port is deleted", (*plan).deleted},
		{"a profile without mandatory fields", (*plan).incomplete},
		{"a profile that comes later", (*plan).comesLater},
		{"cable and speed first", (*plan).cableFirst},
		{"a cable and a speed without a profile", (*plan).noProfile},
	} {
		t.Run(fmt.Sprintf("%d %s", i+1, c.name), func(t *testing.T) {
			p.base(t)
			c.run(p)
		})
	}
}

func (p *plan) capabilities() {
	row := p.row(sonic.StateDB, "SWITCH_CAPABILITY|switch")
	if row["LLR_CAPABLE"] != "true" || !strings.Contains(row["LLR_SUPPORTED_PROFILE_ATTRIBUTES"], "FRAMES_MAX") {
		p.t.Errorf("SWITCH_CAPABILITY is %v", row)
	}
}

func (p *plan) waitsForCable() {
	bed.Must(p.t, p.db[sonic.ConfigDB].HDel(p.t.Context(), "CABLE_LENGTH|AZURE", "Ethernet0").Err())
	p.on("Ethernet0")
	p.published()
	p.cable("Ethernet0", "40m")
	p.published("Ethernet0=" + profile40m)
}

func (p *plan) bothDirections() {
	p.config("LLR_PORT|Ethernet0", "llr_mode", "static", "llr_local", "enabled", "llr_remote", "disabled")
	p.published()
	p.config("LLR_PORT|Ethernet0", "llr_remote", "enabled")
	p.published("Ethernet0=" + profile40m)
	p.config("LLR_PORT|Ethernet0", "llr_local", "disabled")
	p.published()
}

func (p *plan) ownProfile() {
	p.own("fast")
	p.published()
	p.on("Ethernet0", "llr_profile", "fast")
	p.published("Ethernet0=fast")
	if frames := p.row(sonic.ApplDB, "LLR_PROFILE_TABLE:fast")["max_outstanding_frames"]; frames != "256" {
		p.t.Errorf("max_outstanding_frames is %q", frames)
	}
	p.cable("Ethernet0", "5m")
	p.speed("200000")
	p.published("Ethernet0=fast")
	p.remove("LLR_PROFILE|fast") // a profile in use stays
	p.published("Ethernet0=fast")
}

func (p *plan) twoPorts() {
	p.on("Ethernet0")
	p.on("Ethernet4")
	p.published("Ethernet0="+profile40m, "Ethernet4="+profile40m)
	p.remove("LLR_PORT|Ethernet0")
	p.published("Ethernet4=" + profile40m)
	p.remove("LLR_PORT|Ethernet4")
	p.published()
}

func (p *plan) changes() {
	p.on("Ethernet0")
	p.published("Ethernet0=" + profile40m)
	p.cable("Ethernet0", "5m")
	p.published("Ethernet0=" + profile5m)
	p.cable("Ethernet0", "40m")
	p.published("Ethernet0=" + profile40m)
	p.speed("200000")
	p.published("Ethernet0=" + profile200g)
	p.speed("40000")
	p.published("Ethernet0=" + profile40m)
}

// goes ends with a row of STATE_DB that is gone: its speed is the daemon's then, for which the table has no profile.
func (p *plan) goes() {
	p.on("Ethernet0")
	p.published("Ethernet0=" + profile40m)
	bed.Must(p.t, p.db[sonic.ConfigDB].HDel(p.t.Context(), "CABLE_LENGTH|AZURE", "Ethernet0").Err())
	p.published()
	p.cable("Ethernet0", "40m")
	p.published("Ethernet0=" + profile40m)
	bed.Must(p.t, p.db[sonic.StateDB].Del(p.t.Context(), "PORT_TABLE|Ethernet0").Err())
	p.published()
	p.speed("40000")
	p.published("Ethernet0=" + profile40m)
}

func (p *plan) deleted() {
	p.on("Ethernet0")
	p.published("Ethernet0=" + profile40m)
	p.remove("LLR_PORT|Ethernet0")
	p.published()
	if text := p.d.ToolText("sai", "objects"); strings.Contains(text, "made by sai") {
		p.t.Errorf("a profile is left:\n%s", text)
	}
}

func (p *plan) incomplete() {
	p.config("LLR_PROFILE|slow", "max_replay_count", "7")
	p.on("Ethernet0", "llr_profile", "slow")
	p.published("Ethernet0=" + profile40m)
	p.own("slow")
	p.published("Ethernet0=slow")
}

func (p *plan) comesLater() {
	p.on("Ethernet0", "llr_profile", "late")
	p.published("Ethernet0=" + profile40m)
	p.own("late")
	p.published("Ethernet0=late")
}

func (p *plan) cableFirst() {
	p.cable("Ethernet0", "5m")
	p.published()
	p.on("Ethernet0")
	p.published("Ethernet0=" + profile5m)
}

func (p *plan) noProfile() {
	p.on("Ethernet0")
	p.published("Ethernet0=" + profile40m)
	p.cable("Ethernet0", "999m")
	p.published()
	p.cable("Ethernet0", "40m")
	p.published("Ethernet0=" + profile40m)
	p.speed("999999")
	p.published()
	p.speed("40000")
	p.published("Ethernet0=" + profile40m)
}
