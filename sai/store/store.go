package store

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"go.uber.org/zap"

	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/sai"
)

// Plane is the data plane, as the rest of the API uses it.
type Plane interface {
	Ports() []model.PortState
	Reload(s dataplane.Settings) error
	SetLLRLocal(port string, on bool) error
	SetLLRRemote(port string, on bool) error
	Subscribe() (<-chan model.Event, func())
}

// most is the number of objects in the store, those of the configuration included, from which on clients can create no
// more.
const most = 4096

// object is any object but the switch, made by SAI or by the configuration.
type object struct {
	oid    sai.OID
	key    string               // of an object of the configuration: type and name, "llr_profile default"; empty: SAI made it
	name   string               // of an LLR profile: in the settings of the data plane; of a port: its name
	port   string               // of a virtual channel or queue: the port's name
	entry  sai.Entry            // of a route
	values map[uint32]sai.Value // values as set; of an object of the configuration, only values that SAI has set
	exact  bool                 // the timeouts of an LLR profile are used as set, and not raised
	queue  uint8                // number of a queue

	clients map[uint32]string // clients for whose life the values of these attributes last
}

// isFromClient reports whether a client of SAI made the object, and not the configuration.
func (o *object) isFromClient() bool { return o.key == "" }

// Store has the objects. Its methods may be called from any goroutine.
// Clauses: SAI-LLR/objects.1.
type Store struct {
	plane Plane
	log   *zap.Logger
	table map[sai.ObjectType][]Attribute

	mu      sync.Mutex
	lanes   map[string][]uint32 // HW_LANE_LIST of the configuration, by port
	manages bool                // clients may set MTU and ADMIN_STATE of ports
	base    dataplane.Settings  // of the configuration file
	now     dataplane.Settings  // in force: base, overridden by SAI
	objects map[sai.OID]*object
	next    nextOID
	clients *clients
}

// New returns a Store with the objects of the configuration's settings s, with which the data plane already runs.
func New(plane Plane, s dataplane.Settings, log *zap.Logger) *Store {
	store := newStore(plane, s, log)
	store.follow()
	return store
}

// newStore returns a Store without objects for settings s of the configuration.
func newStore(plane Plane, s dataplane.Settings, log *zap.Logger) *Store {
	store := &Store{
		plane: plane, log: log, table: tables(), base: s, now: s, objects: map[sai.OID]*object{},
		next: firstOID(time.Now()),
	}
	store.clients = newClients(store)
	return store
}

// SetLanes sets the lane numbers (HW_LANE_LIST) of ports, by name. A port without lanes has one: its place in the
// settings.
func (s *Store) SetLanes(lanes map[string][]uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lanes = lanes
}

// ManageInterfaces sets whether clients may set MTU and ADMIN_STATE of ports. What they have set stays until the next
// Reload, which drops it without the permission.
func (s *Store) ManageInterfaces(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.manages = on
}

// Create makes an object of type t with the attributes list, and returns its id. With exact, the timeouts of an LLR
// profile are used as given; otherwise those meant for hardware are raised for software. If attributes or data plane
// refuse, nothing changes, and the error is a *Error.
// Clauses: SAI-LLR/workflow.1.
func (s *Store) Create(t sai.ObjectType, list []sai.Set, exact bool) (sai.OID, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t == sai.TypeRoute {
		return 0, refuse(sai.InvalidParameter,
			"a route needs a virtual router and a prefix: create the route with create_route_entry")
	}
	return s.create(t, list, exact, sai.Entry{})
}

// create makes an object for Create and CreateRoute; entry names a route, and is empty for other types. For the switch,
// which exists already, the client only attaches. The caller holds the lock.
func (s *Store) create(t sai.ObjectType, list []sai.Set, exact bool, entry sai.Entry) (sai.OID, error) {
	if refused := s.checkType(t); refused != nil {
		return 0, refused
	}
	values, refused := s.checkCreate(t, list)
	switch {
	case refused != nil:
		return 0, refused
	case t == sai.TypeSwitch:
		return s.attach(list, values)
	}
	if refused := s.checkNew(t, list, values); refused != nil {
		return 0, refused
	}
	o := &object{oid: s.next.newOID(t), values: values, exact: exact, entry: entry}
	o.name = o.oid.String()
	if err := s.try(t, func() { s.add(o) }); err != nil {
		return 0, err
	}
	s.log.Info("object created", zap.Stringer("oid", o.oid), zap.Stringer("type", t))
	s.tellTimes(o)
	return o.oid, nil
}

// attach handles SAI's create_switch: it returns the id of the switch object, which always exists, because the daemon
// runs already. INIT_SWITCH false is an error, and so is an address that is not the switch's.
func (s *Store) attach(list []sai.Set, values map[uint32]sai.Value) (sai.OID, error) {
	for i, set := range list {
		if refused := s.checkMAC(set, i); refused != nil {
			return 0, refused
		}
	}
	if values[switchInit].Number == 0 {
		return 0, refuse(sai.InvalidParameter,
			"SAI_SWITCH_ATTR_INIT_SWITCH must be true: a client can only attach to the running daemon")
	}
	return sai.SwitchOID, nil
}

// add adds the new object o to the store, with the name of its port. The caller holds the lock.
func (s *Store) add(o *object) {
	s.objects[o.oid] = o
	switch o.oid.Type() {
	case sai.TypeVC:
		o.port = s.objects[o.values[vcPort].OID].name
	case sai.TypeCreditPool:
		o.port = s.objects[o.values[poolPort].OID].name
	default: // of no port
	}
}

// checkNew returns an error if an object with these attributes cannot be created: the limit of objects is reached, or
// it conflicts with an existing object.
func (s *Store) checkNew(t sai.ObjectType, list []sai.Set, values map[uint32]sai.Value) *sai.Error {
	if n := len(s.objects); n >= most {
		return refuse(sai.InsufficientResources, "the daemon has %d SAI objects, which is the limit", n)
	}
	index := func(id uint32) int { return slices.IndexFunc(list, func(set sai.Set) bool { return set.ID == id }) }
	switch t {
	case sai.TypeVC:
		return s.checkNewVC(values, index(vcPort))
	case sai.TypeCreditPool:
		return s.checkNewPool(values, index(poolPort))
	case sai.TypeQoSMap:
		return checkMap(values, index(mapList))
	default:
		return s.checkNewKept(t, values)
	}
}

// Remove removes an object that a client of SAI made. It returns an error, and removes nothing, for an object of the
// configuration and for an object that others refer to.
func (s *Store) Remove(oid sai.OID) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, refused := s.object(oid)
	switch {
	case refused != nil:
		return refused
	case oid == sai.SwitchOID:
		return nil // the client detaches
	case oid.Type() == sai.TypePort:
		return refuse(sai.NotSupported, "the configuration makes the ports: remove the port there and reload uelinkd")
	case oid.Type() == sai.TypeQueue:
		return refuse(sai.NotSupported, "queue %s cannot be removed while its port exists", o.name)
	case !o.isFromClient() && isKept(oid.Type()):
		return refuse(sai.NotSupported, "the %s cannot be removed", o.key)
	case !o.isFromClient():
		return refuse(sai.NotSupported, "the configuration has made %s: remove the object there and reload uelinkd", o.key)
	}
	if user := s.user(oid); user != "" {
		return refuse(sai.ObjectInUse, "object %s is in use by %s", oid, user)
	}
	if err := s.try(oid.Type(), func() {
		delete(s.objects, oid)
		s.follow() // a virtual channel that the configuration also has is an object of the configuration again
	}); err != nil {
		return err
	}
	s.log.Info("object removed", zap.Stringer("oid", oid))
	return nil
}

// user returns in words an object and attribute that refer to object oid; empty if there is none.
func (s *Store) user(oid sai.OID) string {
	for _, o := range s.sorted() {
		for i := range s.table[o.oid.Type()] {
			a := &s.table[o.oid.Type()][i]
			if a.Kind == sai.ObjectID && o.values[a.ID].OID == oid {
				return fmt.Sprintf("%s of %s %s", a.FullName(o.oid.Type()), o.oid, o.name)
			}
		}
	}
	return ""
}

// SetAttribute sets an attribute of object oid and makes the data plane use it. If the value is not allowed, or the
// data plane refuses it, nothing changes, and the error is a *Error.
func (s *Store) SetAttribute(oid sai.OID, set sai.Set) error { return s.SetFor("", oid, set) }

// SetFor sets an attribute as SetAttribute does, for a client. The name of the client matters where the value lasts
// only while the client lives: of a queue.
func (s *Store) SetFor(client string, oid sai.OID, set sai.Set) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	o, refused := s.object(oid)
	if refused != nil {
		return refused
	}
	if ofSairedis(oid.Type(), set.ID) {
		return nil
	}
	if refused := s.checkSet(o, set); refused != nil {
		return refused
	}
	if oid == sai.SwitchOID { // nothing to do: a notification, which the library keeps, or the present address
		if refused := s.checkMAC(set, 0); refused != nil {
			return refused
		}
		return nil
	}
	if err := s.setChecked(o, set, client); err != nil {
		return err
	}
	a := s.find(oid.Type(), set.ID)
	s.log.Info("attribute set", zap.Stringer("oid", oid), zap.String("name", o.name),
		zap.String("attribute", a.FullName(oid.Type())), zap.String("value", a.Text(set.Value)))
	s.tellTimes(o)
	return nil
}

// setChecked sets an attribute of object o whose value is within its range, after the checks special to the object's
// type, and makes the data plane use it.
func (s *Store) setChecked(o *object, set sai.Set, client string) error {
	switch o.oid.Type() {
	case sai.TypePort:
		return s.setPort(o, set)
	case sai.TypeQueue:
		return s.setQueue(o, set, client)
	case sai.TypeQoSMap:
		values := maps.Clone(o.values)
		values[set.ID] = set.Value
		if refused := checkMap(values, 0); refused != nil {
			return refused
		}
		if refused := s.checkMapUsers(o, values[mapList].Map); refused != nil {
			return refused
		}
	case sai.TypeVC:
		if refused := s.checkPool(o, set); refused != nil {
			return refused
		}
	default:
	}
	return s.try(o.oid.Type(), func() { o.values[set.ID] = set.Value })
}

// try changes an object of type t by calling change, and makes the data plane use the result, unless objects of the
// type are only kept. First it brings attributes up to date with modes that commands have switched. If the data plane
// refuses, try restores the objects and returns the error.
func (s *Store) try(t sai.ObjectType, change func()) error {
	if isKept(t) {
		change()
		return nil
	}
	s.absorb()
	before := s.copied()
	change()
	err := s.apply()
	if err != nil {
		s.objects = before
		return &sai.Error{Status: sai.Failure, Reason: err.Error()}
	}
	return nil
}

// copied returns a copy of all objects with their values, by id.
func (s *Store) copied() map[sai.OID]*object {
	all := map[sai.OID]*object{}
	for oid, o := range s.objects {
		c := *o
		c.values, c.clients = maps.Clone(o.values), maps.Clone(o.clients)
		all[oid] = &c
	}
	return all
}
