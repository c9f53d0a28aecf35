package web

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"time"
)

// part is a part of the page: an element with an id of its own.
type part struct {
	id      string
	html    []byte
	changed uint64 // edition in which the part changed last
}

// board has the latest edition of the page for all its readers, without queues: a slow reader gets all parts changed
// since the last edition that it has read.
type board struct {
	mu      sync.Mutex
	at      time.Time // time of the state that the edition shows; zero: no edition yet
	edition uint64    // number of the latest edition; 0: none
	parts   []part
	rebuilt uint64 // edition in which the set of parts changed last
	news    []byte // message with the parts changed since the edition before
	whole   []byte // message with all parts
	more    chan struct{}
}

func newBoard() *board { return &board{more: make(chan struct{})} }

// put makes parts the next edition of the page, with the state of a time, and wakes its readers. It notes for each part
// the edition in which it changed last.
func (b *board) put(at time.Time, parts []part) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.edition++
	same := slices.EqualFunc(parts, b.parts, func(a, b part) bool { return a.id == b.id })
	if !same {
		b.rebuilt = b.edition
	}
	for i := range parts {
		if parts[i].changed = b.edition; same && bytes.Equal(parts[i].html, b.parts[i].html) {
			parts[i].changed = b.parts[i].changed
		}
	}
	b.at, b.parts, b.whole = at, parts, nil
	b.news = b.since(b.edition - 1)
	close(b.more)
	b.more = make(chan struct{})
}

// seenAt returns the time of the state that the latest edition shows; zero before the first edition.
func (b *board) seenAt() time.Time {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.at
}

// size returns the length, in octets, of the message for readers that have read the edition before the latest.
func (b *board) size() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.news)
}

// after returns the message that brings a reader from an edition (0: none) to the present edition. more is closed at
// the next edition.
func (b *board) after(edition uint64) (message []byte, present uint64, more <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch {
	case edition == b.edition:
	case edition > 0 && edition == b.edition-1:
		message = b.news
	default:
		message = b.since(edition)
	}
	return message, b.edition, b.more
}

// since returns the message with the parts that have changed since an edition, or with the whole page if parts have
// come or gone since. mu is held.
func (b *board) since(edition uint64) []byte {
	if edition < b.rebuilt {
		if b.whole == nil {
			b.whole = message("all", b.joined())
		}
		return b.whole
	}
	var news []byte
	for _, p := range b.parts {
		if p.changed > edition {
			news = append(news, message("part", p.html)...)
		}
	}
	return news
}

// html returns the HTML of all parts.
func (b *board) html() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.joined()
}

// joined returns the HTML of all parts. mu is held.
func (b *board) joined() []byte {
	var all []byte
	for _, p := range b.parts {
		all = append(all, p.html...)
	}
	return all
}

// message returns an event of a stream with HTML, whose lines end with a line feed.
func message(event string, html []byte) []byte {
	text := fmt.Appendf(nil, "event: %s\n", event)
	for line := range bytes.Lines(html) {
		text = fmt.Appendf(text, "data: %s\n", bytes.TrimSuffix(line, []byte("\n")))
	}
	return append(text, '\n')
}
