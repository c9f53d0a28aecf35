package restarts

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
)

var silenceRounds = flag.Int("silence.rounds", 0, "how often TestSilenceOfRestarts starts an end again in each way")

// TestSilenceOfRestarts measures how long a host with a created edge is silent for another host, when its daemon is
// started again, or the host itself is made anew: medians in seconds, in a table. With -silence.rounds only.
func TestSilenceOfRestarts(t *testing.T) {
	if *silenceRounds == 0 {
		t.Skip("it measures: -silence.rounds 5 -v")
	}
	var table bed.Silences
	for _, link := range []string{"addressed", "transparent"} {
		for _, way := range []struct {
			name  string
			again func(r *bed.Replaced) (ready time.Time)
		}{
			{"SIGTERM", func(r *bed.Replaced) time.Time { r.A.Terminate(); return r.A.Start() }},
			{"kill", func(r *bed.Replaced) time.Time { r.A.Signal(syscall.SIGKILL); r.A.Wait(); return r.A.Start() }},
			{"upgrade", func(r *bed.Replaced) time.Time { r.A.Upgrade(); return time.Now() }},
			{"program replaced, upgrade", replaceProgram},
			{"pod made anew after 3 s, from READY", (*bed.Replaced).Replace},
			{"pod made anew at once, from READY", (*bed.Replaced).ReplaceAtOnce},
			{"pod made anew at once, its link with the former address, from READY", (*bed.Replaced).ReplaceAlike},
		} {
			for range *silenceRounds {
				t.Run(link+" "+way.name, func(t *testing.T) {
					table.Add(way.name, link, silence(t, link, way.name, way.again))
				})
			}
		}
	}
	t.Log(table.String())
}

// silence starts a link, ends and starts one end in a way, and returns the silences of its host.
func silence(
	t *testing.T, link, way string, again func(r *bed.Replaced) (ready time.Time),
) []time.Duration {
	binary := filepath.Join(t.TempDir(), "uelinkd")
	install(t, binary)
	r := bed.NewReplaced(t, binary, "encapsulation: "+link)
	if strings.Contains(way, "upgrade") {
		r.A.EndsLast()
	}
	calls := bed.Call(t, r.B.NS, bed.CreatedA, bed.CreatedA6)
	calls.Silence("the start", time.Now(), time.Now())
	from := time.Now()
	ready := again(r)
	if strings.HasPrefix(way, "pod") {
		from = ready
	}
	all := calls.Silence(way, from, ready)
	t.Log(calls.Seconds(all))
	return all
}

// install puts a copy of the program at a path, as a package does: under another name first.
func install(t testing.TB, path string) {
	t.Helper()
	program, err := os.ReadFile(bed.Program("uelinkd"))
	bed.Must(t, err)
	bed.Must(t, os.WriteFile(path+".new", program, 0o755))
	bed.Must(t, os.Rename(path+".new", path))
}

// replaceProgram replaces the program and hands over, as the package's postinst does.
func replaceProgram(r *bed.Replaced) time.Time {
	install(r.A.T, r.A.Binary)
	r.A.Upgrade()
	return time.Now()
}
