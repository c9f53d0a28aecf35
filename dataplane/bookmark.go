package dataplane

import (
	"uelink/dataplane/model"
	"uelink/dataplane/place"
	"uelink/dataplane/trouble"
	"uelink/wire"
)

// bookmark is the place where LLR's receiver of a link stands, for the next process.
type bookmark struct {
	place *place.Place // nil: none is kept
}

// open opens the file of a link's bookmark, which tells the next process where LLR's receiver stands. After an
// error LLR starts with nothing after the next restart.
func (b *bookmark) open(g *group, a *attachment) error {
	if g.shelf == nil {
		return nil
	}
	p, err := place.OpenFor(g.shelf, a.settings.Name, a.settings.Interface)
	if err == nil {
		b.place = p
	}
	return err
}

// close closes the file of the link's bookmark. The worker must have removed the link before.
func (b *bookmark) close(a *attachment) {
	if b.place != nil {
		_ = b.place.Close() // the next process finds the bookmark in any case
		b.place = nil
	}
}

// survey opens the file of a link's bookmark again if there was no room for it, or if somebody has cut or removed
// it, and reports that.
func (b *bookmark) survey(g *group, a *attachment) {
	if g.shelf == nil || a.port.Link == nil || b.place != nil && !b.place.Lost() {
		return
	}
	lost := b.place
	if err := b.open(g, a); err != nil {
		g.beginTrouble(a, trouble.Bookmark,
			err.Error()+": the link goes on without it, and the next start of the daemon costs the "+
				"frames that the partner holds then: make room there, and it is kept again")
		return
	}
	g.worker.Do(func(wire.Time) { a.port.Link.MovePlace(b.place) })
	if lost != nil {
		_ = lost.Close() // its file is lost
		g.notify(a, model.NoticePlace, "somebody has cut or removed the file of the link's bookmark: it is written again")
	}
	g.endTrouble(a, trouble.Bookmark, "the bookmark of the link is kept again")
}

// foreseePlace returns an error if the bookmark of a new link has no room.
func (d *Dataplane) foreseePlace(s *model.PortSettings) error {
	if d.shelf == nil || s.Role != model.RoleLink || s.Protocol != model.LLR {
		return nil
	}
	if _, a := d.find(s.Name); a != nil && a.settings.Interface == s.Interface {
		return nil // it has its place already, or goes on without
	}
	p, err := place.OpenFor(d.shelf, s.Name, s.Interface)
	switch {
	case diskFull(err):
		return privilegeError("port %s: %w: make room there, then reload", s.Name, err)
	case err != nil:
		return nil // the link goes on without a bookmark, as after a start
	}
	return p.Close()
}
