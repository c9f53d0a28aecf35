package top

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"uelink/control/api"
)

// terminal is a live view on a simulated terminal.
type terminal struct {
	t      *testing.T
	screen tcell.SimulationScreen
	live   *Live
	asked  int
	fail   bool
	ended  bool
}

// begin shows ports on a terminal of a size.
func begin(t *testing.T, width, height int, names ...string) *terminal {
	t.Helper()
	v := &terminal{t: t, screen: tcell.NewSimulationScreen("UTF-8")}
	if err := v.screen.Init(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.screen.Fini)
	v.screen.SetSize(width, height)
	start := time.Date(2026, 11, 26, 8, 0, 0, 0, time.UTC)
	v.live = &Live{
		Screen: v.screen, By: "port", Every: time.Hour,
		Ask: func(context.Context) (Sample, error) {
			if v.fail {
				return Sample{}, errors.New("no daemon: start uelinkd")
			}
			v.asked++
			s := Sample{
				Time:    start.Add(time.Duration(v.asked) * time.Second),
				Workers: []api.Worker{{CPU: time.Duration(v.asked) * 300e6}},
			}
			for i, name := range names {
				p := link(name, uint64(v.asked))
				p.Counters.TxFrames = uint64(v.asked) * uint64(i+1) * 100
				s.Ports = append(s.Ports, p)
			}
			return s, nil
		},
		Open: func(_ context.Context, port string, width int) (string, error) {
			var b strings.Builder
			for i := range 30 {
				fmt.Fprintf(&b, "%s line %d of %d columns\n", port, i, width)
			}
			return b.String(), nil
		},
	}
	v.live.refresh(t.Context())
	v.live.draw()
	return v
}

// text returns what the terminal shows.
func (v *terminal) text() string {
	cells, width, height := v.screen.GetContents()
	var b strings.Builder
	for y := range height {
		line := ""
		for x := range width {
			line += string(cells[y*width+x].Runes)
		}
		b.WriteString(strings.TrimRight(line, " \x00") + "\n")
	}
	return b.String()
}

// shows reports a problem unless the terminal shows what it must, and nothing that it must not.
func (v *terminal) shows(what string, words ...string) {
	v.t.Helper()
	text := v.text()
	for _, word := range words {
		if not, is := strings.CutPrefix(word, "!"); is == strings.Contains(text, not) {
			v.t.Errorf("%s: %q in\n%s", what, word, text)
		}
	}
}

// happens handles an event, unless the view has ended.
func (v *terminal) happens(e tcell.Event) {
	v.t.Helper()
	if v.ended {
		v.t.Fatal("the view has ended")
	}
	if v.ended = !v.live.handle(v.t.Context(), e); !v.ended {
		v.live.draw()
	}
}

func (v *terminal) refresh() { v.t.Helper(); v.happens(tcell.NewEventInterrupt(nil)) }

func (v *terminal) press(key tcell.Key, r rune) {
	v.t.Helper()
	v.happens(tcell.NewEventKey(key, r, tcell.ModNone))
}

// over reports a problem unless the view has ended.
func (v *terminal) over() {
	v.t.Helper()
	if !v.ended {
		v.t.Error("the view goes on")
	}
}

// The list shows the rates since the last sample, is sorted by the column that the keys choose, and q ends it.
func TestList(t *testing.T) {
	v := begin(t, 100, 10, "link0", "link1")
	v.shows("at first", "Port*", "link0 ADVANCE", "12/512", "q quit")
	v.refresh()
	v.shows("after a second", "CPU of workers:  0: 30 %", "link0 ADVANCE     100", "link1 ADVANCE     200", "8.0M")
	v.press(tcell.KeyRune, '>')
	v.press(tcell.KeyRune, '>')
	v.shows("sorted by frames", "TX fps*", "!Port*")
	if text := v.text(); strings.Index(text, "link1") > strings.Index(text, "link0") {
		t.Errorf("sorted by frames:\n%s", text)
	}
	v.press(tcell.KeyRune, '<')
	v.press(tcell.KeyRune, '<')
	v.press(tcell.KeyRune, '<')
	v.shows("sorted by drops", "Drops*")
	v.press(tcell.KeyRune, 'q')
	v.over()
}

// A terminal of 40 columns shows the columns that are needed most, and no line is cut.
func TestNarrowTerminal(t *testing.T) {
	v := begin(t, 40, 8, "link0", "link1")
	v.refresh()
	v.shows("40 columns", "Port*  TX bit/s  RX bit/s  Replays", "link0      8.0M      4.8k        7", "!Window",
		"!State")
	v.screen.SetSize(20, 8)
	v.happens(tcell.NewEventResize(20, 8))
	v.shows("20 columns", "Port*  TX bit/s", "!RX")
}

// Enter opens the chosen port, the arrows scroll, and Escape goes back.
func TestOpenPort(t *testing.T) {
	v := begin(t, 60, 10, "link0", "link1", "link2")
	v.shows("the list", "link2")
	v.press(tcell.KeyDown, 0)
	v.press(tcell.KeyEnter, 0)
	v.shows("the port", "Port link1", "link1 line 0 of 60 columns", "link1 line 7", "!line 8", "Esc back")
	v.press(tcell.KeyDown, 0)
	v.press(tcell.KeyPgDn, 0)
	v.shows("scrolled", "line 9 ", "!line 8 ")
	for range 9 {
		v.press(tcell.KeyPgDn, 0)
	}
	v.shows("the end", "line 29")
	v.press(tcell.KeyEscape, 0)
	v.shows("the list again", "q quit", "link0")
	v.press(tcell.KeyEscape, 0)
	v.over()
}

// More ports than lines scroll, so that the chosen one is seen.
func TestManyPorts(t *testing.T) {
	var names []string
	for i := range 30 {
		names = append(names, fmt.Sprintf("link%02d", i))
	}
	v := begin(t, 60, 8, names...)
	v.shows("the first", "link00", "link04", "!link05")
	for range 20 {
		v.press(tcell.KeyDown, 0)
	}
	v.shows("the chosen one", "link20", "link16", "!link15", "!link21")
}

// While the daemon does not answer the last load stays below the reason; a pause asks for nothing.
func TestDaemonThatIsGone(t *testing.T) {
	v := begin(t, 80, 8, "link0")
	v.refresh()
	v.shows("before", "8.0M")
	v.fail = true
	v.refresh()
	v.shows("gone", "no daemon: start uelinkd", "8.0M")
	v.fail = false
	v.refresh()
	v.refresh()
	v.shows("back", "!no daemon", "8.0M")
	v.press(tcell.KeyRune, ' ')
	v.shows("paused", "PAUSED")
	asked := v.asked
	v.refresh()
	v.press(tcell.KeyRune, ' ')
	v.shows("goes on", "!PAUSED")
	if now := v.asked; now != asked {
		t.Errorf("%d samples during the pause", now-asked)
	}
}

// A name that would control the terminal is shown as text.
func TestNamesOnTheTerminal(t *testing.T) {
	begin(t, 80, 8, "link\x1b[2J0").shows("a name with a sequence", `link\u001b[2J0`)
}

// A key, and the end of the context, end the view.
func TestEndOfRun(t *testing.T) {
	for name, end := range map[string]func(v *terminal, stop context.CancelFunc){
		"a key":   func(v *terminal, _ context.CancelFunc) { v.screen.InjectKey(tcell.KeyCtrlC, 0, tcell.ModNone) },
		"context": func(_ *terminal, stop context.CancelFunc) { stop() },
	} {
		v := begin(t, 80, 8, "link0")
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			v.live.Run(ctx)
			close(ended)
		}()
		end(v, stop)
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Fatalf("%s does not end the view", name)
		}
		stop()
	}
}
