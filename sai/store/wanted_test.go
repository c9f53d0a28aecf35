package store

import (
	"errors"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"uelink/cbfc"
	"uelink/dataplane"
	"uelink/dataplane/qos"
	"uelink/sai"
)

// pooled is a configuration whose link1 has two virtual channels with credit profiles and a map to them, and whose
// edge0 classifies frames by DSCP.
func pooled() dataplane.Settings {
	s := configuration()
	link, edge := &s.Ports[1], &s.Ports[2]
	link.VCs, link.CBFC.Lossless = 4, 1<<1|1<<2
	link.CBFC.Profile[1] = cbfc.Profile{Reserved: 10, Static: 20}
	link.CBFC.Profile[2] = cbfc.Profile{Reserved: 30, NoShared: true}
	link.QoS.Queue[5], link.QoS.Queue[6] = 1, 2
	edge.QoS = qos.Map{Trust: qos.TrustDSCP}
	edge.QoS.DSCP[46], edge.QoS.Dot1pDEI[6], edge.QoS.Dot1pDEI[7] = 5, 3, 4
	return s
}

func bedOf(t *testing.T, s dataplane.Settings) *bed {
	t.Helper()
	p := &plane{}
	if err := p.Reload(s); err != nil {
		t.Fatal(err)
	}
	return &bed{New(p, s, zap.NewNop()), t, p}
}

// reload reads pooled again, with a change.
func (b *bed) reload(change func(*dataplane.Settings)) {
	b.t.Helper()
	next := pooled()
	change(&next)
	if err := b.Reload(next); err != nil {
		b.t.Fatal(err)
	}
}

// TestMapsOfTheConfiguration: the maps of the file are objects that ports name. Their entries can be set, a port can
// have the map of another port, or none, and its own again; a file that has changed wins.
func TestMapsOfTheConfiguration(t *testing.T) {
	b := bedOf(t, pooled())
	edge, link, other := b.oid(sai.TypePort, "edge0"), b.oid(sai.TypePort, "link1"), b.oid(sai.TypePort, "link0")
	dscp, dot1p, toVC := b.get(edge, portDSCP).OID, b.get(edge, portDot1p).OID, b.get(link, portTCToVC).OID
	for oid, want := range map[sai.OID][]sai.Pair{dscp: {pair(46, 5)}, dot1p: {pair(3, 3)},
		toVC: {pair(5, 1), pair(6, 2)}} {
		if is := b.get(oid, mapList).Map; !slices.Equal(is, want) {
			t.Errorf("%s has %v, want %v", oid, is, want)
		}
	}
	if oid := b.get(other, portDSCP).OID; oid != 0 {
		t.Errorf("a port that trusts nothing has the map %s", oid)
	}
	is := func(what string, port string, trust qos.Trust, class46, class3 uint8) {
		t.Helper()
		if m := b.plane.port(port).QoS; m.Trust != trust || m.DSCP[46] != class46 || m.Dot1pDEI[7] != class3 {
			t.Errorf("%s: trust %s, DSCP 46 has class %d, PCP 3 DEI 1 has %d", what, m.Trust, m.DSCP[46], m.Dot1pDEI[7])
		}
	}
	b.set(link, portCCTimer, number(7)) // applies everything
	is("as the file has it", "edge0", qos.TrustDSCP, 5, 4)
	b.set(dscp, mapList, sai.Value{Map: []sai.Pair{pair(46, 7)}})
	is("other entries", "edge0", qos.TrustDSCP, 7, 4)
	b.set(other, portDSCP, sai.Value{OID: dscp})
	is("a map of another port", "link0", qos.TrustDSCP, 7, 0)
	b.set(edge, portDSCP, sai.Value{})
	is("no map", "edge0", qos.TrustDot1p, 0, 4)
	b.set(edge, portDSCP, sai.Value{OID: dscp})
	is("the map again", "edge0", qos.TrustDSCP, 7, 4)
	b.refused("remove", b.Remove(dscp), sai.NotSupported)

	b.reload(func(*dataplane.Settings) {})
	is("the same file", "edge0", qos.TrustDSCP, 7, 4)
	b.reload(func(s *dataplane.Settings) { s.Ports[2].QoS.DSCP[46] = 2 })
	is("another map in the file", "edge0", qos.TrustDSCP, 2, 4)
	is("and at the other port", "link0", qos.TrustDSCP, 2, 0)
	b.reload(func(s *dataplane.Settings) { s.Ports[2].QoS = qos.Map{} })
	is("no map in the file", "edge0", qos.TrustNone, 0, 0)
	b.refused("a map that is gone", b.SetAttribute(dscp, attr(mapList, sai.Value{})), sai.InvalidObjectID)
	if oid := b.get(other, portDSCP).OID; oid != 0 {
		t.Errorf("another port still has the map %s", oid)
	}
}

// TestCreditsOfTheConfiguration: credit profiles of the file and their pool are objects, and what SAI sets of them
// acts.
func TestCreditsOfTheConfiguration(t *testing.T) {
	b := bedOf(t, pooled())
	link := b.oid(sai.TypePort, "link1")
	one, two := b.oid(sai.TypeVC, "link1 VC 1"), b.oid(sai.TypeVC, "link1 VC 2")
	profile, none := b.get(one, vcProfile).OID, b.get(two, vcProfile).OID
	pool := b.get(profile, creditPool).OID
	if list := b.get(link, 0xdc).OIDs; !slices.Equal(list, []sai.OID{pool}) || b.get(none, creditPool).OID != pool {
		t.Errorf("the pools of the port are %v, that of the profiles is %s", list, pool)
	}
	for _, c := range []struct {
		oid  sai.OID
		id   uint32
		want int64
	}{{profile, creditReserved, 10}, {profile, creditMode, thresholdStatic}, {profile, creditStatic, 20},
		{none, creditReserved, 30}, {none, creditMode, 0}, {pool, poolSize, 0}, {pool, poolShared, 0}} {
		if is := b.get(c.oid, c.id).Number; is != c.want {
			t.Errorf("attribute %d of %s is %d, want %d", c.id, c.oid, is, c.want)
		}
	}
	_, err := b.Create(sai.TypeCreditPool, []sai.Set{attr(poolPort, sai.Value{OID: link}), attr(poolSize, number(300))},
		false)
	b.refused("a second pool", err, sai.ItemAlreadyExists)
	b.refused("a threshold without its mode", b.SetAttribute(none, attr(creditStatic, number(1))), invalidAttribute)
	b.refused("credits for no frame", b.SetAttribute(none, attr(creditReserved, number(0))), sai.Failure)

	b.set(profile, creditReserved, number(11))
	b.set(pool, poolSize, number(100))
	c := b.plane.port("link1").CBFC
	if c.Pool != 100 || c.Pooled != 1<<1|1<<2 || c.Profile[1] != (cbfc.Profile{Reserved: 11, Static: 20}) ||
		c.Profile[2] != pooled().Ports[1].CBFC.Profile[2] {
		t.Errorf("%+v", c)
	}
	if is := b.get(pool, poolShared).Number; is != 100-11-30 {
		t.Errorf("SHARED_SIZE is %d", is)
	}
	after := b.anotherOf(pooled())
	if diff := cmp.Diff(b.Objects(), after.Objects()); diff != "" {
		t.Errorf("in another process (-before +after):\n%s", diff)
	}
	b.set(two, vcProfile, sai.Value{})
	if c := b.plane.port("link1").CBFC; c.Profile[2] != (cbfc.Profile{}) || c.Pooled != 1<<1 {
		t.Errorf("without a profile: %+v", c)
	}
	b.reload(func(s *dataplane.Settings) { s.Ports[1].CBFC.Profile[1].Reserved = 12 })
	if is := b.get(profile, creditReserved).Number; is != 12 || b.plane.port("link1").CBFC.Pool != 100 {
		t.Errorf("another profile in the file: %d reserved", is)
	}
	b.reload(func(s *dataplane.Settings) { s.Ports[1].CBFC.Profile = [cbfc.VCs]cbfc.Profile{} })
	b.refused("a pool that is gone", b.SetAttribute(pool, attr(poolSize, number(5))), sai.InvalidObjectID)
}

// TestPoolOfSAIBeforeTheFile: a pool that SAI made stays when the file gets profiles, and the file's pool takes its
// place after its removal.
func TestPoolOfSAIBeforeTheFile(t *testing.T) {
	s := pooled()
	profiles := s.Ports[1].CBFC.Profile
	s.Ports[1].CBFC.Profile = [cbfc.VCs]cbfc.Profile{}
	b := bedOf(t, s)
	link := b.oid(sai.TypePort, "link1")
	pool := b.make(sai.TypeCreditPool, attr(poolPort, sai.Value{OID: link}), attr(poolSize, number(300)))
	b.reload(func(*dataplane.Settings) {})
	if list := b.get(link, 0xdc).OIDs; !slices.Equal(list, []sai.OID{pool}) {
		t.Errorf("the pools are %v", list)
	}
	if err := b.Remove(pool); err != nil {
		t.Fatal(err)
	}
	if list := b.get(link, 0xdc).OIDs; len(list) != 1 || list[0] == pool {
		t.Errorf("the pools are %v, and SAI's was %s", list, pool)
	}
	if c := b.plane.port("link1").CBFC; c.Profile != profiles || c.Pool != 0 {
		t.Errorf("%+v", c)
	}
}

// TestRefusedReloadKeepsObjects: what the data plane refuses leaves the objects of the former file.
func TestRefusedReloadKeepsObjects(t *testing.T) {
	b := bedOf(t, pooled())
	before := maps.Clone(b.objects)
	b.plane.refuse = errors.New("no room")
	if err := b.Reload(configuration()); err == nil {
		t.Fatal("the reload was not refused")
	}
	if !reflect.DeepEqual(before, b.objects) {
		t.Errorf("%d objects, before %d", len(b.objects), len(before))
	}
}
