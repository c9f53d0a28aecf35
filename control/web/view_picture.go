package web

import (
	"fmt"
	"strings"

	"uelink/control/api"
	"uelink/llr"
)

// Measures of a picture, in the units of its drawing.
const (
	rowHeight = 22
	barLength = 140 // of a full bar
	barAt     = 285 // left end of the bars
	laneHead  = 44  // height of the arrow and the title, above the rows of a direction
	laneGap   = 10  // between the two directions
	nameMost  = 13  // characters of a name in its box
)

// picture is the drawing of a link: two directions, with the limits of each.
//
//	┌───────┐ sends: ADVANCE ──────────────────────▶ ┌─────────┐
//	│ here  │ window   ▓▓▓░░░░░░░  12 of 512 frames  │ partner │
//	│       │ VC 0     ▓░░░░░░░░░  3 of 64 credits   │         │
//	└───────┘ ◀─────────────────── receives: … ───── └─────────┘
type picture struct {
	ID, Here, Partner string
	Height            int
	Lanes             [2]lane // out, in
}

// lane is one direction of a link.
type lane struct {
	Out   bool
	Title string
	Y     int
	Rows  []row
}

// row is a line of a direction: a number with a bar, if the number has a limit.
type row struct {
	Label, Value string
	Y            int
	Bar          int  // length of the bar; 0: the bar is empty
	Limited      bool // there is a bar
	Full         bool
}

// pictureOf returns the picture of a link: the first lane is what the link sends, the second what it receives. Their
// rows are placed from top to bottom.
func pictureOf(l *look, p *api.Port) *picture {
	pic := &picture{ID: p.Name, Here: p.Name, Partner: partnerOf(l, p)}
	pic.Lanes[0].Out = true
	if p.LLR != nil {
		pic.llr(l, p)
	} else {
		pic.hippi(l, p)
	}
	y := 4
	for i := range pic.Lanes {
		direction := &pic.Lanes[i]
		direction.Y = y
		y += laneHead
		for n := range direction.Rows {
			direction.Rows[n].Y = y
			y += rowHeight
		}
		y += laneGap
	}
	pic.Height = y
	return pic
}

// llr adds the two directions of a link with LLR: for sent frames the window and the replays, for received frames the
// gaps, and for both the frames that wait, and the credits of each virtual channel.
func (pic *picture) llr(l *look, p *api.Port) {
	link := p.LLR
	out, in := &pic.Lanes[0], &pic.Lanes[1]
	out.Title, in.Title = "sends: "+link.TxStatus.String(), "receives: "+link.RxStatus.String()
	if link.TxStatus == llr.TxOff {
		out.Title = "sends without LLR"
	}
	if link.RxStatus == llr.RxOff {
		in.Title = "receives without LLR"
	}
	out.number("waits", plural(p.QueuedFrames, "frame"))
	out.bar("window", link.OutstandingFrames, link.MaxOutstandingFrames, "frames not acknowledged")
	out.number("replays", fmt.Sprint(link.Counters.TxReplay))
	in.waits(l, p)
	in.number("gaps, requested again", fmt.Sprint(link.Counters.RxMissingSeq))
	in.number("replays of the partner", fmt.Sprint(link.Counters.RxReplay))
	if p.CBFC == nil {
		return
	}
	for _, v := range p.CBFC.VCs {
		out.bar(fmt.Sprintf("VC %d, %s", v.VC, strings.ReplaceAll(v.Phase, "_", " ")), v.CreditsUsed,
			v.SenderCreditLimit,
			"credits used")
		if v.ReceiverEnable {
			in.bar(fmt.Sprintf("VC %d", v.VC), v.RxCreditsHeld, v.ReceiverCreditLimit, "credits held")
		}
	}
	for _, q := range p.QueueStats {
		if q.QueuedFrames > 0 {
			out.number(fmt.Sprintf("VC %d waits", q.Queue), plural(q.QueuedFrames, "frame"))
		}
	}
}

// hippi adds the two directions of a link that speaks HIPPI-6400-PH: frames that wait, the window, and credits and
// buffers of each virtual channel.
func (pic *picture) hippi(l *look, p *api.Port) {
	link := p.HIPPI
	out, in := &pic.Lanes[0], &pic.Lanes[1]
	out.Title, in.Title = "sends: "+link.LinkState, "receives: signal"
	if !link.Activity {
		in.Title = "receives: no signal"
	}
	out.number("waits", plural(p.QueuedFrames, "frame"))
	out.bar("window", link.Outstanding, hippiWindow, "micropackets not acknowledged")
	out.number("micropackets sent again", fmt.Sprint(link.Counters.TxRetransmitted))
	in.waits(l, p)
	for _, v := range link.Channels {
		name := fmt.Sprintf("VC %d", v.VC)
		out.bar(name, hippiCredits-v.Credits, hippiCredits, "credits used")
		in.bar(name, v.Buffered, v.Buffer, "micropackets buffered")
	}
}

// Limits of a link of HIPPI-6400-PH: micropackets that may be outstanding, and credits of a channel.
const (
	hippiWindow  = 254
	hippiCredits = 255
)

// waits adds the frames received by the link and waiting to leave by the port tied to it.
func (d *lane) waits(l *look, p *api.Port) {
	for i := range l.ports {
		if to := &l.ports[i]; p.XConnect != "" && to.Name == p.XConnect {
			text := plural(to.QueuedFrames, "frame")
			if to.StandsStill {
				text += ", not taken by the host"
			}
			d.number("waits for "+to.Name, text)
		}
	}
}

// number adds a line without a limit.
func (d *lane) number(label, value string) {
	d.Rows = append(d.Rows, row{Label: label, Value: value})
}

// bar adds a line with a bar. A limit of 0 is none.
func (d *lane) bar(label string, used, limit int, noun string) {
	if limit <= 0 {
		d.number(label, fmt.Sprintf("%d %s", used, noun))
		return
	}
	share := min(1, max(0, float64(used)/float64(limit)))
	r := row{Label: label, Limited: true, Bar: int(share * barLength), Full: used >= limit,
		Value: fmt.Sprintf("%d of %d %s", used, limit, noun)}
	if r.Full {
		r.Value += ", full"
	}
	d.Rows = append(d.Rows, r)
}

// Says returns the picture in words, for readers who cannot see it.
func (pic *picture) Says() string {
	var text strings.Builder
	fmt.Fprintf(&text, "Link %s with %s.", pic.Here, pic.Partner)
	for _, direction := range pic.Lanes {
		fmt.Fprintf(&text, " It %s", direction.Title)
		for _, r := range direction.Rows {
			fmt.Fprintf(&text, "; %s: %s", r.Label, r.Value)
		}
		text.WriteString(".")
	}
	return text.String()
}

// BoxHeight returns the height of the boxes of the two ends.
func (pic *picture) BoxHeight() int { return pic.Height - 2 }

// Middle returns the place of the names of the two ends.
func (pic *picture) Middle() int { return pic.Height/2 + 4 }

// ShortHere returns the name of this end, cut to the width of its box.
func (pic *picture) ShortHere() string { return cut(pic.Here) }

// ShortPartner returns the name of the partner, cut to the width of its box.
func (pic *picture) ShortPartner() string { return cut(pic.Partner) }

// cut returns the beginning of a name if the whole name is too long for its box.
func cut(name string) string {
	if letters := []rune(name); len(letters) > nameMost {
		return string(letters[:nameMost-1]) + "…"
	}
	return name
}

// Arrow returns the path of the arrow of a direction.
func (d lane) Arrow() string {
	y := d.Y + 22
	if d.Out {
		return fmt.Sprintf("M105 %d H734 m-8 -5 l8 5 l-8 5", y)
	}
	return fmt.Sprintf("M734 %d H105 m8 -5 l-8 5 l8 5", y)
}

// TitleY returns the place of the title of a direction.
func (d lane) TitleY() int { return d.Y + 14 }

// Baseline returns the place of the text of a line.
func (r row) Baseline() int { return r.Y + 11 }

// ValueX returns the place of the value of a line: behind its bar, if it has one.
func (r row) ValueX() int {
	if r.Limited {
		return barAt + barLength + 8
	}
	return barAt
}
