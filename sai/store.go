package sai

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"uelink/dataplane"
	"uelink/dataplane/model"
)

// Plane is the data plane, as the rest of the API uses it.
type Plane interface {
	Ports() []model.PortState
	Reload(s dataplane.Settings) error
	SetLLRLocal(port string, on bool) error
	SetLLRRemote(port string, on bool) error
	Subscribe() (<-chan model.Event, func())
}

// most is the largest number of objects that clients may make.
const most = 4096

// object is any object but the switch, made by SAI or by the configuration.
type object struct {
	oid    OID
	key    string           // of an object of the configuration: type and name, "llr_profile default"; empty: SAI made it
	name   string           // of an LLR profile: in the settings of the data plane; of a port: its name
	port   string           // of a virtual channel: the port's name
	values map[uint32]Value // as set; of an object of the configuration: values set by SAI only
	exact  bool             // the times of an LLR profile are in force as they are set
}

// made reports whether SAI made the object.
func (o *object) made() bool { return o.key == "" }

// Store has the objects. Its methods may be called from any goroutine.
type Store struct {
	plane Plane
	log   *zap.Logger
	table map[ObjectType][]Attribute

	mu      sync.Mutex
	lanes   map[string][]uint32 // HW_LANE_LIST of the configuration, by port
	base    dataplane.Settings  // of the configuration file
	now     dataplane.Settings  // in force: base, overridden by SAI
	objects map[OID]*object
	next    OID // part below the type of the next object
}

// New returns the objects of a daemon whose data plane runs with settings of its configuration.
func New(plane Plane, s dataplane.Settings, log *zap.Logger) *Store {
	store := newStore(plane, s, log)
	store.follow()
	return store
}

// newStore returns a store without objects.
func newStore(plane Plane, s dataplane.Settings, log *zap.Logger) *Store {
	return &Store{
		plane: plane, log: log, table: tables(), base: s, now: s, objects: map[OID]*object{},
		next: firstOID(time.Now()),
	}
}

// SetLanes sets HW_LANE_LIST of ports, by name. A port that is left out, or has no lane, has its place in the settings.
func (s *Store) SetLanes(lanes map[string][]uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lanes = lanes
}

// Object ids below the type. An id is never used again, also by the next process: the upper half is the time of the
// start in seconds. A port's id is a hash of its name instead, so that it is the same after a restart.
const (
	startBits = 24
	countBits = 24
)

// firstOID returns the part below the type of the first object.
func firstOID(start time.Time) OID { return OID(uint64(start.Unix())%(1<<startBits))<<countBits + 1 }

// newOID returns the id of a new object. The caller holds the lock.
func (s *Store) newOID(of ObjectType) OID {
	s.next++
	return OID(of)<<typeShift | s.next - 1
}

// portOID returns the id of a port that has none yet.
func (s *Store) portOID(name string) OID {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	oid := OID(TypePort)<<typeShift | OID(h.Sum32())
	for s.objects[oid] != nil { // another name has the same hash
		oid++
	}
	return oid
}

// Create makes an object. exact means that the times of an LLR profile are in force as they are set.
func (s *Store) Create(of ObjectType, list []Set, exact bool) (OID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, known := s.table[of]; !known {
		return 0, refuse(InvalidObjectType, "there are no objects of %s", of)
	}
	if of == TypePort {
		return 0, refuse(NotSupported, "the configuration makes the ports: add the port there and reload uelinkd")
	}
	values, refused := s.checkCreate(of, list)
	switch {
	case refused != nil:
		return 0, refused
	case of == TypeSwitch:
		return s.attach(values)
	}
	if refused := s.checkNew(of, list, values); refused != nil {
		return 0, refused
	}
	o := &object{oid: s.newOID(of), values: values, exact: exact}
	o.name = o.oid.String()
	if err := s.try(func() { s.add(o) }); err != nil {
		return 0, err
	}
	s.log.Info("object created", zap.Stringer("oid", o.oid), zap.Stringer("type", of))
	s.tellTimes(o)
	return o.oid, nil
}

// attach answers create_switch: the daemon runs already.
func (s *Store) attach(values map[uint32]Value) (OID, error) {
	if values[switchInit].Number == 0 {
		return 0, refuse(InvalidParameter, "SAI_SWITCH_ATTR_INIT_SWITCH false: the daemon runs, and is attached to with true")
	}
	return SwitchOID, nil
}

// add adds a new object. The caller holds the lock.
func (s *Store) add(o *object) {
	s.objects[o.oid] = o
	switch o.oid.Type() {
	case TypeVC:
		o.port = s.objects[o.values[vcPort].OID].name
	case TypeCreditPool:
		o.port = s.objects[o.values[poolPort].OID].name
	default: // of no port
	}
}

// checkNew refuses a second object for the same thing, and an object beyond the limit.
func (s *Store) checkNew(of ObjectType, list []Set, values map[uint32]Value) *Error {
	if n := len(s.objects); n >= most {
		return refuse(InsufficientResources, "there are %d objects, and no more may be", n)
	}
	index := func(id uint32) int { return slices.IndexFunc(list, func(set Set) bool { return set.ID == id }) }
	switch of {
	case TypeVC:
		return s.checkNewVC(values, index(vcPort))
	case TypeCreditPool:
		return s.checkNewPool(values, index(poolPort))
	case TypeQoSMap:
		return checkMap(values, index(mapList))
	default:
		return nil
	}
}

// Remove removes an object that SAI made.
func (s *Store) Remove(oid OID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, refused := s.object(oid)
	switch {
	case refused != nil:
		return refused
	case oid == SwitchOID:
		return nil // the client detaches
	case oid.Type() == TypePort:
		return refuse(NotSupported, "the configuration makes the ports: take the port out there and reload uelinkd")
	case !o.made():
		return refuse(NotSupported, "%s is of the configuration: take it out there and reload uelinkd", o.key)
	}
	if user := s.user(oid); user != "" {
		return refuse(ObjectInUse, "%s is in use: %s", oid, user)
	}
	if err := s.try(func() {
		delete(s.objects, oid)
		s.follow() // a channel that SAI took over is the configuration's again
	}); err != nil {
		return err
	}
	s.log.Info("object removed", zap.Stringer("oid", oid))
	return nil
}

// user returns which object uses an object, in words; empty: none.
func (s *Store) user(oid OID) string {
	for _, o := range s.sorted() {
		for i := range s.table[o.oid.Type()] {
			a := &s.table[o.oid.Type()][i]
			if a.Kind == ObjectID && o.values[a.ID].OID == oid {
				return fmt.Sprintf("%s of %s %s", a.FullName(o.oid.Type()), o.oid, o.name)
			}
		}
	}
	return ""
}

// SetAttribute sets an attribute of an object.
func (s *Store) SetAttribute(oid OID, set Set) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, refused := s.object(oid)
	if refused != nil {
		return refused
	}
	if refused := s.checkSet(o, set); refused != nil {
		return refused
	}
	if oid == SwitchOID {
		return nil // a notification, which the library keeps
	}
	if err := s.setChecked(o, set); err != nil {
		return err
	}
	a := s.find(oid.Type(), set.ID)
	s.log.Info("attribute set", zap.Stringer("oid", oid), zap.String("name", o.name),
		zap.String("attribute", a.FullName(oid.Type())), zap.String("value", a.Text(set.Value)))
	s.tellTimes(o)
	return nil
}

// setChecked sets an attribute whose value is allowed.
func (s *Store) setChecked(o *object, set Set) error {
	switch o.oid.Type() {
	case TypePort:
		return s.setPort(o, set)
	case TypeQoSMap:
		values := maps.Clone(o.values)
		values[set.ID] = set.Value
		if refused := checkMap(values, 0); refused != nil {
			return refused
		}
	case TypeVC:
		if refused := s.checkPool(o, set); refused != nil {
			return refused
		}
	default:
	}
	return s.try(func() { o.values[set.ID] = set.Value })
}

// Get returns values of attributes of an object.
func (s *Store) Get(oid OID, ids []uint32) ([]Value, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, refused := s.object(oid)
	if refused != nil {
		return nil, refused
	}
	v := s.view()
	list := make([]Value, 0, len(ids))
	for i, id := range ids {
		a := s.find(oid.Type(), id)
		if refused := s.checkUse(a, oid.Type(), i, id, func(c Can) bool { return c.Get }); refused != nil {
			return nil, refused
		}
		if refused := s.checkHas(v, o, a, i); refused != nil {
			return nil, refused
		}
		list = append(list, v.value(o, a))
	}
	return list, nil
}

// checkHas refuses an attribute of links on any other port, and an attribute whose condition is not met.
func (s *Store) checkHas(v *view, o *object, a *Attribute, index int) *Error {
	of := o.oid.Type()
	switch {
	case of == TypePort && a.Links && !v.link(o.name):
		return refuse(attrNotSupported.At(index), "%s: port %s is no link with protocol llr", a.FullName(of), o.name)
	case a.When != nil && v.value(o, s.find(of, a.When.ID)).Number != a.When.Value:
		return refuse(invalidAttribute.At(index), "%s: the value of another attribute does not allow it", a.FullName(of))
	}
	return nil
}

// object returns an object; the caller holds the lock.
func (s *Store) object(oid OID) (*object, *Error) {
	if oid == SwitchOID {
		return &object{oid: SwitchOID}, nil
	}
	if o := s.objects[oid]; o != nil {
		return o, nil
	}
	return nil, refuse(InvalidObjectID, "there is no object %s", oid)
}

// sorted returns all objects but the switch, by type and id.
func (s *Store) sorted() []*object {
	list := slices.Collect(maps.Values(s.objects))
	slices.SortFunc(list, func(a, b *object) int { return strings.Compare(a.order(), b.order()) })
	return list
}

// order returns a text by which objects are sorted.
func (o *object) order() string { return fmt.Sprintf("%016x", uint64(o.oid)) }

// try changes objects, and applies the change to the data plane. If the data plane refuses, nothing has changed.
func (s *Store) try(change func()) error {
	s.absorb()
	was := s.copied()
	change()
	err := s.apply()
	if err != nil {
		s.objects = was
		return &Error{Failure, err.Error()}
	}
	return nil
}

// copied returns a copy of all objects.
func (s *Store) copied() map[OID]*object {
	all := map[OID]*object{}
	for oid, o := range s.objects {
		c := *o
		c.values = maps.Clone(o.values)
		all[oid] = &c
	}
	return all
}
