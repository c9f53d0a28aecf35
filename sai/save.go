package sai

import (
	"slices"

	"go.uber.org/zap"

	"uelink/dataplane"
	"uelink/internal/snapshot"
)

// The objects go to a successor of the daemon while the data plane stands still: Freeze, Save, and in the successor
// Restore, Settings, Attach. Until the successor runs, this process can go on by Thaw.

// Freeze stops all calls, after an update of the modes that commands have switched.
func (s *Store) Freeze() {
	s.mu.Lock()
	s.absorb()
}

// Thaw lets calls go on.
func (s *Store) Thaw() { s.mu.Unlock() }

// Save returns the objects of a store that is frozen.
func (s *Store) Save() []byte { return snapshot.Save(savedKind, s) }

// savedKind names the state of a store.
const savedKind = "sai"

// Restore returns the objects that Save has returned in another process, beside the settings of the configuration that
// was in force there. Attach has to follow. Without a state, as of a process of an older version, the objects are those
// of the configuration.
func Restore(state []byte, settings dataplane.Settings, log *zap.Logger) (*Store, error) {
	s := newStore(nil, settings, log)
	if len(state) > 0 {
		if err := snapshot.Restore(savedKind, state, s); err != nil {
			return nil, err
		}
	}
	s.follow()
	s.now = s.effective(nil)
	return s, nil
}

// Running returns the settings in force: those of the configuration file, with what commands and SAI have changed
// since.
func (s *Store) Running() dataplane.Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.effective(s.plane.Ports())
}

// Settings returns the settings of the configuration, overridden by SAI's.
func (s *Store) Settings() dataplane.Settings { return s.now }

// Attach sets the data plane of objects that were restored.
func (s *Store) Attach(plane Plane) { s.plane = plane }

// saved is an object in the state of a store.
type saved struct {
	OID    OID
	Key    string
	Name   string
	Port   string
	Exact  bool
	Values []savedValue
}

// savedValue is an attribute that was set.
type savedValue struct {
	ID    uint32
	Value Value
}

// PassState saves or restores the objects, and the part of ids that is used.
func (s *Store) PassState(state *snapshot.State) {
	list := s.listed()
	snapshot.Number(state, "next", &s.next)
	snapshot.List(state, "objects", &list, most, func(state *snapshot.State, o *saved) { state.Struct("object", o) })
	if state.Restoring() && state.Valid() {
		s.take(state, list)
	}
}

// listed returns all objects, sorted, with their values by number.
func (s *Store) listed() (list []saved) {
	for _, o := range s.sorted() {
		one := saved{OID: o.oid, Key: o.key, Name: o.name, Port: o.port, Exact: o.exact}
		for id, v := range o.values {
			one.Values = append(one.Values, savedValue{id, v})
		}
		slices.SortFunc(one.Values, func(a, b savedValue) int { return int(a.ID) - int(b.ID) })
		list = append(list, one)
	}
	return list
}

// take makes the objects of a state. An object or an attribute that this version does not have is an error.
func (s *Store) take(state *snapshot.State, list []saved) {
	for _, one := range list {
		o := &object{oid: one.OID, key: one.Key, name: one.Name, port: one.Port, exact: one.Exact, values: map[uint32]Value{}}
		of := o.oid.Type()
		_, known := s.table[of]
		state.Check(known && of != TypeSwitch, "there are no objects of %s", of)
		state.Check(s.objects[o.oid] == nil, "%s is there twice", o.oid)
		for _, v := range one.Values {
			state.Check(s.find(of, v.ID) != nil, "%s has no attribute 0x%x", of, v.ID)
			o.values[v.ID] = v.Value
		}
		s.objects[o.oid] = o
	}
	for _, o := range s.objects {
		state.Check(o.port == "" || portOf(s.base, o.port) != nil, "%s is of a port %s, which is not configured", o.oid,
			o.port)
	}
}
