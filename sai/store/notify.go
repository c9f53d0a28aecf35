package store

import (
	"strings"

	"uelink/dataplane/model"
	"uelink/sai"
)

// Watch makes the SAI notifications of one client out of events.
type Watch struct {
	store    *Store
	reported map[string]sai.PortNotification // latest notification of each port, by the port's name
}

// Watch returns a new Watch for a client, and as the client's first notifications the present state of every port.
func (s *Store) Watch() (*Watch, []sai.PortNotification) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &Watch{store: s, reported: map[string]sai.PortNotification{}}
	list := []sai.PortNotification{}
	v := s.view()
	for _, o := range s.sorted() {
		if o.oid.Type() == sai.TypePort && o.oid != CPUPortOID {
			n := sai.PortNotification{Port: o.oid, State: int(portState(v, o).Number),
				Error: int(portError(v, o).Number)}
			w.reported[o.name] = n
			list = append(list, n)
		}
	}
	return w, list
}

// Subscribe returns a channel with the data plane's events from now on, to be passed to a Watch, and a function that
// ends the subscription.
func (s *Store) Subscribe() (<-chan model.Event, func()) { return s.plane.Subscribe() }

// Notifications returns the SAI notifications that event e means for the client, perhaps none. For a FLUSH that is
// already over it returns two: of its beginning and of its end.
// Clauses: SAI-LLR/error-status.1.
func (w *Watch) Notifications(e model.Event) []sai.PortNotification {
	old, ok := w.reported[e.Port]
	if !ok {
		if old.Port = w.store.port(e.Port); old.Port == 0 {
			return nil
		}
	}
	n := old
	switch e.Kind {
	case model.EventOperStatus:
		n.State = operStatus(model.OperStatus(e.Text))
	case model.EventLLRTxStatus:
		if n.Error = 0; strings.HasPrefix(e.Text, "FLUSH") {
			return w.flushed(e.Port, n)
		}
	default:
		return nil
	}
	w.reported[e.Port] = n
	if n == old {
		return nil
	}
	return []sai.PortNotification{n}
}

// flushed returns the notifications for an event that a port's LLR has entered FLUSH: of the beginning, and of the end
// if FLUSH is over already. n is the port's notification without the error. The last one is recorded in field reported.
func (w *Watch) flushed(port string, n sai.PortNotification) []sai.PortNotification {
	during := n
	during.Error = portErrorFlush
	w.reported[port] = during
	if w.store.flushes(port) {
		return []sai.PortNotification{during}
	}
	w.reported[port] = n
	return []sai.PortNotification{during, n}
}

// flushes reports whether the LLR transmitter of the port with a name is in FLUSH now.
func (s *Store) flushes(port string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return portError(s.view(), &object{name: port}).Number != 0
}

// port returns the id of the object of the port with a name; 0 if there is none.
func (s *Store) port(name string) sai.OID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.portNamed(name)
}
