package report

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// TestPlotsAreWellFormed: whatever the figures and the names, and with none.
func TestPlotsAreWellFormed(t *testing.T) {
	for _, p := range []Plot{
		{},
		{Title: "a < b & c", LogX: true, Series: []Series{{Name: "\"quoted\"", Points: []Point{{1e-4, 0.99}, {1e-3,
			1.3}}}, {Name: "none"}}},
		{Series: []Series{{Points: []Point{{5, 0}}}}},
		{LogX: true, Series: []Series{{Points: []Point{{0, 0}, {10, 1}}}}},
	} {
		picture := string(p.SVG())
		d := xml.NewDecoder(strings.NewReader(picture))
		for {
			_, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%v in\n%s", err, picture)
			}
		}
		if strings.Contains(picture, "NaN") || strings.Contains(picture, "Inf") {
			t.Errorf("a point is nowhere:\n%s", picture)
		}
	}
}

// TestPointsAreInsideTheAxes: the lowest and the highest value of a line too.
func TestPointsAreInsideTheAxes(t *testing.T) {
	p := Plot{LogX: true, Series: []Series{{Points: []Point{{3e-4, 0}, {2e-2, 1.17}}}}}
	a := p.axes()
	for _, at := range p.Series[0].Points {
		if x, y := a.x(at[0]), a.y(at[1]); x < left || x > right || y < top || y > bottom {
			t.Errorf("%v is drawn at %v, %v", at, x, y)
		}
	}
	if got := a.ticks(); len(got) != 4 || got[0] != 1e-4 || got[3] != 0.1 {
		t.Errorf("numbers of the axis: %v, want 1e-4 to 0.1", got)
	}
}
