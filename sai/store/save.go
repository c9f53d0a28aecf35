package store

import (
	"slices"

	"go.uber.org/zap"

	"uelink/dataplane"
	"uelink/internal/snapshot"
	"uelink/sai"
)

// The objects go to a successor of the daemon while the data plane stands still: Freeze, Save, and in the successor
// Restore, Settings, Attach. Until the successor runs, this process can go on by Thaw.

// Freeze makes all SAI calls wait until Thaw, so that the objects can be saved. Before that it updates the attributes
// for modes that commands have switched.
func (s *Store) Freeze() {
	s.mu.Lock()
	s.absorb()
}

// Thaw lets SAI calls go on after Freeze.
func (s *Store) Thaw() { s.mu.Unlock() }

// Save returns all objects as a snapshot for another process. Call Freeze first.
func (s *Store) Save() []byte { return snapshot.Save(savedKind, s) }

// savedKind is the kind in the snapshot of a store, by which Restore recognizes it.
const savedKind = "sai"

// Restore returns a Store with the objects of state, which Save has returned in another process; settings are those
// of the configuration that was in force there. Without a state, as from an older version, the objects are those of
// the configuration. Call Attach before any other method.
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

// Settings returns the settings that the data plane was given last: the configuration's with SAI's values on top.
// Modes that commands have switched since are missing; Running has them.
func (s *Store) Settings() dataplane.Settings { return s.now }

// Attach gives a restored Store its data plane. Clients have some time to open their streams of notifications again.
func (s *Store) Attach(plane Plane) {
	s.plane = plane
	s.awaitClients()
}

// saved is an object in the snapshot of a store. Its fields are those of type object.
type saved struct {
	OID    sai.OID
	Key    string
	Name   string
	Port   string
	Entry  sai.Entry
	Exact  bool
	Queue  uint8
	Values []savedValue
}

// savedValue is an attribute that was set.
type savedValue struct {
	ID     uint32
	Value  sai.Value
	Client string // client for whose life the value lasts; empty: the value lasts for ever, or the client has no name
}

// PassState saves all objects, and the next free object id, to a snapshot, or restores them from it.
func (s *Store) PassState(state *snapshot.State) {
	list := s.listed()
	snapshot.Number(state, "next", &s.next)
	snapshot.List(state, "objects", &list, most, func(state *snapshot.State, o *saved) { state.Struct("object", o) })
	if state.Restoring() && state.Valid() {
		s.restoreObjects(state, list)
	}
}

// listed returns all objects in the form in which they are saved, sorted by id, each with its values sorted by
// attribute number.
func (s *Store) listed() (list []saved) {
	for _, o := range s.sorted() {
		if (isKept(o.oid.Type()) || o.oid == CPUPortOID) && !o.isFromClient() && len(o.values) == 0 {
			continue // not saved: this version makes the object anyway, and an older version needs none
		}
		record := saved{OID: o.oid, Key: o.key, Name: o.name, Port: o.port, Entry: o.entry, Exact: o.exact,
			Queue: o.queue}
		for id, v := range o.values {
			record.Values = append(record.Values, savedValue{id, v, o.clients[id]})
		}
		slices.SortFunc(record.Values, func(a, b savedValue) int { return int(a.ID) - int(b.ID) })
		list = append(list, record)
	}
	return list
}

// restoreObjects creates the objects of list, restored from a snapshot. An object or attribute unknown to this version
// makes the snapshot invalid.
func (s *Store) restoreObjects(state *snapshot.State, list []saved) {
	for _, entry := range list {
		o := &object{
			oid: entry.OID, key: entry.Key, name: entry.Name, port: entry.Port, entry: entry.Entry, exact: entry.Exact,
			queue: entry.Queue, values: map[uint32]sai.Value{}, clients: map[uint32]string{},
		}
		t := o.oid.Type()
		_, ok := s.table[t]
		state.Check(ok && t != sai.TypeSwitch, "this version of uelinkd restores no SAI objects of %s", t)
		state.Check(s.objects[o.oid] == nil, "the snapshot has object %s twice", o.oid)
		for _, v := range entry.Values {
			state.Check(s.find(t, v.ID) != nil, "%s has no attribute 0x%x", t, v.ID)
			o.values[v.ID] = v.Value
			if t == sai.TypeQueue {
				o.clients[v.ID] = v.Client
			}
		}
		s.objects[o.oid] = o
	}
	for _, o := range s.objects {
		state.Check(o.port == "" || portOf(s.base, o.port) != nil, "%s belongs to port %s, which is not configured", o.oid,
			o.port)
	}
}
