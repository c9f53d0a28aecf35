package store

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"uelink/dataplane"
	"uelink/internal/snapshot"
	"uelink/internal/snapshot/snapshottest"
	"uelink/sai"
)

// everything makes an object of each type, and sets attributes of objects of the configuration.
func (b *bed) everything() (profile sai.OID) {
	b.t.Helper()
	link := b.oid(sai.TypePort, "link0")
	profile = b.make(sai.TypeLLRProfile, append(mandatory(), attr(llrDataAge, number(5)))...)
	b.set(link, portLLRProfile, sai.Value{OID: profile})
	b.set(link, portLLRLocal, truth(true))
	pool := b.make(sai.TypeCreditPool, attr(poolPort, sai.Value{OID: link}), attr(poolSize, number(600)))
	credits := b.make(sai.TypeCreditProfile, attr(creditPool, sai.Value{OID: pool}), attr(creditReserved, number(50)),
		attr(creditMode, number(thresholdStatic)), attr(creditStatic, number(0)))
	b.make(sai.TypeVC, attr(vcPort, sai.Value{OID: link}), attr(vcIndex, number(1)),
		attr(vcProfile, sai.Value{OID: credits}))
	toTC := b.make(sai.TypeQoSMap, attr(mapType, number(mapDSCP)),
		attr(mapList, sai.Value{Map: []sai.Pair{pair(46, 5), pair(8, 1)}}))
	b.set(link, portDSCP, sai.Value{OID: toTC})
	b.set(b.oid(sai.TypeLLRProfile, "default"), llrCount, number(7))
	if err := b.SetFor("client 1", b.queue("edge0", 3), attr(queueDequeue, truth(false))); err != nil {
		b.t.Fatal(err)
	}
	return profile
}

// another returns the store of another process with the objects of b, and its data plane.
func (b *bed) another() *bed {
	b.t.Helper()
	return b.anotherOf(configuration())
}

// anotherOf is another with a configuration.
func (b *bed) anotherOf(file dataplane.Settings) *bed {
	b.t.Helper()
	b.Freeze()
	state := b.Save()
	b.Thaw()
	s, err := Restore(state, file, zap.NewNop())
	if err != nil {
		b.t.Fatal(err)
	}
	p := &plane{}
	if err := p.Reload(s.Settings()); err != nil {
		b.t.Fatal(err)
	}
	s.Attach(p)
	return &bed{s, b.t, p}
}

// TestObjectsInAnotherProcess: all objects have their ids, attributes and effects there, and no id is used again.
func TestObjectsInAnotherProcess(t *testing.T) {
	b := newBed(t)
	profile := b.everything()
	after := b.another()
	if diff := cmp.Diff(b.Objects(), after.Objects()); diff != "" {
		t.Errorf("(-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(b.plane.s.Ports, after.plane.s.Ports); diff != "" {
		t.Errorf("settings of ports (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(b.plane.s.Profiles, after.plane.s.Profiles); diff != "" {
		t.Errorf("profiles (-before +after):\n%s", diff)
	}
	used := map[sai.OID]bool{}
	for _, o := range b.Objects() {
		used[o.OID] = true
	}
	if oid := after.make(sai.TypeLLRProfile, mandatory()...); used[oid] {
		t.Errorf("%s is used again", oid)
	}
	after.refused("a used profile", after.Remove(profile), sai.ObjectInUse)
	after.set(after.oid(sai.TypePort, "link0"), portLLRLocal, truth(false))
	after.set(after.oid(sai.TypePort, "link0"), portLLRProfile, sai.Value{})
	if err := after.Remove(profile); err != nil {
		t.Error(err)
	}
}

// TestCommandsBeforeAHandover: a mode that a command has switched since SAI set it is as the command left it.
func TestCommandsBeforeAHandover(t *testing.T) {
	b := newBed(t)
	b.everything()
	if err := b.plane.SetLLRLocal("link0", false); err != nil {
		t.Fatal(err)
	}
	if p := portOf(b.another().Settings(), "link0"); p.LLR.Local {
		t.Error("LLR_MODE_LOCAL is true again")
	}
}

// TestRestoreWithoutAState: the objects are those of the configuration.
func TestRestoreWithoutAState(t *testing.T) {
	s, err := Restore(nil, configuration(), zap.NewNop())
	if err != nil || len(s.objects) != len(newBed(t).objects) {
		t.Errorf("%d objects, %v", len(s.objects), err)
	}
	if diff := cmp.Diff(configuration().Ports, s.Settings().Ports); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestStateOfAnotherVersion: an object, an attribute or a port that this version does not have is an error.
func TestStateOfAnotherVersion(t *testing.T) {
	for want, list := range map[string][]saved{
		"no SAI objects of type 7":            {{OID: 7 << sai.TypeShift}},
		"no SAI objects of SWITCH":            {{OID: sai.SwitchOID}},
		"twice":                               {{OID: 115<<sai.TypeShift | 1}, {OID: 115<<sai.TypeShift | 1}},
		"PORT_LLR_PROFILE has no attribute":   {{OID: 115 << sai.TypeShift, Values: []savedValue{{ID: 77}}}},
		"port link9, which is not configured": {{OID: 116 << sai.TypeShift, Port: "link9"}},
	} {
		_, err := Restore(snapshot.Save(savedKind, foreign(list)), configuration(), zap.NewNop())
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v: want %s", err, want)
		}
	}
}

// foreign is the objects of another version.
type foreign []saved

func (f foreign) PassState(s *snapshot.State) {
	list := []saved(f)
	snapshot.List(s, "objects", &list, most, func(s *snapshot.State, o *saved) { s.Struct("object", o) })
}

// TestGoldenStatesAreRead: the objects of each version that was ever saved are restored.
func TestGoldenStatesAreRead(t *testing.T) {
	s := newStore(nil, configuration(), zap.NewNop())
	p := &plane{}
	if err := p.Reload(configuration()); err != nil {
		t.Fatal(err)
	}
	s.plane, s.next = p, 1
	s.follow()
	(&bed{s, t, p}).everything()
	snapshottest.Golden(t, savedKind, s,
		func() snapshot.Machine { return newStore(nil, configuration(), zap.NewNop()) })
}
