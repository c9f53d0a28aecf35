package report

import (
	"fmt"
	"html"
	"strings"
)

// Plot is a picture of the report: lines over two axes.
type Plot struct {
	Name   string   `json:"name"` // name of the file, without .svg
	Title  string   `json:"title"`
	X      string   `json:"x"`
	Y      string   `json:"y"`
	LogX   bool     `json:"log_x"`
	Series []Series `json:"series"`
}

// Series is a line.
type Series struct {
	Name   string  `json:"name"`
	Points []Point `json:"points"`
}

// Point is x and y.
type Point [2]float64

// Places in a picture, in pixels: the axes, and the legend to the right of them.
const (
	pictureWidth, pictureHeight = 760, 400
	left, right, top, bottom    = 70, 560, 50, 340
	legendX, legendStep         = 580, 22
)

// colour returns the colour of line i of a plot, as "#0072B2". The colour-blind can distinguish all seven (Okabe
// and Ito).
func colour(i int) string {
	list := []string{"#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000"}
	return list[i%len(list)]
}

// SVG returns the plot as an SVG file: title, axes, lines and legend.
func (p Plot) SVG() []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" `, pictureWidth, pictureHeight)
	b.WriteString(`font-family="sans-serif" font-size="13">` + "\n")
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="white"/>`+"\n", pictureWidth, pictureHeight)
	label(&b, (left+right)/2, 28, "middle", p.Title, `font-size="16"`)
	label(&b, (left+right)/2, bottom+45, "middle", p.X, "")
	label(&b, 0, 0, "middle", p.Y, fmt.Sprintf(`transform="translate(20 %d) rotate(-90)"`, (top+bottom)/2))
	a := p.axes()
	a.draw(&b)
	for i, line := range p.Series {
		a.line(&b, line, colour(i))
		y := top + 10 + i*legendStep
		fmt.Fprintf(&b, `<line x1="%d" y1="%d" x2="%d" y2="%d" stroke="%s" stroke-width="3"/>`+"\n", legendX, y,
			legendX+20, y, colour(i))
		label(&b, legendX+28, float64(y)+4, "start", line.Name, "")
	}
	b.WriteString("</svg>\n")
	return []byte(b.String())
}

// label writes an SVG text element at (x, y). anchor is its text-anchor, more further attributes.
func label(b *strings.Builder, x int, y float64, anchor, text, more string) {
	fmt.Fprintf(b, `<text x="%d" y="%.1f" text-anchor="%s" %s>%s</text>`+"\n", x, y, anchor, more,
		html.EscapeString(text))
}
