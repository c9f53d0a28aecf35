package docs

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestPackagesWithoutTheRaceDetector holds two lists of the Makefile to the tree: a package of ONE_GOROUTINE starts no
// goroutine, its tests neither, and a package whose tests leave something out with -short is in SHORTENED, so that
// make unit runs the whole of it.
func TestPackagesWithoutTheRaceDetector(t *testing.T) {
	text, err := os.ReadFile("../Makefile")
	if err != nil {
		t.Fatal(err)
	}
	packages := imports(t)
	single, shortened := makeList(string(text), "ONE_GOROUTINE"), makeList(string(text), "SHORTENED")
	if len(single) == 0 || len(shortened) == 0 {
		t.Fatalf("ONE_GOROUTINE has %d packages, SHORTENED %d", len(single), len(shortened))
	}
	for _, dir := range slices.Concat(single, shortened) {
		if _, there := packages[dir]; !there {
			t.Errorf("the Makefile names %s, which is no package", dir)
		}
	}
	for dir := range packages {
		at, short := concurrency(t, filepath.Join("..", dir))
		if at != "" && slices.Contains(single, dir) {
			t.Errorf("%s: take %s out of ONE_GOROUTINE in the Makefile: goroutines run side by side", at, dir)
		}
		if short && dir != "docs" && !slices.Contains(shortened, dir) {
			t.Errorf("tests of %s ask for -short: add it to SHORTENED in the Makefile", dir)
		}
	}
}

// makeList returns the words of a variable of a Makefile.
func makeList(text, name string) []string {
	text = strings.ReplaceAll(text, "\\\n", " ")
	line := regexp.MustCompile(`(?m)^` + name + `\s*:=(.*)$`).FindStringSubmatch(text)
	if line == nil {
		return nil
	}
	return strings.Fields(line[1])
}

// concurrency returns the first place in a directory's files where a goroutine or a parallel test starts, "" where
// there is none, and reports whether the files ask for -short.
func concurrency(t *testing.T, dir string) (at string, short bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	set := token.NewFileSet()
	for _, name := range files {
		file, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if at == "" && starts(n) {
				at = set.Position(n.Pos()).String()
			}
			if called, is := n.(*ast.SelectorExpr); is && called.Sel.Name == "Short" {
				on, _ := called.X.(*ast.Ident)
				short = short || on != nil && on.Name == "testing"
			}
			return true
		})
	}
	return at, short
}

// starts reports whether a node of the syntax tree starts a goroutine or a parallel test.
func starts(n ast.Node) bool {
	if call, is := n.(*ast.CallExpr); is {
		called, is := call.Fun.(*ast.SelectorExpr)
		return is && slices.Contains([]string{"Go", "Parallel", "RunParallel"}, called.Sel.Name)
	}
	_, is := n.(*ast.GoStmt)
	return is
}

// Goroutines and -short are found where they stand.
func TestConcurrencyIsFound(t *testing.T) {
	for body, want := range map[string][2]bool{
		"f()":                            {false, false},
		"go f()":                         {true, false},
		"var g sync.WaitGroup\n g.Go(f)": {true, false},
		"t.Parallel()":                   {true, false},
		"b.RunParallel(nil)":             {true, false},
		"if testing.Short() {}":          {false, true},
	} {
		dir := t.TempDir()
		file := filepath.Join(dir, "a_test.go")
		if err := os.WriteFile(file, []byte("package a\nfunc f() {\n"+body+"\n}\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		at, short := concurrency(t, dir)
		if (at != "") != want[0] || short != want[1] {
			t.Errorf("%q: at %q, short %v", body, at, short)
		}
	}
}
