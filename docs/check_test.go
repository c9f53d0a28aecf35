package docs

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// smallTree is a tree with one of everything that a clause can name.
var smallTree = fstest.MapFS{
	"llr/tx.go": {Data: []byte(`package llr
const limit = 3
var table, other = 1, 2
type Tx struct { state, seq int }
func (t *Tx) Push() {}
type ring[E any] struct{ list []E }
func (r *ring[E]) pop() {}
type machine interface { step() }
func New() *Tx { return nil }
`)},
	"llr/tx_test.go": {Data: []byte(`package llr
import "testing"
func TestPush(t *testing.T) {}
func FuzzPush(f *testing.F) {}
func BenchmarkPush(b *testing.B) {}
func TestMain(m *testing.M) {}
func TestScenarios(t *testing.T) {}
type suite struct{}
func (s suite) TestMethod(t *testing.T) {}
func TestHelper(t *testing.T, n int) {}
`)},
	"llr/testdata/handshake":                       {},
	"lldp/dcbx/clause_test.go":                     {Data: []byte("package dcbx\nfunc TestScenarios(t *testing.T) {}\n")},
	"lldp/dcbx/testdata/scenario/errors.txt":       {},
	"lldp/dcbx/testdata/fuzz/TestScenarios/a_seed": {},
	"bpf/steer.c":           {Data: []byte("int uelink_steer(void) { return 0; }\n")},
	"broken/broken.go":      {Data: []byte("package broken\nfunc {\n")},
	"broken/broken_test.go": {Data: []byte("package broken\nfunc {\n")},
	"lldp/dcbx/testdata/scenario/directory/content": {},
}

// list is a document whose clauses have everything but the given lines.
func list(clauses ...string) string {
	text := "- key: SAI-LLR\n  title: T\n  about: A\n  clauses:\n"
	for _, lines := range clauses {
		text += "    - section: S\n      text: demanded\n"
		for line := range strings.Lines(lines) {
			text += "      " + line
		}
		text += "\n"
	}
	return text
}

const built = "where: [llr/tx.go]\ntests: [llr.TestPush]"

func TestGoodListIsTaken(t *testing.T) {
	documents, problems := check(smallTree, []byte(list(
		"id: SAI-LLR/a.1\n"+built,
		"id: SAI-LLR/a.2\ndeparts: otherwise\n"+built,
		"id: SAI-LLR/a-topic.10\nnot_built: nobody needs it",
		"id: SAI-LLR/a.3\ntests: [llr.FuzzPush, llr.BenchmarkPush, llr.TestScenarios/handshake,"+
			" lldp/dcbx.TestScenarios/errors, lldp/dcbx.TestScenarios/errors.txt]\n"+
			"where: [llr/tx.go:limit, llr/tx.go:other, llr/tx.go:Tx, llr/tx.go:Tx.seq, llr/tx.go:Tx.Push,"+
			" llr/tx.go:ring.pop, llr/tx.go:machine.step, llr/tx.go:New, bpf/steer.c:uelink_steer]",
	)))
	if len(problems) > 0 {
		t.Errorf("problems:\n%s", strings.Join(problems, "\n"))
	}
	const want = "SAI-LLR: 4 clauses, 3 with tests, 1 of them depart, 1 not built"
	if got := documents[0].summary(); got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
}

// What a clause names that is not there is told with the clause, and what to do.
func TestNamesThatAreGoneAreTold(t *testing.T) {
	const (
		form = " is no test: write package/path.TestName, or with /file of its testdata behind it"
		next = ": name the one that shows the clause now, or write it"
		now  = ": name the one that does it now"
		is   = ": name the symbol that does it now"
	)
	test := func(name string) string { return "where: [llr/tx.go]\ntests: ['" + name + "']" }
	where := func(place string) string { return "tests: [llr.TestPush]\nwhere: ['" + place + "']" }
	for _, c := range []struct{ name, lines, want string }{
		{"test", test("llr.TestPull"), "the test llr.TestPull is not there" + next},
		{"package", test("rll.TestPush"), "the test rll.TestPush is not there" + next},
		{"go test does not run it", test("llr.TestMain"), "the test llr.TestMain is not there" + next},
		{"a method", test("llr.TestMethod"), "the test llr.TestMethod is not there" + next},
		{"two arguments", test("llr.TestHelper"), "the test llr.TestHelper is not there" + next},
		{"scenario", test("llr.TestScenarios/echo"),
			"llr/testdata has no file echo for the test llr.TestScenarios/echo" + next},
		{"a directory", test("lldp/dcbx.TestScenarios/directory"),
			"lldp/dcbx/testdata has no file directory for the test lldp/dcbx.TestScenarios/directory" + next},
		{"a seed of a fuzz test", test("lldp/dcbx.TestScenarios/a_seed"),
			"lldp/dcbx/testdata has no file a_seed for the test lldp/dcbx.TestScenarios/a_seed" + next},
		{"no name of a test", test("llr.push"), `"llr.push"` + form},
		{"out of testdata", test("llr.TestScenarios/../tx.go"), `"llr.TestScenarios/../tx.go"` + form},
		{"test that is no Go", test("broken.TestPush"), "broken/broken_test.go:2:6: expected 'IDENT', found '{'"},
		{"file", where("llr/rx.go"), "the file llr/rx.go is not there" + now},
		{"file that is no Go", where("broken/broken.go:New"), "broken/broken.go:2:6: expected 'IDENT', found '{'"},
		{"symbol", where("llr/tx.go:Pull"), "llr/tx.go has no Pull" + is},
		{"method without its type", where("llr/tx.go:Push"), "llr/tx.go has no Push" + is},
		{"symbol of C", where("bpf/steer.c:uelink"), "bpf/steer.c has no uelink" + is},
	} {
		_, got := check(smallTree, []byte(list("id: SAI-LLR/a.1\n"+c.lines)))
		if want := []string{"SAI-LLR/a.1: " + c.want}; !slices.Equal(got, want) {
			t.Errorf("%s is gone: %q, want %q", c.name, got, want)
		}
	}
}

// A clause is built and shown, or it says why not.
func TestClausesLackNothing(t *testing.T) {
	const (
		neither = "it has neither tests nor not_built: name the tests that show it, or say why it is not built"
		both    = "it is built and not built: make two clauses of it, one with tests, one with not_built"
	)
	one := func(lines string) string { return list("id: SAI-LLR/a.1\n" + lines) }
	for _, c := range []struct{ name, text, want string }{
		{"neither", one(""), neither},
		{"built and not", one(built + "\nnot_built: no"), both},
		{"departs, not built", one("departs: a\nnot_built: b"), both},
		{"no test", one("where: [llr/tx.go]"), "no test shows it: name those that do, or write one"},
		{"no place", one("tests: [llr.TestPush]"), "where is missing: name the file, or file:Symbol, that does it"},
		{"no text", strings.Replace(one(built), "text: demanded", "text: ''", 1), "text is missing: write it"},
		{"no section", strings.Replace(one(built), "section: S", "section: ' '", 1), "section is missing: write it"},
		{"id twice", list("id: SAI-LLR/a.1\n"+built, "id: SAI-LLR/a.1\n"+built),
			"the id is there twice: give each clause its own"},
	} {
		_, got := check(smallTree, []byte(c.text))
		if want := []string{"SAI-LLR/a.1: " + c.want}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", c.name, got, want)
		}
	}
	_, got := check(smallTree, []byte(one("where: [llr/rx.go]\ntests: [llr.TestPull]")))
	if len(got) != 2 {
		t.Errorf("of two things that are gone it tells %q", got)
	}
}

// What is wrong with the list as a whole, or with a document.
func TestBrokenDocumentsAreRefused(t *testing.T) {
	const id = "this is no id: write SAI-LLR/topic.1, a topic in lower case and a number"
	for _, c := range []struct{ name, text, want string }{
		{"unknown key", list("id: SAI-LLR/a.1\ntest: [llr.TestPush]"), "yaml: construct errors: line 8: field test not found"},
		{"unknown key of a document", "- key: K\n  titel: T\n", "yaml: construct errors: line 2: field titel not found"},
		{"key twice", list("id: SAI-LLR/a.1\nid: SAI-LLR/a.2\n" + built), `yaml: construct errors: line 8: mapping key "id" already defined`},
		{"no list", "key: K\n", "yaml: construct errors: line 1: cannot construct !!map into"},
		{"nothing", "[]", "the list: there is no document in it"},
		{"id of another document", list("id: DCBX/a.1\n" + built), "DCBX/a.1: " + id},
		{"id without a number", list("id: SAI-LLR/a\n" + built), "SAI-LLR/a: " + id},
		{"no id", list(built), ": " + id},
		{"no title", "- key: K\n  about: A\n", "document K: title is missing: write it"},
		{"no key", "- title: T\n  about: A\n", "document : key is missing: write it"},
		{"no about", "- key: K\n  title: T\n", "document K: about is missing: write it"},
	} {
		if _, got := check(smallTree, []byte(c.text)); len(got) != 1 || !strings.HasPrefix(got[0], c.want) {
			t.Errorf("%s: %q, want one that begins with %q", c.name, got, c.want)
		}
	}
}
