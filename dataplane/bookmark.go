package dataplane

import (
	"uelink/dataplane/model"
	"uelink/dataplane/place"
	"uelink/dataplane/trouble"
	"uelink/wire"
)

// bookmark is the place where LLR's receiver of a link stands, for the next process.
type bookmark struct {
	place *place.Place // nil: no bookmark is kept
}

// open opens the file of a link's bookmark as b.place. Without a shelf it does nothing. After an error the link works
// without a bookmark.
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
func (b *bookmark) close() {
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
			err.Error()+": the link works without a bookmark, but the next start of the daemon loses the "+
				"frames that the partner holds then: make room in the bookmark's file system")
		return
	}
	g.worker.Do(func(wire.Time) { a.port.Link.Bookmark.Move(b.place) })
	if lost != nil {
		_ = lost.Close() // its file is lost
		g.notify(a, model.NoticePlace, "somebody has cut or removed the file of the link's bookmark: the daemon has "+
			"written the file again")
	}
	g.endTrouble(a, trouble.Bookmark, "the bookmark of the link is kept again")
}
