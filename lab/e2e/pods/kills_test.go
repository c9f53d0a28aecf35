package pods

import (
	"flag"
	"strings"
	"syscall"
	"testing"

	"uelink/lab/e2e/bed"
)

var bothCleaners = flag.Bool("pods.both", false, "whether TestPluginKilledInEachStep has DEL and GC remove what is "+
	"left at each step, and not only one of the two")

// killedAt calls the plugin and kills it before its step number at. killed is false if it has ended before.
func (n *node) killedAt(t *testing.T, at int, verb, netnsPath, config string) (killed bool) {
	t.Helper()
	cmd := n.command(verb, "c1", "eth0", netnsPath, config)
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	follow := stepped(t, cmd)
	bed.Must(t, n.NS.Start(cmd))
	follow(func(step int) {
		if step == at {
			bed.Must(t, cmd.Process.Signal(syscall.SIGKILL))
			killed = true
		}
	})
	if err := cmd.Wait(); !killed && err != nil {
		t.Errorf("%s that is not killed: %v: %s", verb, err, out.String())
	}
	return killed
}

// TestPluginKilledInEachStep: an ADD that is killed before any of its requests and writes leaves nothing that DEL does
// not remove, or GC, and ADD again succeeds. A DEL that is killed is finished by the next.
func TestPluginKilledInEachStep(t *testing.T) {
	t.Parallel()
	n, pod, config, _ := oneNode(t)
	clean := func(verb string, at int, by string) {
		t.Helper()
		if got := n.call(t, by, "c1", pod.Path(), config); got.code != 0 {
			t.Errorf("%s after %s that is killed at step %d: %+v", by, verb, at, got)
		}
		if left := n.left(t); len(left) > 0 {
			t.Errorf("%s after %s that is killed at step %d: left are %q", by, verb, at, left)
		}
	}
	steps := 0
	for n.killedAt(t, steps+1, "ADD", pod.Path(), config) {
		steps++
		clean("ADD", steps, []string{"DEL", "GC"}[steps%2])
	}
	if created := n.left(t); len(created) != 4 {
		t.Errorf("ADD at last has made %q", created)
	}
	clean("ADD", 0, "GC")
	for at := 1; *bothCleaners && n.killedAt(t, at, "ADD", pod.Path(), config); at++ {
		clean("ADD", at, []string{"GC", "DEL"}[at%2])
	}
	clean("ADD", 0, "DEL")
	deletions := 0
	for ; ; deletions++ {
		if got := n.call(t, "ADD", "c1", pod.Path(), config); got.code != 0 {
			t.Fatalf("ADD after DEL that is killed: %+v", got)
		}
		if !n.killedAt(t, deletions+1, "DEL", pod.Path(), config) {
			break
		}
		clean("DEL", deletions+1, "DEL")
	}
	if left := n.left(t); len(left) > 0 || steps < 20 || deletions < 4 {
		t.Errorf("%d steps of ADD, %d of DEL, left are %q", steps, deletions, left)
	}
	t.Logf("%d steps of ADD, %d of DEL", steps, deletions)
}

// TestKillsAroundARequest: the daemon is killed and started again, or handed over, and the plugin is killed, before the
// daemon has the request for a port, while it serves the request, and before the plugin has the answer. A plugin that
// lives succeeds, and what a killed one leaves DEL removes.
func TestKillsAroundARequest(t *testing.T) {
	t.Parallel()
	n, pod, config, _ := oneNode(t)
	for _, verb := range []string{"ADD", "DEL"} {
		for _, place := range []string{"before", "while", "after"} {
			for _, event := range []string{"daemon killed", "daemon handed over", "plugin killed"} {
				if verb == "DEL" {
					if got := n.call(t, "ADD", "c1", pod.Path(), config); got.code != 0 {
						t.Fatalf("%+v", got)
					}
				}
				n.disturbed(t, verb, place, event, pod.Path(), config)
				if got := n.call(t, "DEL", "c1", pod.Path(), config); got.code != 0 {
					t.Errorf("%s, %s %s: DEL: %+v", verb, event, place, got)
				}
				if left := n.left(t); len(left) > 0 {
					t.Fatalf("%s, %s %s: left are %q", verb, event, place, left)
				}
			}
		}
	}
}

// disturbed calls the plugin, and makes an event happen when its request for a port is at a place.
func (n *node) disturbed(t *testing.T, verb, place, event, netnsPath, config string) {
	t.Helper()
	stopped := place
	if place == "while" {
		stopped = "before"
	}
	g := n.newGate(t, stopped)
	cmd := n.command(verb, "c1", "eth0", netnsPath, strings.Replace(config, n.Socket, g.socket, 1))
	var out strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &out
	bed.Must(t, n.NS.Start(cmd))
	<-g.reached
	if place == "while" {
		close(g.open)
	}
	switch event {
	case "daemon killed":
		n.Kill()
		n.Start()
	case "daemon handed over":
		n.Upgrade()
	case "plugin killed":
		bed.Must(t, cmd.Process.Kill())
	}
	if place != "while" {
		close(g.open)
	}
	if err := cmd.Wait(); err != nil && event != "plugin killed" {
		t.Errorf("%s, %s %s: %v: %s", verb, event, place, err, out.String())
	}
}
