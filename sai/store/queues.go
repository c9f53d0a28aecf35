package store

import (
	"fmt"
	"slices"

	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/dataplane/qos"
	"uelink/sai"
)

// A queue is an object of every port, from 0 on, whose id follows from the port's id and the number of the queue. The
// store holds only the queues that a client has stopped or closed; the others are made when a call names them.

// queueBits is the number of bits of a queue's number in its object id; the bits above it are the port's.
const queueBits = 8

// queueOID returns the id of a queue of the port with the id port.
func queueOID(port sai.OID, queue uint8) sai.OID {
	return sai.OID(sai.TypeQueue)<<sai.TypeShift | (port&(1<<(sai.TypeShift-queueBits)-1))<<queueBits | sai.OID(queue)
}

// queuesOf returns the number of queues of a port: virtual channels of a link, queues of an edge.
func queuesOf(p *model.PortSettings) int {
	if p.Role == model.RoleLink {
		return max(1, p.VCs)
	}
	return qos.EdgeQueues
}

// queueOf returns a queue of a port: the object that the store holds, or a new one.
func (s *Store) queueOf(port *object, queue uint8) *object {
	oid := queueOID(port.oid, queue)
	if o := s.objects[oid]; o != nil {
		return o
	}
	name := fmt.Sprintf("%s queue %d", port.name, queue)
	return &object{oid: oid, key: "queue " + name, name: name, port: port.name, queue: queue,
		values: map[uint32]sai.Value{}}
}

// queues returns all queues of a port, from queue 0 on; none if the settings in force lack the port.
func (s *Store) queues(port *object) (list []*object) {
	p := portOf(s.now, port.name)
	if p == nil {
		return nil
	}
	for i := range queuesOf(p) {
		list = append(list, s.queueOf(port, uint8(i)))
	}
	return list
}

// queueNamed returns the queue with an id; nil if there is none.
func (s *Store) queueNamed(oid sai.OID) *object {
	for _, port := range s.objects {
		if port.oid.Type() != sai.TypePort || queueOID(port.oid, 0)>>queueBits != oid>>queueBits {
			continue
		}
		list := s.queues(port)
		if i := int(oid & (1<<queueBits - 1)); i < len(list) {
			return list[i]
		}
	}
	return nil
}

// allQueues returns the ids of the queues of all ports, sorted.
func (s *Store) allQueues() []sai.OID {
	list := []sai.OID{}
	for _, port := range s.objects {
		if port.oid.Type() != sai.TypePort {
			continue
		}
		for _, o := range s.queues(port) {
			list = append(list, o.oid)
		}
	}
	slices.Sort(list)
	return list
}

// setQueue sets an attribute of queue o for a client. The value false is stored, and lasts while the client lives: see
// clients.go. The value true removes the stored value. If the data plane refuses, nothing changes.
func (s *Store) setQueue(o *object, set sai.Set, client string) error {
	if set.ID != queueDequeue && set.ID != queueEnqueue {
		return nil // any other attribute is an object id, and its only allowed value is null
	}
	err := s.try(sai.TypeQueue, func() {
		queue := s.queueCopy(o)
		delete(queue.values, set.ID)
		delete(queue.clients, set.ID)
		if set.Value.Number == 0 {
			queue.values[set.ID], queue.clients[set.ID] = set.Value, client
		}
		s.keepQueue(queue)
	})
	if err == nil {
		s.clients.watchGone(client)
	}
	return err
}

// queueCopy returns the queue whose values the caller may change: the object that the store holds, or else a copy of o
// without values.
func (s *Store) queueCopy(o *object) *object {
	if stored := s.objects[o.oid]; stored != nil {
		return stored // Store.try restores the old values if the data plane refuses
	}
	copied := *o
	copied.values, copied.clients = map[uint32]sai.Value{}, map[uint32]string{}
	return &copied
}

// keepQueue holds queue o in the store if a client has set one of its attributes.
func (s *Store) keepQueue(o *object) {
	delete(s.objects, o.oid)
	if len(o.values) > 0 {
		s.objects[o.oid] = o
	}
}

// effectQueue stops or closes a queue in the settings of its port.
func effectQueue(out *dataplane.Settings, o *object) {
	p := portOf(*out, o.port)
	if p == nil || int(o.queue) >= queuesOf(p) {
		return
	}
	setBit(&p.Stops.Stopped, o.queue, o.hasValue(queueDequeue))
	setBit(&p.Stops.Closed, o.queue, o.hasValue(queueEnqueue))
}

func portOfQueue(v *view, o *object) sai.Value { return sai.Value{OID: v.store.portNamed(o.port)} }

// queuePaused reads whether the host pauses a queue of its edge by PFC.
func queuePaused(v *view, o *object) sai.Value {
	pfc := v.state(o.port).PFC
	return truth(pfc != nil && o.queue < 8 && pfc.Stopped>>o.queue&1 != 0)
}

// queueEnabled returns a function that reads an attribute of a queue which is true until a client sets it false.
func queueEnabled(id uint32) func(*view, *object) sai.Value {
	return func(_ *view, o *object) sai.Value { return truth(!o.hasValue(id)) }
}

// queueList returns the queues of a port object.
func queueList(v *view, port *object) sai.Value {
	list := sai.Value{OIDs: []sai.OID{}}
	for _, o := range v.store.queues(port) {
		list.OIDs = append(list.OIDs, o.oid)
	}
	return list
}

// numberOfQueues returns the number of queues of a port object; none of the CPU port.
func numberOfQueues(v *view, o *object) sai.Value { return number(len(v.store.queues(o))) }

// queue returns the state of the queue that object o stands for; the zero value while nothing has happened there.
func (v *view) queue(o *object) *model.QueueState {
	list := v.state(o.port).QueueStats
	i := slices.IndexFunc(list, func(q model.QueueState) bool { return q.Queue == int(o.queue) })
	if i < 0 {
		return &model.QueueState{}
	}
	return &list[i]
}
