package alerts

import (
	"encoding/json"
	"fmt"
	"html"
	"math"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"uelink/lab/e2e/bed"
)

// panel is a panel of the dashboard.
type panel struct {
	Title, Type string
	Targets     []struct{ Expr, LegendFormat string }
}

// line is a series of a panel: values by time, in seconds since the first scrape.
type line struct {
	name         string
	times, value []float64
}

// panels returns the panels of the dashboard.
func panels(t *testing.T) []panel {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(deploy, "grafana/uelink.json"))
	bed.Must(t, err)
	var dashboard struct{ Panels []panel }
	bed.Must(t, json.Unmarshal(text, &dashboard))
	return dashboard.Panels
}

// chosen puts the choice of all hosts and ports, and rates over 10 s, into a query of the dashboard, as Grafana does.
func chosen(expr string) string {
	return strings.NewReplacer("$job", "uelink", "$instance", ".*", "$port", ".*", "$__rate_interval", "10s").Replace(expr)
}

// lines returns what Prometheus has of the queries of a panel between two times, in seconds.
func (s *scraper) lines(p panel, from, to float64) (all []line) {
	s.t.Helper()
	for _, target := range p.Targets {
		code, text := s.get(s.url + "/api/v1/query_range?" + url.Values{"query": {chosen(target.Expr)}, "step": {"1"},
			"start": {fmt.Sprintf("%.3f", from)}, "end": {fmt.Sprintf("%.3f", to)}}.Encode())
		if code != http.StatusOK {
			s.t.Fatalf("%s: %d %s", target.Expr, code, text)
		}
		var answer struct {
			Data struct {
				Result []struct {
					Metric map[string]string
					Values [][2]any
				}
			}
		}
		bed.Must(s.t, json.Unmarshal([]byte(text), &answer))
		for _, r := range answer.Data.Result {
			l := line{name: target.LegendFormat}
			for label, value := range r.Metric {
				l.name = strings.ReplaceAll(l.name, "{{"+label+"}}", value)
			}
			for _, v := range r.Values {
				value, err := strconv.ParseFloat(v[1].(string), 64)
				bed.Must(s.t, err)
				if !math.IsNaN(value) {
					l.times, l.value = append(l.times, v[0].(float64)-from), append(l.value, value)
				}
			}
			all = append(all, l)
		}
	}
	return all
}

// Places in the picture, in pixels: panels in columns, each with a title, a drawing and the names of its lines.
const (
	panelWidth, panelHeight = 480, 220
	drawLeft, drawTop       = 70, 30
	drawWidth, drawHeight   = 390, 110
	namesShown              = 4
)

// picture draws the panels with what Prometheus has between two times, in seconds.
func (s *scraper) picture(all []panel, from, to float64) string {
	s.t.Helper()
	rows := (len(all) + 1) / 2
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" "+
		"font-size=\"11\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n", 2*panelWidth, rows*panelHeight)
	for i, p := range all {
		fmt.Fprintf(&b, "<g transform=\"translate(%d %d)\">\n", i%2*panelWidth, i/2*panelHeight)
		drawPanel(&b, p.Title, s.lines(p, from, to), to-from)
		b.WriteString("</g>\n")
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// drawPanel draws the lines of a panel over so many seconds.
func drawPanel(b *strings.Builder, title string, all []line, seconds float64) {
	low, high := 0.0, 0.0
	for _, l := range all {
		for _, v := range l.value {
			low, high = min(low, v), max(high, v)
		}
	}
	if low == high {
		high = low + 1
	}
	y := func(v float64) float64 { return drawTop + drawHeight*(high-v)/(high-low) }
	text := func(x int, at float64, anchor, words, more string) {
		fmt.Fprintf(b, "<text x=\"%d\" y=\"%.0f\" text-anchor=\"%s\"%s>%s</text>\n", x, at, anchor, more,
			html.EscapeString(words))
	}
	text(drawLeft, 20, "start", title, ` font-weight="bold" font-size="13"`)
	for _, v := range slices.Compact([]float64{low, 0, high}) {
		fmt.Fprintf(b, "<path d=\"M%d %.1fh%d\" stroke=\"#ccc\"/>\n", drawLeft, y(v), drawWidth)
		text(drawLeft-6, y(v)+4, "end", short(v), "")
	}
	text(drawLeft, drawTop+drawHeight+14, "start", "0 s", "")
	text(drawLeft+drawWidth, drawTop+drawHeight+14, "end", fmt.Sprintf("%.0f s", seconds), "")
	colours := []string{"#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000"}
	for i, l := range all {
		var points []string
		for j, v := range l.value {
			points = append(points, fmt.Sprintf("%.0f,%.1f", drawLeft+l.times[j]/seconds*drawWidth, y(v)))
		}
		colour := colours[i%len(colours)]
		fmt.Fprintf(b, "<polyline points=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"1.5\"/>\n",
			strings.Join(points, " "), colour)
		if i < namesShown {
			text(drawLeft+i%2*drawWidth/2, float64(drawTop+drawHeight+30+i/2*14), "start", l.name, ` fill="`+colour+`"`)
		}
	}
	if more := len(all) - namesShown; more > 0 {
		text(drawLeft, drawTop+drawHeight+30+2*14, "start", fmt.Sprintf("and %d more", more), "")
	}
}

// short returns a number with a letter for thousands.
func short(v float64) string {
	for _, unit := range []struct {
		of   float64
		name string
	}{{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {1, ""}, {1e-3, "m"}, {1e-6, "µ"}} {
		if math.Abs(v) >= unit.of {
			return fmt.Sprintf("%.3g %s", v/unit.of, unit.name)
		}
	}
	return fmt.Sprintf("%.3g", v)
}

// The picture has a line for each series, inside the drawing, and no text can break out of it.
func TestPictureOfAPanel(t *testing.T) {
	var b strings.Builder
	drawPanel(&b, "a < b", []line{
		{"A", []float64{0, 10}, []float64{-1, 3}}, {"B", []float64{5}, []float64{2000}}, {name: "C"}, {name: "D"}, {name: "E"},
	}, 10)
	for _, want := range []string{
		"a &lt; b", `points="70,140.0 460,139.8"`, `points="265,30.0"`, ">2 k<", ">-1 <", ">10 s<", "and 1 more",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}

// The picture in the documents has the panels of the present dashboard.
func TestPictureInTheDocuments(t *testing.T) {
	text, err := os.ReadFile("../../../docs/dashboard.svg")
	bed.Must(t, err)
	for _, p := range panels(t) {
		if !strings.Contains(string(text), ">"+html.EscapeString(p.Title)+"<") {
			t.Errorf("docs/dashboard.svg has no panel %q: make dashboard", p.Title)
		}
	}
}
