package web

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"uelink/cbfc"
	"uelink/control/api"
	"uelink/control/controltest"
	"uelink/dataplane/model"
	"uelink/internal/events"
	"uelink/lldp"
	"uelink/lldp/agent"
	"uelink/llr"
)

var (
	withChromium = flag.Bool("web.chromium", false, "TestInABrowser runs Chromium")
	pictures     = flag.String("web.pictures", "", "`folder` for the pictures of the page that docs keep")
)

// onlyLink is the LLDP agents of a daemon whose link has a neighbour.
type onlyLink struct{ agents }

func (onlyLink) Interfaces() []agent.Interface { return nil }

// well returns two ports without a problem.
func well() []model.PortState {
	ports := controltest.Ports()
	link, edge := ports[2], ports[1]
	edge.StandsStill = false
	c := *link.CBFC
	c.VCs = slices.DeleteFunc(slices.Clone(c.VCs), func(v cbfc.VCState) bool { return v.DescribeFailure() != "" })
	c.VCs[0].Sender.Used, c.VCs[0].Receiver.Held, link.CBFC = 96, 40, &c
	return []model.PortState{link, edge}
}

// inTrouble changes the link of well: its transmitter has given up.
func inTrouble(p *model.PortState) {
	is := *p.LLR
	is.TxStatus = llr.TxFlush
	p.ErrorText = "llr_tx_flush: replay count: a frame of 1514 octets was not acknowledged"
	p.LLR, p.QueuedFrames = &is, 480
}

// flowing returns what changes the ports of a daemon as if frames crossed them for a time; its transmitter has stopped
// where it has given up.
func flowing(begin time.Time, now func() time.Time) func([]model.PortState) {
	return func(ports []model.PortState) {
		s := now().Sub(begin).Seconds()
		for i := range ports {
			p := &ports[i]
			p.Counters.TxFrames += uint64(25_000*s + 200_000*math.Sin(s/30))
			p.Counters.RxFrames += uint64(18_000*s + 100_000*math.Sin(s/20))
			if p.LLR != nil {
				is := *p.LLR
				is.OutstandingFrames = int(1400 + 600*math.Sin(s/40))
				is.Counters.TxReplay += uint64(2*s + 30*math.Sin(s/15))
				if is.TxStatus == llr.TxFlush {
					is.OutstandingFrames = is.MaxOutstandingFrames
				}
				p.LLR = &is
			}
		}
	}
}

// ofTenMinutes returns the history of a daemon with these ports whose frames have been flowing since a time.
func ofTenMinutes(ports []model.PortState, begin time.Time) (h history) {
	for i := range points + 1 {
		at := begin.Add(time.Duration(i) * sampleEvery)
		now := slices.Clone(ports)
		flowing(begin, func() time.Time { return at })(now)
		h.add(&look{at: at, ports: api.NewPorts(now)})
	}
	return h
}

// serveLoopback serves the page of a daemon at a port of loopback, which is returned.
func serveLoopback(t *testing.T, d *daemon) (s *Server, port int) {
	t.Helper()
	l, err := Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	source := d.source()
	source.LLDP = onlyLink{source.LLDP.(agents)}
	s = NewServer(source, nil, zap.NewNop())
	begin := time.Now().Add(-span)
	s.sampler.history = ofTenMinutes(d.ports, begin)
	d.flow = flowing(begin, time.Now)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		if err := s.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return s, l.Addr().(*net.TCPAddr).Port
}

// The page in Chromium: what assistive technology meets, keys, light and dark, trouble and its end, without scripts.
func TestInABrowser(t *testing.T) {
	if !*withChromium {
		t.Skip("skipped, missing Chromium: make test-all installs it (-web.chromium)")
	}
	d := &daemon{ports: well(), events: []model.Event{
		{Time: time.Now(), Port: "link0", Kind: "partner", Text: "02:00:00:00:00:02 is there", Level: events.Info}}}
	d.neighbors = []agent.Neighbor{{Port: "edge0", Interface: "veth1", Destination: lldp.NearestBridge,
		Neighbor: stranger(t, "<img src=x onerror=alert(1)>")}}
	_, port := serveLoopback(t, d)
	c := startChromium(t)
	url := fmt.Sprintf("http://localhost:%d/", port)
	const connected = "document.getElementById('connection').textContent.startsWith('Connected')"
	c.call("Emulation.setDeviceMetricsOverride",
		map[string]any{"width": 980, "height": 700, "deviceScaleFactor": 1, "mobile": false})

	t.Run("light", func(t *testing.T) {
		c.scheme("light")
		c.visit(url)
		c.await(connected)
		c.await("document.querySelectorAll('.curves figure').length > 0")
		c.accessible(t)
		c.readable(t)
		c.save(t, "page-light.png")
	})
	t.Run("by keys", c.byKeys)
	t.Run("dark", func(t *testing.T) {
		c.scheme("dark")
		c.readable(t)
		c.save(t, "page-dark.png")
	})
	t.Run("trouble", func(t *testing.T) {
		c.scheme("light")
		c.eval("document.querySelector('#port-link0 h2').marked = true")
		d.set(func() { inTrouble(&d.ports[0]) })
		c.await("document.getElementById('status').innerText.includes('LLR has given up')")
		c.await("document.title.startsWith('(1) ')")
		c.accessible(t)
		c.readable(t)
		for _, n := range c.tree() {
			if n.role() == "image" && !strings.Contains(n.name(), "4096 of 4096 frames not acknowledged, full") {
				t.Errorf("the picture says %q", n.name())
			}
		}
		c.save(t, "page-trouble.png")
		d.set(func() { d.ports = well() })
		c.await("document.querySelector('.summary').textContent.startsWith('All well')")
		if c.eval("document.querySelector('#port-link0 h2').marked") != true {
			t.Error("an element that stays the same was replaced")
		}
	})
	t.Run("narrow", func(t *testing.T) {
		c.call("Emulation.setDeviceMetricsOverride",
			map[string]any{"width": 320, "height": 600, "deviceScaleFactor": 1, "mobile": false})
		if width := c.eval("document.documentElement.scrollWidth"); width != 320.0 {
			t.Errorf("the page is %v pixels wide on a screen of 320", width)
		}
		for _, screen := range []float64{390, 500} {
			c.call("Emulation.setDeviceMetricsOverride",
				map[string]any{"width": screen, "height": 600, "deviceScaleFactor": 1, "mobile": false})
			const right = "Math.max(...[...document.querySelectorAll('#events td')].map(e => " +
				"e.getBoundingClientRect().right))"
			if is := c.eval(right); is.(float64) > screen {
				t.Errorf("the events are %v pixels wide on a screen of %v", is, screen)
			}
		}
	})
	t.Run("strangers", func(t *testing.T) {
		if n := c.eval("document.images.length"); n != 0.0 {
			t.Errorf("%v images out of a name", n)
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		for _, w := range c.wrong {
			t.Errorf("the browser complains: %s", w)
		}
	})
	t.Run("without scripts", func(t *testing.T) {
		c.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": true})
		c.call("Page.navigate", map[string]any{"url": url})
		c.await("document.readyState === 'complete' && document.querySelector('.picture') !== null")
		for _, n := range c.tree() {
			if n.role() == "button" {
				t.Errorf("a control without use: %q", n.name())
			}
		}
		c.accessible(t)
		c.call("Emulation.setScriptExecutionDisabled", map[string]any{"value": false})
	})
	t.Run("rebinding", func(t *testing.T) {
		c.visit(fmt.Sprintf("http://evil.example:%d/", port))
		if text := c.eval("document.body.innerText"); !strings.Contains(text.(string), "web.hosts") {
			t.Errorf("a name that points here: %s", text)
		}
	})
}

// scheme sets whether the user wants a light or a dark page.
func (c *chromium) scheme(is string) {
	c.t.Helper()
	c.call("Emulation.setEmulatedMedia",
		map[string]any{"features": []map[string]string{{"name": "prefers-color-scheme", "value": is}}})
}

// save keeps a picture of the page, if asked.
func (c *chromium) save(t *testing.T, name string) {
	t.Helper()
	if *pictures == "" {
		return
	}
	if err := os.WriteFile(filepath.Join(*pictures, name), small(t, c.screenshot()), 0o644); err != nil {
		t.Error(err)
	}
}

// small returns a PNG image with its most frequent 256 colours only.
func small(t *testing.T, octets []byte) []byte {
	t.Helper()
	is, err := png.Decode(bytes.NewReader(octets))
	if err != nil {
		t.Fatal(err)
	}
	count := map[color.Color]int{}
	for y := range is.Bounds().Dy() {
		for x := range is.Bounds().Dx() {
			count[is.At(x, y)]++
		}
	}
	colours := slices.SortedFunc(maps.Keys(count), func(a, b color.Color) int { return count[b] - count[a] })
	to := image.NewPaletted(is.Bounds(), colours[:min(256, len(colours))])
	draw.Draw(to, to.Bounds(), is, image.Point{}, draw.Src)
	var out bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, to); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// accessible checks the accessibility tree: the parts of the page by role and name, a name of every control, of every
// table, of all that can have the focus and of every picture, and that each state is a word.
func (c *chromium) accessible(t *testing.T) {
	t.Helper()
	have := map[string]int{}
	for _, n := range c.tree() {
		have[n.role()+" "+n.name()]++
		have[n.role()]++
		roles := []string{"button", "link", "image", "region", "columnheader", "rowheader", "heading"}
		if (slices.Contains(roles, n.role()) || n.is("focusable")) && n.name() == "" {
			t.Errorf("a %s has no name", n.role())
		}
		if n.role() == "image" && !strings.HasPrefix(n.name(), "Link link0 with hostb. It sends: ") {
			t.Errorf("a picture is called %q", n.name())
		}
	}
	for _, want := range []string{
		"heading uelink on hosta", "main", "link Skip to what is wrong", "link link0", "link edge0",
		"region What is wrong, and what to type", "region Events, the latest first", "region LLDP neighbours",
		"columnheader State", "columnheader Problem", "columnheader Type", "rowheader link0", "image",
	} {
		if have[want] == 0 {
			t.Errorf("the tree has no %s: %v", want, have)
		}
	}
	if have["heading uelink on hosta"] != 1 || have["main"] != 1 {
		t.Errorf("one heading of the page and one main part are wanted")
	}
	const words = `[...document.querySelectorAll(".state")].every((s) => /OK|WARN|ERROR/.test(s.innerText))`
	if c.eval(words) != true {
		t.Error("a state is no word")
	}
}

// contrasts is the text of a page whose contrast to its ground is below 4.5, as WCAG 2 computes it.
const contrasts = `(() => {
  const parts = (c) => c.match(/[\d.]+/g).map(Number);
  const light = (c) => {
    const [r, g, b] = parts(c).map((v) => v / 255).map((v) => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (e) => {
    if (e.namespaceURI.endsWith("svg")) {
      const name = e.closest("g") ? null : e.closest("svg").querySelector(".box");
      return name ? getComputedStyle(name).fill : ground(e.closest("svg").parentElement);
    }
    for (; e; e = e.parentElement) {
      const c = getComputedStyle(e).backgroundColor;
      if (parts(c)[3] !== 0) return c;
    }
    return "rgb(255, 255, 255)";
  };
  const low = [];
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim())) continue;
    const style = getComputedStyle(e), svg = e.namespaceURI.endsWith("svg");
    const [a, b] = [light(svg ? style.fill : style.color), light(ground(e))].sort((x, y) => y - x);
    if ((a + 0.05) / (b + 0.05) < 4.5) low.push(e.textContent.trim() + " " + ((a + 0.05) / (b + 0.05)).toFixed(2));
  }
  return low.join("; ");
})()`

// readable checks the contrast of all text.
func (c *chromium) readable(t *testing.T) {
	t.Helper()
	if low := c.eval(contrasts); low != "" {
		t.Errorf("text of little contrast: %v", low)
	}
}

// byKeys uses the page by keys alone: the way to what is wrong, every stop with its ring, and the button.
func (c *chromium) byKeys(t *testing.T) {
	const focus = `(document.activeElement.innerText || document.activeElement.getAttribute("aria-label") || "").trim()`
	c.press("Tab")
	if is := c.eval(focus); is != "Skip to what is wrong" {
		t.Fatalf("the first stop is %q", is)
	}
	c.press("Enter")
	c.await("location.hash === '#status'")
	c.press("Tab")
	if is := c.eval("document.getElementById('status').contains(document.activeElement)"); is != true {
		t.Errorf("the stop after what is wrong is %v", c.eval(focus))
	}
	const ringless = `document.activeElement !== document.body &&
		getComputedStyle(document.activeElement).outlineStyle === 'none'`
	reached := map[string]bool{}
	for range 60 {
		if c.eval(ringless) == true {
			t.Errorf("the stop %v has no ring", c.eval(focus))
		}
		is := fmt.Sprint(c.eval(focus))
		reached[is] = true
		if is == "Pause" {
			break
		}
		c.press("Tab")
	}
	if !reached["Pause"] {
		t.Fatalf("Pause is not reached: %v", reached)
	}
	const connection = "document.getElementById('connection').textContent"
	c.press(" ")
	c.await(connection + ".startsWith('Paused. This is the state of ')")
	if is := c.eval(focus); is != "Follow" {
		t.Errorf("the button is called %v", is)
	}
	c.press(" ")
	c.await(connection + ".startsWith('Connected')")
}
