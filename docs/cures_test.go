package docs

import (
	"go/ast"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"

	"uelink/control/api"
)

// seen has, for each row of the tables of TROUBLESHOOTING.md by the first code in it, the tests that make the trouble
// and see it end by the command that the product prints, or by what the row says in words. The cures of a row that are
// code are applied as the row has them: see TestEachCureIsRun. The tests of a row stand below it.
const seen = `
the interface is switched off
	lab/e2e/tools.TestEachTroubleHasOneCommand lab/e2e/tools.TestCommandsOfEdges
no carrier: the interface at the other end is switched off, or the wire is cut
	lab/e2e/tools.TestStatusNamesCauseAndCure
nobody answers yet: no uelinkd with LLR is heard
	lab/e2e/tools.TestSilenceHasCauses
the IP address … is used by two hosts: …
	lab/e2e/tools.TestSameIPAtTwoHosts dataplane/acd.TestConflictBeginsAndEnds
partner is silent: …
	lab/e2e/tools.TestSilenceHasCauses
waiting for … at …
	lab/e2e/tools.TestEachTroubleHasOneCommand
partner reports a trouble that this port does not see: …
	dataplane/remedy.TestAReportHasNoCommand
both ends of the link have the address …
	lab/e2e/tools.TestEachTroubleHasOneCommand
partner lacks credits of this port: …
	lab/e2e/tools.TestEachTroubleHasOneCommand
the wire carries link frames of up to … octets
	lab/e2e/tools.TestCuresByTheWordsOfStatus
partner hears control frames of this port but no data frame
	lab/e2e/tools.TestCuresByTheWordsOfStatus
control frames of this port come back to it (rx_looped)
	lab/e2e/tools.TestCuresByTheWordsOfStatus
LLR has given up: …
	lab/e2e/tools.TestStatusNamesCauseAndCure
the partner takes no frames now, because no frames leave by its edge
	lab/e2e/tools.TestStatusNamesCauseAndCure
the partner restarts: frames for the partner wait at this end
	lab/e2e/restarts.TestRestartOfOneEnd
no frames leave by this port: the host …
	lab/e2e/tools.TestStatusNamesCauseAndCure lab/e2e/tools.TestCommandsOfEdges
the host has stopped priority …
	control/status.TestStatusOfALink
frames come by RX queues that have no socket
	lab/e2e/drivers.TestFramesByAQueueWithoutASocketAreTold
somebody has taken uelink's XDP program off the interface
	lab/e2e/drivers.TestProgramThatSomebodyDetachesIsAttachedAgain
	lab/e2e/drivers.TestProgramInThePlaceOfOursIsNamed
the NIC has counted … frames that XDP does not see
	lab/e2e/drivers.TestNICThatCountsFramesThatXDPNeverSees
rx_ring_full
	lab/e2e/tools.TestCuresOfDroppedFrames lab/e2e/drivers.TestARingThatOverrunsIsTold
rx_dropped
	lab/e2e/tools.TestCuresOfDroppedFrames
rx_pieces_too_long
	dataplane.TestFramesInTooManyPiecesAreTold
rx_missed
	dataplane/trouble.TestEachDropPointSaysCauseAndCure
rx_super_no_room
	lab/e2e/tools.TestCuresOfDroppedFrames dataplane/vnet.TestNoRoom
rx_super_malformed
	dataplane/segment.TestLyingHeaders
host_tx_dropped
	lab/e2e/tools.TestCuresOfDroppedFrames lab/e2e/pushback.TestCrowdLosesNothing
host_qdisc_dropped
	lab/e2e/tools.TestCuresOfDroppedFrames
rx_too_long
	lab/e2e/tools.TestCuresOfDroppedFrames dataplane/trouble.TestCauseOfFramesTooLong
tx_errors
	lab/e2e/tools.TestCuresOfDroppedFrames
rx_no_socket
	lab/e2e/drivers.TestFramesByAQueueWithoutASocketAreTold
rx_invalid_descs
	dataplane/trouble.TestEachDropPointSaysCauseAndCure
rx_drop_no_buffer
	lab/e2e/tools.TestCuresOfDroppedFrames dataplane/path.TestDropsForWantOfRoomAreTold
rx_paused_share
	control/status.TestStatusOfALink
rx_oversized
	lab/e2e/tools.TestCuresOfDroppedFrames
tx_drop_changed
	dataplane/path.TestFrameThatChangesInMemoryIsPoisoned
tx_drop_queue_closed
	dataplane/path.TestClosedQueueTakesNoFrames
tx_drop_down
	lab/e2e/tools.TestEachTroubleHasOneCommand
`

// wished has, for each row of the table of things that are wanted and not in force, the tests that see the thing wanted
// and not in force, and then in force, by what the status says.
const wished = `
llr
	lab/e2e/web.TestUnmetIsToldEverywhere lab/e2e/tools.TestEachTroubleHasOneCommand
replay
	lab/e2e/tools.TestEachTroubleHasOneCommand
cbfc
	lab/e2e/tools.TestEachTroubleHasOneCommand
pfc
	lab/e2e/tools.TestEachTroubleHasOneCommand
pg
	control/status.TestUnmet
dcbx
	lab/e2e/tools.TestEachTroubleHasOneCommand
dcbnl
	control/status.TestUnmet
push_back
	lab/e2e/web.TestUnmetIsToldEverywhere
offload
	lab/e2e/web.TestUnmetIsToldEverywhere
offloads
	lab/e2e/web.TestUnmetIsToldEverywhere
capture
	lab/e2e/web.TestUnmetIsToldEverywhere
bookmark
	lab/e2e/restarts.TestFullRuntimeDirectory
configuration
	lab/e2e/web.TestRefusalsAreToldEverywhere
upgrade
	lab/e2e/web.TestRefusalsAreToldEverywhere
events
	cmd/uelinkd.TestEventsCannotBeKept
addresses
	cmd/uelinkd.TestStateThatIsNotKept
records
	cmd/uelinkd.TestStateThatIsNotKept
restart
	lab/e2e/web.TestUnmetIsToldEverywhere
starts
	cmd/uelinkd.TestStartIsCountedLater
ports
	lab/e2e/pods.TestFullDisk
`

// Each thing that may be wanted and not in force has a row, and each row tests.
func TestEachWishHasATest(t *testing.T) {
	tree, tests := sources{tree: os.DirFS("..")}, testsOf(wished)
	var words []string
	for _, row := range curedRows(t, "Wanted and not in force") {
		words = append(words, codes(row[0])...)
	}
	if want := append(api.WantedOfPort(), api.WantedOfDaemon()...); !sameWords(words, want) ||
		!sameWords(words, slices.Collect(maps.Keys(tests))) {
		t.Errorf("the rows are of %q, the daemon knows %q, and tests have %q", words, want, slices.Sorted(maps.Keys(tests)))
	}
	for word, names := range tests {
		for _, name := range names {
			if err := tree.test(name); err != nil {
				t.Errorf("%s: %v", word, err)
			}
		}
	}
}

// sameWords reports whether two lists have the same words, in any order.
func sameWords(a, b []string) bool {
	return slices.Equal(slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b)))
}

// testsOf returns the tests of each row in a text like seen.
func testsOf(text string) map[string][]string {
	tests, row := map[string][]string{}, ""
	for line := range strings.Lines(text[1:]) {
		if names, ok := strings.CutPrefix(line, "\t"); ok {
			tests[row] = append(tests[row], strings.Fields(names)...)
			continue
		}
		row = strings.TrimSpace(line)
	}
	return tests
}

// notRun marks a cure that no test applies.
const notRun = "†"

// mostNotRun is the number of cures that no test applies: they need a NIC, a machine with more CPUs, bad memory, or an
// error of the kernel.
const mostNotRun = 23

// curedRows returns the rows of the table behind a heading of TROUBLESHOOTING.md, each as its cells.
func curedRows(t *testing.T, heading string) (rows [][]string) {
	t.Helper()
	text, err := os.ReadFile("TROUBLESHOOTING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(text), "\n## "+heading)
	if !ok {
		t.Fatalf("TROUBLESHOOTING.md has no section %s", heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	for line := range strings.Lines(section) {
		if cells := strings.Split(strings.Trim(line, "| \n"), " | "); strings.HasPrefix(line, "| `") && len(cells) > 1 &&
			!strings.HasPrefix(line, "| `status` says") { // the title
			rows = append(rows, cells)
		}
	}
	if len(rows) == 0 {
		t.Fatalf("the section %s has no rows", heading)
	}
	return rows
}

// curing returns the texts in the packages of tests that apply the cures of TROUBLESHOOTING.md as it has them: in those
// that call bed.Cures.
func curing(t *testing.T, tree *sources) map[string]bool {
	t.Helper()
	texts, calling := map[string][]string{}, map[string]bool{} // by folder
	files, err := fs.Glob(tree.tree, "lab/e2e/*/*_test.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := tree.parse(name)
		if err != nil {
			t.Fatal(err)
		}
		folder := path.Dir(name)
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				x, ok := n.X.(*ast.Ident)
				calling[folder] = calling[folder] || ok && x.Name == "bed" && n.Sel.Name == "Cures"
			case *ast.BasicLit:
				if text, err := strconv.Unquote(n.Value); err == nil && n.Kind == token.STRING {
					texts[folder] = append(texts[folder], text)
				}
			}
			return true
		})
	}
	applied := map[string]bool{}
	for folder := range calling {
		for _, text := range texts[folder] {
			applied[text] = applied[text] || calling[folder]
		}
	}
	return applied
}

// codes returns the code in a cell.
func codes(cell string) (all []string) {
	for _, m := range quoted.FindAllStringSubmatch(cell, -1) {
		all = append(all, m[1])
	}
	return all
}

// Each cure of the tables of TROUBLESHOOTING.md is run: what is code in it a test applies as the document has it; what
// is words, or a command of the product, has a test that sees the trouble end. Cures that no test can run here are
// marked, and counted.
func TestEachCureIsRun(t *testing.T) {
	tree, tests, marked, run := sources{tree: os.DirFS("..")}, testsOf(seen), 0, 0
	left := maps.Clone(tests)
	applied := curing(t, &tree)
	rows := append(curedRows(t, "By the words of"), curedRows(t, "Dropped frames")...)
	for _, row := range rows {
		names := codes(row[0])
		for _, name := range tests[names[0]] {
			if err := tree.test(name); err != nil {
				t.Errorf("%s: %v", names[0], err)
			}
		}
		if _, ok := left[names[0]]; !ok && !strings.HasPrefix(row[len(row)-1], "see ") && row[len(row)-1] != "" {
			t.Errorf("%s: name the test that makes the trouble and sees it end", names[0])
		}
		delete(left, names[0])
		for cure := range strings.SplitSeq(row[len(row)-1], "; ") {
			switch {
			case strings.Contains(cure, notRun):
				marked++
			case len(codes(cure)) > 0 && !strings.HasPrefix(cure, "see "):
				if run++; !slices.ContainsFunc(names, func(name string) bool { return applied[name] }) {
					t.Errorf("%s: no test with bed.Cures applies %q: write it, or mark the cure with %s", names[0], cure, notRun)
				}
			}
		}
	}
	if len(left) > 0 {
		t.Errorf("no row has %q", slices.Sorted(maps.Keys(left)))
	}
	if marked != mostNotRun {
		t.Errorf("%d cures are marked as not run, and mostNotRun is %d", marked, mostNotRun)
	}
	t.Logf("%d rows: %d cures in code are applied as the document has them, %d are not run", len(rows), run, marked)
}
