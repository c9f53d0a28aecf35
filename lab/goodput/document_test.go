package goodput

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"uelink/lab/bench/report"
)

var rewrite = flag.Bool("rewrite", false, "write the tables of docs/GOODPUT.md")

// The document, and the marks around its tables.
const (
	document = "../../docs/GOODPUT.md"
	begin    = "<!-- map: go test ./lab/goodput -rewrite -->\n"
	end      = "<!-- /map -->\n"
)

// The document has the figures of this code: virtual time makes them the same on each machine.
func TestDocumentHasTheMap(t *testing.T) {
	var tables bytes.Buffer
	for _, table := range []report.Table{rates(t), losses(t), published(t), delays(t), pauses(t)} {
		if err := table.WriteMarkdown(&tables); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, opened := strings.Cut(string(text), begin)
	old, tail, closed := strings.Cut(rest, end)
	if !opened || !closed {
		t.Fatalf("%s has no lines %q and %q", document, begin, end)
	}
	current := strings.TrimLeft(tables.String(), "\n")
	switch {
	case *rewrite:
		if err := os.WriteFile(document, []byte(head+begin+current+end+tail), 0o644); err != nil {
			t.Fatal(err)
		}
	case old != current:
		t.Errorf("%s has other figures: go test ./lab/goodput -rewrite\n%s", document, current)
	}
}

// figure measures a cell.
func figure(t *testing.T, c cell) figures {
	t.Helper()
	f, err := measure(c)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// rates returns the map of rate, loop and loss.
func rates(t *testing.T) report.Table {
	table := report.Table{Title: "Rate, loop time and loss", Columns: report.Columns("Gbit/s", "%s", "loop", "%s",
		"loss", "%s", "theory", "%.2f", "auto", "%.2f", "of theory", "%.2f", "frames sent for each", "%.2f",
		"default", "%.2f", "64 octets, theory", "%.2f", "64 octets, auto", "%.2f", "selective", "%.2f", "most kept", "%.0f")}
	for _, c := range cells() {
		auto := figure(t, c)
		if least := c.least(); auto.goodput < least {
			t.Errorf("%v: goodput %.3f, must be %.3f at least; theory %.3f", c, auto.goodput, least, c.theory())
		}
		fixed, small := c, c
		fixed.profile, small.octets = "default", 64
		small.frames = max(c.frames, min(100_000, int(4*small.loopFrames())))
		selected := figure(t, c.selective())
		if least := c.leastSelective(); selected.steady < least {
			t.Errorf("%v: selective goodput %.3f, must be %.3f at least", c, selected.steady, least)
		}
		table.Add(fmt.Sprint(c.rate/1e9), c.loop.String(), fmt.Sprint(c.loss), c.theory(), auto.goodput,
			auto.goodput/c.theory(), auto.copies, figure(t, fixed).goodput, small.theory(), figure(t, small).goodput,
			selected.steady, float64(selected.saved))
	}
	return table
}

// losses returns the map of kinds of loss.
func losses(t *testing.T) report.Table {
	table := report.Table{Title: "Losses in bursts, and frames out of order", Columns: report.Columns("Gbit/s", "%s",
		"loop", "%s", "1e-2 lost one by one", "%.2f", "1e-2 lost in bursts of 8", "%.2f", "1e-2 overtaken", "%.2f",
		"1e-3 overtaken", "%.2f", "selective, bursts", "%.2f", "selective, 1e-2 overtaken", "%.2f")}
	for _, loop := range loops {
		c := at(10, loop, 1e-2)
		c.frames = 200_000
		bursts, order, seldom := c, c, c
		bursts.burst = 8
		order.loss, order.reorder = 0, 1e-2
		seldom.loss, seldom.reorder = 0, 1e-3
		table.Add("10", loop.String(), figure(t, c).goodput, figure(t, bursts).goodput, figure(t, order).goodput,
			figure(t, seldom).goodput, figure(t, bursts.selective()).steady, figure(t, order.selective()).steady)
	}
	return table
}

// published returns the capacities of LinkGuardian beside those of the model.
func published(t *testing.T) report.Table {
	table := report.Table{Title: "Beside LinkGuardian", Columns: report.Columns("loss", "%s", "LinkGuardian", "%.3f",
		"auto", "%.3f", "theory", "%.3f", "selective", "%.3f")}
	for _, p := range []struct{ loss, capacity float64 }{{1.4e-5, 0.988}, {1.2e-3, 0.909}, {1e-2, 0.60}} {
		c := at(100, 2*time.Microsecond, p.loss)
		selected := figure(t, c.selective()).goodput
		if selected <= p.capacity {
			t.Errorf("%v: selective goodput %.3f, LinkGuardian %.3f", c, selected, p.capacity)
		}
		table.Add(fmt.Sprint(p.loss), p.capacity, figure(t, c).goodput, c.theory(), selected)
	}
	return table
}

// delays returns the delays that retransmission adds.
func delays(t *testing.T) report.Table {
	table := report.Table{Title: "Added delay in µs, 10 Gbit/s, loop 20 µs, 0.6 of the rate offered",
		Columns: report.Columns("loss", "%s", "profile", "%s", "p50", "%.1f", "p99", "%.1f", "p99.9", "%.1f", "most",
			"%.0f")}
	for _, loss := range []float64{1e-4, 1e-3, 1e-2} {
		for _, profile := range []string{"default", "auto", "selective"} {
			c := at(10, 20*time.Microsecond, loss)
			c.profile, c.load, c.frames = profile, 0.6, 300_000
			var d []time.Duration
			for c.seed = range uint64(4) { // the losses of an LLR_NACK are few, and decide
				d = append(d, figure(t, c).delays...)
			}
			slices.Sort(d)
			quantile := func(q float64) float64 {
				return float64(d[min(len(d)-1, int(q*float64(len(d))))]) / 1000
			}
			table.Add(fmt.Sprint(loss), profile, quantile(0.5), quantile(0.99), quantile(0.999), quantile(1))
		}
	}
	return table
}
