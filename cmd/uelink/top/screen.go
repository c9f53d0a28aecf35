package top

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/gdamore/tcell/v2"

	"uelink/internal/printable"
)

// keysLine names the keys of the list, and keysOfPort those of an open port.
const (
	keysLine   = "q quit  </> sort  up/down, Enter: open a port  space: pause"
	keysOfPort = "Esc back  up/down, PgUp/PgDn scroll  q quit"
)

// Live shows the load of a daemon on a terminal, until the user quits or a context ends.
type Live struct {
	Screen tcell.Screen
	Ask    func(context.Context) (Sample, error)              // asks the daemon
	Open   func(context.Context, string, int) (string, error) // text about a port, by name and width of lines
	By     string                                             // the column to sort by
	Every  time.Duration                                      // time between two samples

	load   Load    // shown
	last   *Sample // latest; nil: the daemon has not answered
	failed error   // of the latest sample
	paused bool

	chosen int      // index of the marked port in the list
	port   string   // the open port; empty: the list
	text   []string // lines about the open port
	scroll int      // number of these lines above the screen
}

// Run shows the load until the user quits or ctx ends. The caller has initialised the screen, and restores it.
func (l *Live) Run(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { _ = l.Screen.PostEvent(tcell.NewEventInterrupt(nil)) })()
	tick := time.NewTicker(l.Every)
	defer tick.Stop()
	go func() {
		for {
			select {
			case <-tick.C:
				_ = l.Screen.PostEvent(tcell.NewEventInterrupt(tick)) // an error means a full queue: the next tick comes soon
			case <-ctx.Done():
				return
			}
		}
	}()
	l.refresh(ctx)
	l.draw()
	for l.handle(ctx, l.Screen.PollEvent()) && ctx.Err() == nil {
		l.draw()
	}
}

// handle handles an event of the screen: a key, another size, or the tick on which the daemon is asked again. It
// returns false when the program shall end.
func (l *Live) handle(ctx context.Context, e tcell.Event) bool {
	switch e := e.(type) {
	case nil:
		return false // the screen has ended
	case *tcell.EventResize:
		l.Screen.Sync()
	case *tcell.EventInterrupt:
		if !l.paused {
			l.refresh(ctx)
		}
	case *tcell.EventKey:
		return l.key(ctx, e)
	}
	return true
}

// refresh asks the daemon for its state, computes the load since the last time, sorts its ports, and asks for the text
// of the open port. If the daemon does not answer, the last load stays, and draw shows the error in the first line.
func (l *Live) refresh(ctx context.Context) {
	now, err := l.Ask(ctx)
	if l.failed = err; err != nil {
		l.last = nil // another process may have other counters
		return
	}
	if l.last != nil {
		l.load = Between(*l.last, now)
	} else {
		l.load = Between(now, now)
	}
	l.last = &now
	Sort(l.load.Ports, l.By)
	l.chosen = max(0, min(l.chosen, len(l.load.Ports)-1))
	l.read(ctx)
}

// read asks the daemon for the text about the open port, if one is open. An error becomes the text.
func (l *Live) read(ctx context.Context) {
	if l.port == "" {
		return
	}
	width, _ := l.Screen.Size()
	text, err := l.Open(ctx, l.port, width)
	if err != nil {
		text = err.Error()
	}
	l.text = strings.Split(strings.TrimRight(text, "\n"), "\n")
}

// key handles a key that the user has pressed: in the list it moves the mark, opens the marked port, sorts or pauses;
// keyOfPort handles the keys of an open port. It returns false if the key ends the program.
func (l *Live) key(ctx context.Context, e *tcell.EventKey) bool {
	switch {
	case e.Key() == tcell.KeyCtrlC || e.Rune() == 'q':
		return false
	case l.port != "":
		l.keyOfPort(e)
		return true
	}
	switch e.Key() {
	case tcell.KeyEscape:
		return false
	case tcell.KeyUp:
		l.chosen = max(0, l.chosen-1)
	case tcell.KeyDown:
		l.chosen = max(0, min(l.chosen+1, len(l.load.Ports)-1))
	case tcell.KeyEnter:
		if l.chosen < len(l.load.Ports) {
			l.port, l.scroll = l.load.Ports[l.chosen].Port, 0
			l.read(ctx)
		}
	default:
		l.word(e.Rune())
	}
	return true
}

// word handles a character that the user has typed while the list is shown: < and > choose the column to sort by, a
// space pauses.
func (l *Live) word(r rune) {
	words := Columns()
	i := max(0, slices.Index(words, l.By))
	switch r {
	case '<', '>':
		if i++; r == '<' {
			i += len(words) - 2 // with i++ and the modulus: one back
		}
		l.By = words[i%len(words)]
		Sort(l.load.Ports, l.By)
	case ' ':
		l.paused = !l.paused
	}
}

// keyOfPort handles a key that the user has pressed while a port is open: it scrolls the text, or returns to the
// list.
func (l *Live) keyOfPort(e *tcell.EventKey) {
	_, height := l.Screen.Size()
	switch e.Key() {
	case tcell.KeyEscape, tcell.KeyBackspace, tcell.KeyBackspace2, tcell.KeyLeft:
		l.port = ""
	case tcell.KeyUp:
		l.scroll--
	case tcell.KeyDown:
		l.scroll++
	case tcell.KeyPgUp:
		l.scroll -= height - 2
	case tcell.KeyPgDn:
		l.scroll += height - 2
	default:
	}
	l.scroll = max(0, min(l.scroll, len(l.text)-(height-2)))
}

// draw draws the whole screen: a title, below it the list of ports or the text about the open port, and a line that
// names the keys.
func (l *Live) draw() {
	l.Screen.Clear()
	width, height := l.Screen.Size()
	title, keys := workersLine(l.load.Workers), keysLine
	if l.port != "" {
		title, keys = "Port "+l.port, keysOfPort
	}
	if l.paused {
		title = "PAUSED  " + title
	}
	style := tcell.StyleDefault
	if l.failed != nil {
		title, style = l.failed.Error(), style.Bold(true)
	}
	l.line(0, title, style)
	if l.port != "" {
		for y := 1; y < height-1 && l.scroll+y-1 < len(l.text); y++ {
			l.line(y, l.text[l.scroll+y-1], tcell.StyleDefault)
		}
	} else {
		l.list(width, height)
	}
	l.line(height-1, keys, tcell.StyleDefault.Dim(true))
	l.Screen.Show()
}

// list draws the list of ports, as many lines as a screen of this size has room for. The chosen port is always among
// them.
func (l *Live) list(width, height int) {
	shown := fitting(l.load.Ports, width)
	l.line(1, row(shown, l.load.Ports, nil, l.By), tcell.StyleDefault.Bold(true))
	room := max(1, height-3)
	first := max(0, l.chosen-room+1)
	for y := 0; y < room && first+y < len(l.load.Ports); y++ {
		style := tcell.StyleDefault
		if first+y == l.chosen {
			style = style.Reverse(true)
		}
		l.line(2+y, row(shown, l.load.Ports, &l.load.Ports[first+y], ""), style)
	}
}

// line draws a text on line y of the screen, cut at the right edge.
func (l *Live) line(y int, text string, style tcell.Style) {
	width, height := l.Screen.Size()
	if y >= height {
		return
	}
	x := 0
	for _, r := range string(printable.Append(nil, []byte(text))) {
		if x >= width {
			return
		}
		l.Screen.SetContent(x, y, r, nil, style)
		x++
	}
}

// fitting returns the columns that fit on a screen of a width, in characters. While the columns do not fit, the least
// needed column is left out.
func fitting(ports []Port, width int) []column {
	shown := columns()
	for len(shown) > 1 && utf8.RuneCountInString(row(shown, ports, nil, "")) > width {
		least := slices.MaxFunc(shown, func(a, b column) int { return cmp.Compare(a.need, b.need) })
		shown = slices.DeleteFunc(shown, func(c column) bool { return c.need == least.need })
	}
	return shown
}

// row returns a line of the list: the cells of port p, or the titles if p is nil. Each cell is as wide as the widest
// of its column in ports; the title of the column named marked has a mark.
func row(shown []column, ports []Port, p *Port, marked string) string {
	var cells []string
	for _, c := range shown {
		width := utf8.RuneCountInString(c.title) + 1 // the mark
		for i := range ports {
			width = max(width, utf8.RuneCountInString(c.cell(&ports[i])))
		}
		text := c.title
		switch {
		case p != nil:
			text = c.cell(p)
		case word(c.title) == marked:
			text += "*"
		}
		if c.left {
			width = -width
		}
		cells = append(cells, fmt.Sprintf("%*s", width, text))
	}
	return strings.TrimRight(strings.Join(cells, " "), " ")
}
