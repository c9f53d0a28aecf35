package cable

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"uelink/wire"
)

func TestRulesOfTheCommandLine(t *testing.T) {
	for args, want := range map[string]string{
		"--rule drop,x x y":              `rule 1: column 1, "drop,x": unknown word`,
		"--rule drop --mode kernel x y":  "mode kernel can only lose and corrupt",
		"--rule drop x":                  "one interface can only lose and corrupt",
		"--rule drop --gso keep x y":     "gso keep needs mode kernel",
		"--analyze --mode kernel x y":    "mode kernel can only lose and corrupt",
		"--capture f --mode kernel x y":  "mode kernel can only lose and corrupt",
		"--analyze x":                    "one interface can only lose and corrupt",
		"--plot f x y":                   "plot shows the times that analyze measures",
		"--capture-limit 1 x y":          "capture-limit 1: want at least 65536 octets",
		"--capture-limit many x y":       `capture-limit "many" is no number of octets`,
		"--rule drop --rule from=z x y ": `rule 2: column 1, "from=z": "z" is not an interface of the cable: write a, b, x or y`,
	} {
		if err := tool(splitLine(args)...).Execute(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", args, err, want)
		}
	}
}

func TestCableWithRules(t *testing.T) {
	b := newBench(t, 1500)
	file := filepath.Join(t.TempDir(), "metrics")
	p := b.start("-o json --metrics " + file + " a b --rule from=a;every=10;drop --rule id=twice;from=b;nth=5;duplicate=2")
	var ready readyEvent
	must(t, json.Unmarshal([]byte(p.line(t)), &ready))
	if ready.Mode != ModeUser || ready.Path != pathSockets {
		t.Errorf("ready: %+v", ready)
	}
	const n = 60
	for i := range n {
		b.hosts[0].send(numbered(uint64(i), 60))
		b.hosts[1].send(numbered(uint64(i), 60))
	}
	if got := b.hosts[1].receive(n - n/10); len(got) != n-n/10 {
		t.Errorf("%d frames crossed from a", len(got))
	}
	if got := b.hosts[0].receive(n + 2); len(got) != n+2 || string(got[4]) != string(got[6]) {
		t.Errorf("%d frames crossed from b", len(got))
	}
	must(t, p.Process.Signal(syscall.SIGTERM))
	must(t, p.Wait())
	var r Report
	must(t, json.Unmarshal(p.out.Bytes(), &r))
	if len(r.Rules) != 2 || r.Rules[0].Hits != n/10 || r.Rules[1].ID != "twice" || r.Rules[1].Matched != 5 ||
		r.Rules[1].Last.From != "b" || r.Directions[0].Dropped != n/10 || r.Directions[1].Made != 2 {
		t.Errorf("report: %s", p.out.String())
	}
	metrics, err := os.ReadFile(file)
	must(t, err)
	if !strings.Contains(string(metrics), "uelink_cable_rule_hits_total{rule=\"twice\"} 1\n") {
		t.Errorf("metrics: %s", metrics)
	}
	b.clean()
}

// Rules come and go while a cable runs; wrong ones, and those of a cable without rules, are refused.
func TestRulesOfARunningCable(t *testing.T) {
	w := &userWire{clock: func() wire.Time { return 0 }}
	c := &Cable{config: Config{A: "x", B: "y", Ruled: true}, wire: w}
	must(t, w.openRules(c.config))
	id, err := c.AddRule("from=x kind=data drop")
	must(t, err)
	if all := c.Rules(); len(all) != 1 || all[0].ID != id || all[0].Rule != "from=x kind=data drop" {
		t.Errorf("rules: %+v", all)
	}
	if _, err := c.AddRule("from=z drop"); err == nil {
		t.Error("a rule about an interface that the cable does not have is taken")
	}
	must(t, c.DeleteRule(id))
	if err := c.DeleteRule(id); err == nil || len(c.Rules()) != 0 {
		t.Errorf("%v, rules: %+v", err, c.Rules())
	}
	for _, w := range []medium{&userWire{}, nil} {
		if _, err := (&Cable{wire: w}).AddRule("drop"); err == nil {
			t.Errorf("a cable without rules (%T) takes one", w)
		}
	}
}
