package tester

import (
	"fmt"
	"testing"
	"time"

	"uelink/lab/e2e/bed"
)

// micropacketed is a daemon whose link speaks HIPPI-6400-PH; the value is the file of its capture.
type micropacketed string

// Text returns the daemon's configuration.
func (capture micropacketed) Text(socket string) string {
	return fmt.Sprintf(`log: {level: debug, format: json}
control: {socket: %q}
ports:
  - {name: link0, interface: link0, role: link, protocol: hippi6400, capture: %s}
  - {name: edge0, interface: edge0, role: edge}
xconnects: [{edge: edge0, link: link0}]
`, socket, string(capture))
}

// messages is a stimulus: a frame from hostA to hostB, so many times.
func messages(n int) func(s *stage) { return func(s *stage) { s.probes(n, n, 0) } }

// hippiInjections are the actions on micropackets.
var hippiInjections = []injection{
	struckBy("Data lost", messages(10), on("from=a kind=hippi.data nth=9 drop", 1).loses("Data"), nil),
	struckBy("Header lost", messages(10), on("from=a kind=hippi.header nth=3 drop", 1).loses("Header"), nil),
	struckBy("Data damaged", messages(10),
		on("from=a kind=hippi.data nth=9 corrupt=4:01", 1).loses("Data").adds("Data bad"), flips(0, 1)),
	struckBy("Data repeated", messages(10), on("from=a kind=hippi.data nth=9 duplicate=2", 1).adds("Data,Data"), nil),
	struckBy("Data late", messages(10),
		on("from=a kind=hippi.data nth=9 hold=10ms", 1).moves("Data"), late(0, 10*time.Millisecond)),
	struckBy("a frame of micropackets lost", messages(10), on("from=a kind=hippi nth=5 drop", 1).loses("*"), nil),
	struckBy("credits lost", messages(10), on("from=b kind=hippi.credit_only nth=2 drop", 1).loses("Credit-only"), nil),
	struckBy("credits forged", messages(10),
		on("from=b kind=hippi.credit_only nth=2 rewrite=credit:+1", 1).loses("Credit-only").adds("Credit-only"), nil),
	struckBy("Admin lost", func(s *stage) { s.pair.A.ToolText("hippi", "admin", "send", "link0", "c0ffee") },
		on("from=a kind=hippi.admin first=1 drop", 1).loses("Admin"), nil),
}

// Each injection of HIPPI-6400-PH does to the wire what its rule says, and nothing else.
func TestInjectionsOfHIPPI(t *testing.T) {
	needsTshark(t)
	s := newStage(t, func(capture string) bed.Configuration { return micropacketed(capture) })
	normal := func() string {
		for _, d := range []*bed.Daemon{s.pair.A, s.pair.B} {
			if h := d.Link().HIPPI; !h.Ready {
				return d.Name + " is in " + h.LinkState
			}
		}
		return ""
	}
	bed.Eventually(t, "Normal at both ends", normal)
	s.run(hippiInjections, normal)
	judge(t, hippiInjections, s.ends())
}
