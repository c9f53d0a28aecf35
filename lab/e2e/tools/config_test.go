package tools

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"uelink/lab/e2e/bed"
	"uelink/sai"
)

// Attributes of SAI 1.18.
const (
	profileFrames = 0 // SAI_PORT_LLR_PROFILE_ATTR_OUTSTANDING_FRAMES_MAX
	profileBytes  = 1
	profileCount  = 3    // SAI_PORT_LLR_PROFILE_ATTR_REPLAY_COUNT_MAX
	portProfile   = 0xc2 // SAI_PORT_ATTR_LLR_PROFILE
)

// What a command and SAI have changed is saved in the file, survives a restart, and leaves the rest of the file as it
// was.
func TestConfigSaveSurvivesARestart(t *testing.T) {
	t.Parallel()
	p := bed.Direct(t).Daemons(bed.Settings{Top: "# the end of the file"})
	before, err := os.ReadFile(p.A.Config)
	bed.Must(t, err)
	if diff := p.A.Tool("config", "diff").Succeeds().Objects(); len(diff) > 0 {
		t.Errorf("after the start: %v", diff)
	}
	c := p.A.Client
	profile, err := c.SAICreate(t.Context(), sai.TypeLLRProfile, []sai.Set{
		{ID: profileFrames, Value: sai.Value{Number: 77}}, {ID: profileBytes, Value: sai.Value{Number: 1 << 20}},
		{ID: profileCount, Value: sai.Value{Number: 255}},
	})
	bed.Must(t, err)
	objects, err := c.SAIObjects(t.Context())
	bed.Must(t, err)
	for _, o := range objects {
		if o.Type == sai.TypePort && o.Name == "link0" {
			bed.Must(t, c.SAISet(t.Context(), o.OID, sai.Set{ID: portProfile, Value: sai.Value{OID: profile}}))
		}
	}
	bed.Must(t, c.SetLLRRemote(t.Context(), "link0", false))
	if diff := p.A.Tool("config", "diff").Objects(); len(diff) == 0 {
		t.Error("no difference after a change")
	}
	other := filepath.Join(t.TempDir(), "other.yaml")
	p.A.Tool("config", "save", other).Succeeds()
	p.A.Tool("config", "save").Succeeds()
	text, err := os.ReadFile(p.A.Config)
	bed.Must(t, err)
	copied, err := os.ReadFile(other)
	bed.Must(t, err)
	if string(text) != string(copied) || !strings.HasSuffix(string(text), "# the end of the file\n") {
		t.Errorf("saved\n%s\nand\n%s\nof\n%s", text, copied, before)
	}
	if diff := p.A.Tool("config", "diff").Succeeds().Objects(); len(diff) > 0 {
		t.Errorf("after it was saved: %v", diff)
	}

	bed.Must(t, c.SetLLRRemote(t.Context(), "link0", true))
	p.A.Tool("config", "save").Succeeds() // once more, without a reload between
	bed.Must(t, c.SetLLRRemote(t.Context(), "link0", false))
	if code := p.A.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	p.A.Start()
	got, err := c.LLRInterface(t.Context(), "link0")
	bed.Must(t, err)
	if !got.Remote || !strings.HasPrefix(got.Profile, "oid-") {
		t.Errorf("after the restart: %+v", got)
	}
	profiles, err := c.LLRProfile(t.Context(), got.Profile)
	bed.Must(t, err)
	if profiles.MaxOutstandingFrames != 77 {
		t.Errorf("after the restart: %+v", profiles)
	}
	p.Advance()
}

// A static entry that a command has added survives a restart once it is saved, and is lost otherwise; the command says
// so.
func TestSavedStaticEntrySurvivesARestart(t *testing.T) {
	t.Parallel()
	top := bed.Direct(t)
	p := bed.Pair{A: bed.NewDaemon(t, top.A, "A", bed.Switching), B: bed.NewDaemon(t, top.B, "B", bed.Switching)}
	p.Start()
	static := func() (list []string) {
		for _, e := range p.A.Tool("fdb", "show", "static").Succeeds().Objects() {
			list = append(list, e["mac"].(string)+" "+e["ifname"].(string))
		}
		return list
	}
	const saved, lost = "02:00:00:00:00:71", "02:00:00:00:00:72"
	if a := p.A.Tool("fdb", "add", saved, "dev", "edge0").Succeeds(); !strings.Contains(a.Stderr, "uelink config save") {
		t.Errorf("%q", a.Stderr)
	}
	p.A.Tool("config", "save").Succeeds()
	p.A.Tool("fdb", "add", lost, "dev", "link0").Succeeds()
	if list := static(); len(list) != 2 {
		t.Errorf("before the restart: %q", list)
	}
	if code := p.A.Terminate(); code != 0 {
		t.Errorf("exit %d", code)
	}
	p.A.Start()
	if list := static(); len(list) != 1 || list[0] != saved+" edge0" {
		t.Errorf("after the restart: %q", list)
	}
	p.A.Tool("fdb", "del", saved, "dev", "edge0").Succeeds()
	if a := p.A.Tool("config", "save"); a.Code != 1 || !strings.Contains(a.Stderr, "not saved: static FDB entry "+saved) {
		t.Errorf("exit %d, %q", a.Code, a.Stderr)
	}
}
