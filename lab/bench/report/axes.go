package report

import (
	"fmt"
	"math"
	"strings"
)

// axes maps values to places in a picture. y begins at 0.
type axes struct {
	logX             bool
	fromX, toX, maxY float64
}

// axes returns the ranges of both axes of a plot, wide enough for all its points. A logarithmic axis ends at
// powers of ten.
func (p Plot) axes() axes {
	a := axes{logX: p.LogX, fromX: math.Inf(1), toX: math.Inf(-1), maxY: 1}
	for _, line := range p.Series {
		for _, at := range line.Points {
			a.fromX, a.toX, a.maxY = min(a.fromX, at[0]), max(a.toX, at[0]), max(a.maxY, at[1])
		}
	}
	if a.fromX > a.toX || p.LogX && a.fromX <= 0 {
		a.fromX, a.toX = 1, 10 // no points
	}
	if p.LogX {
		a.fromX, a.toX = math.Pow(10, math.Floor(math.Log10(a.fromX))), math.Pow(10, math.Ceil(math.Log10(a.toX)))
	}
	if a.fromX == a.toX {
		a.toX = a.fromX * 10
	}
	a.maxY = math.Ceil(a.maxY*5) / 5
	return a
}

func (a axes) x(v float64) float64 {
	from, to := a.fromX, a.toX
	if a.logX {
		v, from, to = math.Log10(v), math.Log10(from), math.Log10(to)
	}
	return left + (v-from)/(to-from)*(right-left)
}

func (a axes) y(v float64) float64 { return bottom - v/a.maxY*(bottom-top) }

// draw writes the axes of a plot as SVG: frame, grid lines and numbers.
func (a axes) draw(b *strings.Builder) {
	for v := 0.0; v <= a.maxY+0.01; v += 0.2 {
		fmt.Fprintf(b, `<path d="M%d %.1f H%d" stroke="#ddd"/>`+"\n", left, a.y(v), right)
		label(b, left-8, a.y(v)+4, "end", fmt.Sprintf("%.1f", v), "")
	}
	for _, v := range a.ticks() {
		fmt.Fprintf(b, `<path d="M%.1f %d V%d" stroke="#ddd"/>`+"\n", a.x(v), top, bottom)
		label(b, int(a.x(v)), bottom+20, "middle", fmt.Sprintf("%g", v), "")
	}
	fmt.Fprintf(b, `<path d="M%d %d V%d H%d" fill="none" stroke="black"/>`+"\n", left, top, bottom, right)
}

// ticks returns the values at which the x axis has grid lines: powers of ten on a logarithmic axis, else every
// fifth of the axis.
func (a axes) ticks() (list []float64) {
	if a.logX {
		for v := a.fromX; v <= a.toX*1.01; v *= 10 {
			list = append(list, math.Pow(10, math.Round(math.Log10(v))))
		}
		return list
	}
	for i := range 6 {
		list = append(list, a.fromX+(a.toX-a.fromX)*float64(i)/5)
	}
	return list
}

// line draws a series, with markers if it has few points. A logarithmic axis has no place for 0.
func (a axes) line(b *strings.Builder, s Series, colour string) {
	var points []string
	for _, at := range s.Points {
		if a.logX && at[0] <= 0 {
			continue
		}
		points = append(points, fmt.Sprintf("%.1f,%.1f", a.x(at[0]), a.y(at[1])))
	}
	fmt.Fprintf(b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2"/>`+"\n",
		strings.Join(points, " "), colour)
	if len(points) > 10 {
		return // a curve has no markers
	}
	for _, at := range points {
		x, y, _ := strings.Cut(at, ",")
		fmt.Fprintf(b, `<circle cx="%s" cy="%s" r="4" fill="%s"/>`+"\n", x, y, colour)
	}
}
