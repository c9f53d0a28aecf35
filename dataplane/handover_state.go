package dataplane

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"uelink/dataplane/model"
	"uelink/dataplane/path"
	"uelink/internal/snapshot"
	"uelink/wire"
)

// PassState saves the frame path to a snapshot, or restores it from there: every port with its counters, sockets and
// protocol machines, and the frames that wait.
func (d *Dataplane) PassState(s *snapshot.State) {
	groups := slices.Clone(d.groups)
	slices.SortFunc(groups, func(a, b *group) int { return strings.Compare(a.key(), b.key()) })
	for i, g := range groups {
		s.Group(fmt.Sprintf("group%d", i), func(s *snapshot.State) {
			key := g.key()
			snapshot.Text(s, "key", &key)
			if s.Check(key == g.key(), "%s, not %s", key, g.key()); s.Valid() {
				g.passState(s)
			}
		})
	}
	s.Struct("trimmed", &d.trimmed)
	d.passAgreements(s)
	d.passEvents(s)
}

// passEvents saves the past events to a snapshot, or restores them from it. After restored events it appends those
// events of this process's start that the other process has not published.
func (d *Dataplane) passEvents(s *snapshot.State) {
	own, past := d.hub.Recent(), d.hub.Recent()
	snapshot.List(s, "events", &past, 1024, passEvent)
	if s.Restoring() {
		d.hub.Restore(append(past, slices.DeleteFunc(own, func(e model.Event) bool { return !news(past, e) })...))
	}
}

// news reports whether e, an event of this process's start, differs from all events past that the other process has
// published. A change of the operational status does not count as different: until a later event the port keeps the
// status that the other process has published.
func news(past []model.Event, e model.Event) bool {
	return e.Kind != model.EventOperStatus && !slices.ContainsFunc(past, func(p model.Event) bool {
		return p.Port == e.Port && p.Kind == e.Kind && p.Text == e.Text
	})
}

// passEvent saves one event to a snapshot or restores it from there: time, port, kind and text. The level is left
// out, because an older version would refuse to read it, and is derived from the kind again.
func passEvent(s *snapshot.State, e *model.Event) {
	at := int64(0)
	if !e.Time.IsZero() {
		at = e.Time.UnixNano()
	}
	snapshot.Number(s, "at", &at)
	snapshot.Text(s, "port", &e.Port)
	snapshot.Text(s, "kind", &e.Kind)
	snapshot.Text(s, "text", &e.Text)
	if s.Restoring() {
		e.Time, e.Level = time.Unix(0, at), model.UsualLevel(e.Kind)
	}
}

// agreement is the latest result of LLDP with the partner of a port.
type agreement struct {
	Port string
	UE   path.Negotiated // of a link: LLR and CBFC
	DCB  model.DCB       // of an edge: DCBX
}

// passAgreements saves the latest results of LLDP (LLR, CBFC and DCBX agreements) to a snapshot, or restores them.
func (d *Dataplane) passAgreements(s *snapshot.State) {
	var list []agreement
	for _, p := range d.settings.Ports {
		list = append(list, agreement{p.Name, d.agreed[p.Name], d.dcb[p.Name]})
	}
	s.Struct("agreements", &list)
	if s.Restoring() {
		for _, a := range list {
			d.agreed[a.Port], d.dcb[a.Port] = a.UE, a.DCB
		}
	}
}

// key returns a name for the group, made of the bridge's name or the ports' names, so that two processes with the
// same settings use the same name.
func (g *group) key() string {
	if g.bridge != nil {
		return "bridge " + g.bridge.Name
	}
	var names []string
	for _, a := range edgesFirst(g.members) {
		names = append(names, a.settings.Name)
	}
	return "xconnect " + strings.Join(names, " ")
}

// passState saves the ports of a group and its domain to a snapshot, or restores them, on the worker's thread. The
// ports are saved in the order in which they joined the group; in the other process that order may differ.
func (g *group) passState(s *snapshot.State) {
	g.worker.Do(func(wire.Time) {
		left := edgesFirst(g.members)
		for i, a := range edgesFirst(g.members) {
			s.Group(fmt.Sprintf("interface%d", i), func(s *snapshot.State) {
				name := a.settings.Name
				snapshot.Text(s, "port", &name)
				at := slices.IndexFunc(left, func(a *attachment) bool { return a.settings.Name == name })
				if s.Check(at >= 0, "port %s is not in this xconnect or bridge", name); at >= 0 {
					left[at].passState(s)
					left = slices.Delete(left, at, at+1)
				}
			})
		}
		s.Group("domain", g.domain.PassState)
	})
}

// passState saves to a snapshot, or restores from it, what the daemon keeps of a port: MTU, room, counters and notice;
// and for an attached interface the capture's progress and the state of the sockets.
func (a *attachment) passState(s *snapshot.State) {
	s.Bool("up", &a.status.up)
	snapshot.Number(s, "carried", &a.carried)
	snapshot.Number(s, "window", &a.room.window)
	snapshot.Number(s, "kept", &a.room.chunks)
	snapshot.Number(s, "slots", &a.room.slots)
	s.Struct("past", &a.counts.past)
	s.Struct("baseline", &a.counts.baseline)
	s.Struct("device", &a.counts.device)
	snapshot.Number(s, "unsocketed", &a.counts.unsocketed)
	snapshot.Number(s, "kicked", &a.counts.kicked)
	snapshot.Text(s, "notice", &a.notice.text)
	snapshot.Text(s, "notice_reason", &a.notice.reason)
	s.Bool("captured", &a.monitor.CaptureFull)
	if a.host == nil {
		return
	}
	s.Struct("host_past", &a.host.past)
	if a.host.recording.capture != nil {
		s.Struct("capture", &a.host.recording.progress)
		if s.Restoring() {
			a.host.recording.capture.GoOn(a.host.recording.progress)
		}
	}
	for i, socket := range a.host.sockets {
		s.Group(fmt.Sprintf("socket%d", i), socket.PassState)
	}
}
