package view

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// outline prints keys and values as lldpcli does: sub-keys are indented, and values are in a column.
type outline struct {
	w     io.Writer
	depth int
}

// rule prints a line of dashes across the page.
func rule(w io.Writer) { fmt.Fprintln(w, strings.Repeat("-", 79)) }

// chapter prints a title between two lines of dashes.
func chapter(w io.Writer, title string) {
	rule(w)
	fmt.Fprintln(w, title)
	rule(w)
}

// line prints a key and its value, indented to the outline's depth; nothing if the value is empty.
func (o outline) line(key, value string) {
	if value != "" {
		fmt.Fprintf(o.w, "%s%-13s %s\n", strings.Repeat("  ", o.depth), key+":", value)
	}
}

// under prints a title, and returns an outline indented one level more, for the lines below the title.
func (o outline) under(title string) outline {
	fmt.Fprintf(o.w, "%s%s:\n", strings.Repeat("  ", o.depth), title)
	return outline{o.w, o.depth + 1}
}

// age returns seconds in lldpcli's form: "1 day, 02:03:04".
func age(seconds int64) string {
	const day = 24 * 3600
	days, rest := seconds/day, time.Duration(seconds%day)*time.Second
	unit := "days"
	if days < 2 {
		unit = "day"
	}
	return fmt.Sprintf("%d %s, %02d:%02d:%02d", days, unit, int(rest.Hours()), int(rest.Minutes())%60,
		int(rest.Seconds())%60)
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func yesNo(yes bool) string {
	if yes {
		return "yes"
	}
	return "no"
}

// Detail is the amount of detail of a view.
type Detail int

// How much of each object a view shows, as in lldpcli: the usual values, few of them, or all.
const (
	Usual Detail = iota
	Summary
	Full
)
