package store

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"

	"uelink/cbfc"
	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/llr"
	"uelink/sai"
)

// plane is a data plane that is only its settings.
type plane struct {
	mu     sync.Mutex
	s      dataplane.Settings
	ports  []model.PortState
	refuse error // of the next Reload

	reloaded func() // called by each Reload; nil: nothing
	calls    []string
}

func (p *plane) Reload(s dataplane.Settings) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.refuse; err != nil {
		p.refuse = nil
		return err
	}
	if p.reloaded != nil {
		p.reloaded()
	}
	p.s, p.ports = s, nil
	for _, port := range s.Ports {
		p.ports = append(p.ports, stateOf(port))
	}
	return nil
}

// stateOf returns the state of a port that does at once what its settings say.
func stateOf(port model.PortSettings) model.PortState {
	st := model.PortState{Name: port.Name, Role: port.Role, OperStatus: model.OperUp, MTU: 1500, VCs: port.VCs}
	if port.Role != model.RoleLink || port.Protocol != model.LLR {
		return st
	}
	st.LLR = &model.LLRState{Mode: port.LLR.Mode, Profile: port.LLR.Profile}
	if port.LLR.Mode != model.LLROff {
		st.LLR.Local, st.LLR.Remote = port.LLR.Local, port.LLR.Remote
	}
	if port.CBFC.On {
		st.CBFC = &cbfc.State{On: true}
		for vc := range cbfc.VCs {
			if port.CBFC.Lossless>>vc&1 != 0 || port.CBFC.Limit[vc] > 0 {
				st.CBFC.VCs = append(st.CBFC.VCs, cbfc.VCState{VC: vc, Wanted: port.CBFC.Lossless>>vc&1 != 0})
			}
		}
	}
	return st
}

func (p *plane) Ports() []model.PortState {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.ports)
}

func (p *plane) SetLLRLocal(port string, on bool) error {
	return p.switched(port, "local", on, func(s *model.LLRState) { s.Local = on })
}

func (p *plane) SetLLRRemote(port string, on bool) error {
	return p.switched(port, "remote", on, func(s *model.LLRState) { s.Remote = on })
}

func (p *plane) switched(port, mode string, on bool, set func(*model.LLRState)) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls = append(p.calls, fmt.Sprintf("%s %s %v", port, mode, on))
	for i := range p.ports {
		if p.ports[i].Name == port {
			set(p.ports[i].LLR)
		}
	}
	return nil
}

func (p *plane) Subscribe() (<-chan model.Event, func()) { return make(chan model.Event), func() {} }

// port returns the settings in force of a port.
func (p *plane) port(name string) *model.PortSettings {
	p.mu.Lock()
	defer p.mu.Unlock()
	return portOf(p.s, name)
}

// configuration is two links, one with LLR and CBFC, and an edge.
func configuration() dataplane.Settings {
	return dataplane.Settings{
		Profiles: map[string]llr.Profile{"default": {MaxOutstandingFrames: 512, MaxOutstandingBytes: 8 << 20,
			MaxReplayTimer: 2 * time.Millisecond, MaxReplayCount: 100, HoldTimeout: 2 * time.Second, InitAction: llr.BestEffort,
			FlushAction: llr.Block, ReInitOnFlush: true, CtlOSSpacingBytes: 2048}},
		Ports: []model.PortSettings{
			{Name: "link0", Role: model.RoleLink, FCS: true, VCs: 1, LLR: model.LLRSettings{Profile: "default"}},
			{Name: "link1", Role: model.RoleLink, FCS: true, VCs: 2,
				LLR: model.LLRSettings{Mode: model.LLRStatic, Local: true, Remote: true, Profile: "default"},
				CBFC: cbfc.Settings{On: true, Size: cbfc.Size{Credit: 2048}, Lossless: 2, Limit: [cbfc.VCs]uint16{1: 100},
					CCTimer: time.Millisecond, CFMinSpacing: 6400, CFMaxSpacing: 1 << 18}},
			{Name: "edge0", Role: model.RoleEdge},
		},
	}
}

// bed is a store and its data plane.
type bed struct {
	*Store
	t     *testing.T
	plane *plane
}

func newBed(t *testing.T) *bed {
	t.Helper()
	p := &plane{}
	if err := p.Reload(configuration()); err != nil {
		t.Fatal(err)
	}
	return &bed{New(p, configuration(), zap.NewNop()), t, p}
}

// oid returns the object of a port, a profile or a channel of the configuration.
func (b *bed) oid(of sai.ObjectType, name string) sai.OID {
	b.t.Helper()
	for _, o := range b.Objects() {
		if o.Type == of && o.Name == name {
			return o.OID
		}
	}
	b.t.Fatalf("no %s %s", of, name)
	return 0
}

// make creates an object.
func (b *bed) make(of sai.ObjectType, list ...sai.Set) sai.OID {
	b.t.Helper()
	oid, err := b.create(of, list)
	if err != nil {
		b.t.Fatalf("create %s: %v", of, err)
	}
	return oid
}

func (b *bed) set(oid sai.OID, id uint32, v sai.Value) {
	b.t.Helper()
	if err := b.SetAttribute(oid, attr(id, v)); err != nil {
		b.t.Fatalf("set %d of %s: %v", id, oid, err)
	}
}

func (b *bed) get(oid sai.OID, id uint32) sai.Value {
	b.t.Helper()
	list, err := b.Get(oid, []uint32{id})
	if err != nil {
		b.t.Fatalf("get %d of %s: %v", id, oid, err)
	}
	return list[0]
}

// refused demands a status.
func (b *bed) refused(what string, err error, want sai.Status) {
	b.t.Helper()
	if status(err) != want {
		b.t.Errorf("%s: status %d (%v), want %d", what, status(err), err, want)
	}
}

func status(err error) sai.Status {
	var refused *sai.Error
	switch {
	case err == nil:
		return sai.Success
	case errors.As(err, &refused):
		return refused.Status
	default:
		return 1 // no status
	}
}

// mandatory is the attributes of a profile without which there is none.
func mandatory() []sai.Set {
	return []sai.Set{attr(llrFrames, number(100)), attr(llrBytes, number(102_400))}
}

func TestProfileOfTheSeed(t *testing.T) {
	b := newBed(t)
	link := b.oid(sai.TypePort, "link0")
	list := append(mandatory(), attr(llrTimer, number(10_000)), attr(llrCount, number(255)),
		attr(llrPCSLost, number(500)),
		attr(llrDataAge, number(100_000)))
	b.refused("a mode without a profile", b.SetAttribute(link, attr(portLLRLocal, truth(true))), sai.MandatoryMissing)
	profile := b.make(sai.TypeLLRProfile, list...)
	b.set(link, portLLRProfile, sai.Value{OID: profile})
	b.set(link, portLLRLocal, truth(true))
	b.set(link, portLLRRemote, truth(true))
	is := b.plane.port("link0").LLR
	want := model.LLRSettings{Mode: model.LLRStatic, Local: true, Remote: true, Profile: profile.String()}
	if is != want {
		t.Errorf("%+v, want %+v", is, want)
	}
	p := b.plane.s.Profiles[is.Profile]
	if want := (llr.Profile{MaxOutstandingFrames: 100, MaxOutstandingBytes: 102_400, MaxReplayTimer: 10_000,
		TimerFloor: true, MaxReplayCount: 255, PCSLostTimeout: time.Second, DataAgeTimeout: time.Second,
		InitAction: llr.BestEffort, FlushAction: llr.BestEffort, CtlOSSpacingBytes: 2048}); p != want {
		t.Errorf("%+v, want %+v", p, want)
	}
	if !slices.Equal(b.plane.calls, []string{"link0 local true", "link0 remote true"}) {
		t.Errorf("%q", b.plane.calls)
	}
	if v := b.get(profile, llrDataAge); v.Number != 100_000 {
		t.Errorf("DATA_AGE_TIMEOUT reads %d", v.Number)
	}
	b.refused("remove", b.Remove(profile), sai.ObjectInUse)
	b.refused("null profile", b.SetAttribute(link, attr(portLLRProfile, sai.Value{})), invalidValue)
	b.set(link, portLLRLocal, truth(false))
	b.set(link, portLLRRemote, truth(false))
	b.set(link, portLLRProfile, sai.Value{})
	b.refused("remove", b.Remove(profile), sai.Success)
	b.refused("get of what is gone", b.SetAttribute(profile, attr(llrCount, number(1))), sai.InvalidObjectID)
	if again := b.make(sai.TypeLLRProfile, mandatory()...); again == profile {
		t.Error("an object id was used again")
	}
}

func TestExactTimers(t *testing.T) {
	b := newBed(t)
	list := append(mandatory(), attr(llrTimer, number(10_000)), attr(llrDataAge, number(100_000)))
	oid, err := b.Create(sai.TypeLLRProfile, list, true)
	if err != nil {
		t.Fatal(err)
	}
	if p := b.plane.s.Profiles[oid.String()]; p.TimerFloor || p.MaxReplayTimer != 10_000 ||
		p.DataAgeTimeout != 100_000 {
		t.Errorf("%+v", p)
	}
}

// A file that is read again leaves what SAI has set, but for what it has changed itself.
func TestReloadLeavesWhatItDoesNotName(t *testing.T) {
	b := newBed(t)
	link, profile := b.oid(sai.TypePort, "link1"), b.oid(sai.TypeLLRProfile, "default")
	own := b.make(sai.TypeLLRProfile, mandatory()...)
	b.set(link, portLLRProfile, sai.Value{OID: own})
	b.set(link, portCCTimer, number(500))
	b.set(profile, llrCount, number(7))
	check := func(when string, name string, timer time.Duration, count uint8) {
		t.Helper()
		p := b.plane.port("link1")
		if p.LLR.Profile != name || p.CBFC.CCTimer != timer || b.plane.s.Profiles["default"].MaxReplayCount != count {
			t.Errorf("%s: profile %s, timer %v, count %d", when, p.LLR.Profile, p.CBFC.CCTimer,
				b.plane.s.Profiles["default"].MaxReplayCount)
		}
	}
	reload := func(change func(*dataplane.Settings)) {
		t.Helper()
		next := b.base
		next.Ports, next.Profiles = slices.Clone(next.Ports), maps.Clone(next.Profiles)
		change(&next)
		if err := b.Reload(next); err != nil {
			t.Fatal(err)
		}
	}
	reload(func(*dataplane.Settings) {})
	check("the same file", own.String(), 500*time.Microsecond, 7)
	reload(func(s *dataplane.Settings) { s.Ports[0].VCs = 4 })
	check("another port", own.String(), 500*time.Microsecond, 7)
	reload(func(s *dataplane.Settings) { s.Ports[1].CBFC.CCTimer = 3 * time.Millisecond })
	check("another timer", own.String(), 3*time.Millisecond, 7)
	reload(func(s *dataplane.Settings) {
		p := s.Profiles["default"]
		p.MaxReplayCount = 50
		s.Profiles["default"] = p
	})
	check("another count", own.String(), 3*time.Millisecond, 50)
	reload(func(s *dataplane.Settings) { s.Ports[1].LLR.Remote = false })
	check("another mode", "default", 3*time.Millisecond, 50)

	b.plane.refuse = errors.New("no room")
	next := b.base
	next.Ports = next.Ports[:1]
	if err := b.Reload(next); err == nil || b.oid(sai.TypePort, "link1") != link {
		t.Errorf("a refused reload: %v", err)
	}
	if err := b.Reload(next); err != nil {
		t.Fatal(err)
	}
	b.refused("a port that is gone", b.SetAttribute(link, attr(portCCTimer, number(500))), sai.InvalidObjectID)
}

// What the data plane refuses has changed nothing.
func TestRefusedByTheDataPlane(t *testing.T) {
	b := newBed(t)
	before := b.Objects()
	b.plane.refuse = errors.New("no room")
	_, err := b.Create(sai.TypeLLRProfile, mandatory(), false)
	b.refused("create", err, sai.Failure)
	b.plane.refuse = errors.New("no room")
	b.refused("set", b.SetAttribute(b.oid(sai.TypePort, "link1"), attr(portCCTimer, number(5))), sai.Failure)
	if after := b.Objects(); !slices.EqualFunc(before, after, func(a, b sai.Object) bool {
		return a.OID == b.OID &&
			slices.Equal(a.Attributes, b.Attributes)
	}) {
		t.Errorf("%+v\n%+v", before, after)
	}
}

// A command of uelink and SAI set the same mode: the last one counts, also when SAI sets another attribute.
func TestCommandsAndSAI(t *testing.T) {
	b := newBed(t)
	link := b.oid(sai.TypePort, "link1")
	b.set(link, portLLRRemote, truth(true))
	_ = b.plane.SetLLRRemote("link1", false)
	b.set(link, portCCTimer, number(5))
	if b.plane.port("link1").LLR.Remote || b.get(link, portLLRRemote).Number != 0 {
		t.Error("SAI undid a command")
	}
}

func TestCredits(t *testing.T) {
	b := newBed(t)
	link, edge := b.oid(sai.TypePort, "link0"), b.oid(sai.TypePort, "edge0")
	vc := func(port sai.OID, index int64) []sai.Set {
		return []sai.Set{attr(vcPort, sai.Value{OID: port}), attr(vcIndex, number(index))}
	}
	_, err := b.Create(sai.TypeVC, vc(edge, 1), false)
	b.refused("a channel of an edge", err, invalidValue)
	one := b.make(sai.TypeVC, append(vc(link, 3), attr(vcReceiver, truth(true)), attr(vcSender, truth(true)))...)
	_, err = b.Create(sai.TypeVC, vc(link, 3), false)
	b.refused("the same channel", err, sai.ItemAlreadyExists)
	pool := b.make(sai.TypeCreditPool, attr(poolPort, sai.Value{OID: link}), attr(poolSize, number(300)))
	_, err = b.Create(sai.TypeCreditPool, []sai.Set{attr(poolPort, sai.Value{OID: link}), attr(poolSize, number(300))},
		false)
	b.refused("a second pool", err, sai.ItemAlreadyExists)
	other := b.make(sai.TypeCreditPool, attr(poolPort, sai.Value{OID: b.oid(sai.TypePort, "link1")}),
		attr(poolSize, number(5)))
	foreign := b.make(sai.TypeCreditProfile, attr(creditPool, sai.Value{OID: other}), attr(creditReserved, number(5)))
	b.refused("a profile of another port", b.SetAttribute(one, attr(vcProfile, sai.Value{OID: foreign})), invalidValue)
	small := b.make(sai.TypeCreditProfile, attr(creditPool, sai.Value{OID: pool}), attr(creditReserved, number(0)))
	b.refused("a profile without credits", b.SetAttribute(one, attr(vcProfile, sai.Value{OID: small})), sai.Failure)
	profile := b.make(sai.TypeCreditProfile, attr(creditPool, sai.Value{OID: pool}), attr(creditReserved, number(100)),
		attr(creditMode, number(thresholdStatic)), attr(creditStatic, number(50)))
	b.set(one, vcProfile, sai.Value{OID: profile})
	c := b.plane.port("link0").CBFC
	want := cbfc.Settings{On: true, Size: cbfc.Size{Credit: 2048}, Lossless: 8, CCTimer: ccTimerDefault,
		CFMinSpacing: cfMinDefault, CFMaxSpacing: cfMaxDefault, Timeout: creditTimeout, Pool: 300, Pooled: 8}
	want.Limit[3], want.Profile[3] = grantedFrames, cbfc.Profile{Reserved: 100, Static: 50}
	if c != want || b.plane.port("link0").VCs != 4 {
		t.Errorf("%+v, want %+v", c, want)
	}
	if shared := b.get(pool, poolShared).Number; shared != 200 {
		t.Errorf("SHARED_SIZE is %d", shared)
	}
	b.refused("pool in use", b.Remove(pool), sai.ObjectInUse)
	b.refused("profile in use", b.Remove(profile), sai.ObjectInUse)
	b.refused("channel", b.Remove(one), sai.Success)
	if c := b.plane.port("link0").CBFC; c.On || c.Lossless != 0 || c.Limit[3] != 0 {
		t.Errorf("without the channel: %+v", c)
	}
}

func TestMaps(t *testing.T) {
	b := newBed(t)
	link, edge := b.oid(sai.TypePort, "link0"), b.oid(sai.TypePort, "edge0")
	made := func(of int64, pairs ...sai.Pair) sai.OID {
		return b.make(sai.TypeQoSMap, attr(mapType, number(of)), attr(mapList, sai.Value{Map: pairs}))
	}
	toVC, dscp, dot1p := made(mapTCToVC, pair(1, 5)), made(mapDSCP, pair(46, 1)), made(mapDot1p, pair(7, 2))
	b.refused("a map of another type", b.SetAttribute(link, attr(portTCToVC, sai.Value{OID: dscp})), invalidValue)
	b.refused("a map of links on an edge", b.SetAttribute(edge, attr(portTCToVC, sai.Value{OID: toVC})),
		attrNotSupported)
	b.set(link, portTCToVC, sai.Value{OID: toVC})
	b.set(edge, portDot1p, sai.Value{OID: dot1p})
	if m := b.plane.port("edge0").QoS; m.Trust != qos.TrustDot1p || m.Dot1pDEI[14] != 2 || m.Dot1pDEI[15] != 2 {
		t.Errorf("%+v", m)
	}
	b.set(edge, portDSCP, sai.Value{OID: dscp})
	if m := b.plane.port("edge0").QoS; m.Trust != qos.TrustDSCP || m.DSCP[46] != 1 {
		t.Errorf("%+v", m)
	}
	b.set(dscp, mapList, sai.Value{Map: []sai.Pair{pair(46, 3)}})
	if m := b.plane.port("edge0").QoS; m.DSCP[46] != 3 {
		t.Errorf("a map that is in use was set: %+v", m)
	}
	if p := b.plane.port("link0"); p.QoS.Queue[1] != 5 || p.VCs != 6 {
		t.Errorf("%+v, %d VCs", p.QoS.Queue, p.VCs)
	}
	for _, pairs := range [][]sai.Pair{{pair(8, 1)}, {pair(1, 32)}, {pair(1, 1), pair(1, 2)}} {
		b.refused(fmt.Sprint(pairs), b.SetAttribute(dot1p, attr(mapList, sai.Value{Map: pairs})), invalidValue)
	}
	b.refused("in use", b.Remove(dscp), sai.ObjectInUse)
	b.set(edge, portDSCP, sai.Value{})
	b.refused("no longer", b.Remove(dscp), sai.Success)
}

// Two names with one hash have two ids, and a name has one id in every process.
func TestPortIDs(t *testing.T) {
	a, b := newBed(t), newBed(t)
	for _, name := range []string{"link0", "link1", "edge0"} {
		if a.oid(sai.TypePort, name) != b.oid(sai.TypePort, name) {
			t.Errorf("%s has two ids", name)
		}
	}
	taken := portOID("new", a.objects)
	a.objects[taken] = &object{oid: taken, name: "another"}
	if other := portOID("new", a.objects); other == taken {
		t.Error("two ports have one id")
	}
}

func TestFullStore(t *testing.T) {
	b := newBed(t)
	for len(b.objects) < most {
		oid := b.next.newOID(sai.TypeQoSMap)
		b.objects[oid] = &object{oid: oid, values: map[uint32]sai.Value{}}
	}
	_, err := b.Create(sai.TypeLLRProfile, mandatory(), false)
	b.refused("create", err, sai.InsufficientResources)
	if n := b.Room(sai.TypeLLRProfile); n != 0 {
		t.Errorf("room for %d", n)
	}
}

// TestLanes: HW_LANE_LIST is that of the configuration, else the place of the port there.
func TestLanes(t *testing.T) {
	b := newBed(t)
	b.SetLanes(map[string][]uint32{"link1": {40, 41}, "edge0": {}})
	for name, want := range map[string][]int64{"link0": {0}, "link1": {40, 41}, "edge0": {2}} {
		if is := b.get(b.oid(sai.TypePort, name), 0x1e).List; !slices.Equal(is, want) {
			t.Errorf("%s has the lanes %v, want %v", name, is, want)
		}
	}
}

// A link that speaks HIPPI-6400-PH has neither LLR nor CBFC: what asks for them is refused, and changes nothing.
func TestLinkOfAnotherProtocol(t *testing.T) {
	s := configuration()
	s.Ports = append(s.Ports, model.PortSettings{
		Name: "hippi0", Role: model.RoleLink, Protocol: model.HIPPI6400, FCS: true, VCs: 3,
	})
	p := &plane{}
	if err := p.Reload(s); err != nil {
		t.Fatal(err)
	}
	b := &bed{New(p, s, zap.NewNop()), t, p}
	link, profile := b.oid(sai.TypePort, "hippi0"), b.make(sai.TypeLLRProfile, mandatory()...)
	was := *p.port("hippi0")
	b.refused("a profile", b.SetAttribute(link, attr(portLLRProfile, sai.Value{OID: profile})), attrNotSupported)
	b.refused("a mode", b.SetAttribute(link, attr(portLLRLocal, truth(true))), attrNotSupported)
	b.refused("the size of a credit", b.SetAttribute(link, attr(portSenderSize, number(64))), attrNotSupported)
	_, err := b.Get(link, []uint32{portLLRRemote})
	b.refused("a mode to be read", err, attrNotSupported)
	_, err = b.Create(sai.TypeVC, []sai.Set{attr(vcPort, sai.Value{OID: link}), attr(vcIndex, number(1))}, false)
	b.refused("a channel", err, invalidValue)
	_, err = b.Create(sai.TypeCreditPool, []sai.Set{attr(poolPort, sai.Value{OID: link}), attr(poolSize, number(100))},
		false)
	b.refused("a pool", err, invalidValue)
	b.set(b.oid(sai.TypePort, "link0"), portLLRProfile, sai.Value{OID: profile}) // applies everything
	if is := *p.port("hippi0"); !reflect.DeepEqual(is, was) {
		t.Errorf("%+v, want %+v", is, was)
	}
}

// An object that a mandatory attribute refers to is no null id: neither a virtual channel nor a credit pool is without
// a port, nor a router interface without a router. SAI allows it of the pool of a credit profile alone. Queues are not
// created.
func TestMandatoryReferenceIsNotNull(t *testing.T) {
	b := newBed(t)
	tested := 0
	for of, attributes := range b.table {
		var list []sai.Set
		null := -1
		for i := range attributes {
			switch a := &attributes[i]; {
			case a.Flags&Mandatory == 0 || a.When != nil || of == sai.TypeQueue:
			case a.MayNull:
				if a.FullName(of) != "SAI_CBFC_CREDIT_PROFILE_ATTR_POOL_ID" {
					t.Errorf("%s may be null", a.FullName(of))
				}
				list = append(list, attr(a.ID, sai.Value{}))
			case a.Kind == sai.ObjectID:
				null = len(list)
				list = append(list, attr(a.ID, sai.Value{}))
			case a.Kind == sai.Enum && len(a.Enum) > 0:
				list = append(list, attr(a.ID, sai.Value{Number: a.Enum[0].Value}))
			default:
				list = append(list, attr(a.ID, sai.Value{Number: max(a.Least, 1)}))
			}
		}
		if null < 0 {
			continue
		}
		tested++
		before := len(b.Objects())
		_, err := b.Create(of, list, false)
		b.refused(of.String()+" with a null id", err, invalidValue.At(null))
		if n := len(b.Objects()); n != before {
			t.Errorf("%s: %d objects, before the refused call %d", of, n, before)
		}
	}
	if tested != 4 {
		t.Errorf("%d types of objects have a mandatory reference that is not null, of 4", tested)
	}
}
