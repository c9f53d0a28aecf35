package path

import (
	"uelink/dataplane/place"
	"uelink/llr"
)

// bookmark is the position of a link's receiver (next_rx_seq) in memory that survives the process.
type bookmark struct {
	place   *place.Place // memory in which next_rx_seq is saved for the next process
	resumes bool         // true: STATION announces the bookmark in field past, until the partner's LLR_INIT comes
	past    llr.Bookmark // the bookmark that an earlier process has left in the place
}

// Set gives the bookmark its place, the memory that survives the process, and reads what an earlier process left there.
func (b *bookmark) Set(p *place.Place) {
	b.place = p
	b.past, b.resumes = p.Bookmark()
}

// Move gives the bookmark another place, because the file of the present one is lost, or there was none. Its content
// moves along.
func (b *bookmark) Move(p *place.Place) {
	if saved, ok := b.place.Bookmark(); ok {
		p.Write(saved)
	}
	b.place = p
}

// save writes the position of the receiver rx for the next process, if it has changed. Until an LLR_INIT has set the
// receiver's sequence numbers, save does nothing: the bookmark of the earlier process stays, and STATION reports it to
// the partner.
func (b *bookmark) save(rx *llr.Rx) {
	mark, live := rx.Bookmark()
	if !live {
		return
	}
	if saved, ok := b.place.Bookmark(); !ok || b.resumes || saved != mark {
		b.place.Write(mark)
	}
	b.resumes = false
}
