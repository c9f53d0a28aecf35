package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// functionWords are words that name nothing: a variable, field or function with such a name leaves its reader to guess.
var functionWords = strings.Fields("is was are were has had of with by so which what that one others such there then " +
	"none here who whose been being will would shall much many while about beside than whether how why where again anew " +
	"still yet already told known kept held gone made said")

// wordsAllowed is how many of 1,000 declared names of a folder may be function words.
const wordsAllowed = 3

// allowedFunctions are functions that may have the name of a function word, each with its reason.
var allowedFunctions = map[string]string{}

// declaredNames counts the names that a part of the tree declares.
type declaredNames struct {
	all   int
	words []string // the function words among them, with their places
}

// excess returns what a folder's names say too often, nil if the function words stay within wordsAllowed of 1,000.
func (d *declaredNames) excess() []string {
	if len(d.words)*1000 <= wordsAllowed*d.all {
		return nil
	}
	return d.words
}

// add counts a name, unless it is blank.
func (d *declaredNames) add(name, place string) {
	if name == "_" {
		return
	}
	d.all++
	if slices.Contains(functionWords, name) {
		d.words = append(d.words, place+" "+name)
	}
}

// Few names of each folder at the top of the tree are function words, and no function has such a name.
func TestNamesAreNouns(t *testing.T) {
	g, folders := readTree(t), map[string]*declaredNames{"the tree": {}}
	for name, file := range g.parsed {
		if strings.HasSuffix(name, "_test.go") || ast.IsGenerated(file) {
			continue
		}
		folder, _, _ := strings.Cut(path.Dir(name), "/")
		if folders[folder] == nil {
			folders[folder] = &declaredNames{}
		}
		eachName(file, func(id *ast.Ident) {
			place := fmt.Sprint(name, ":", g.positions.Position(id.Pos()).Line)
			folders[folder].add(id.Name, place)
			folders["the tree"].add(id.Name, place)
		})
		for _, f := range wordFunctions(file) {
			if key := path.Dir(name) + "." + f; allowedFunctions[key] == "" {
				t.Errorf("%s: the function %s is named by a function word: give it a verb and a noun", name, f)
			}
		}
	}
	for folder, d := range folders {
		if words := d.excess(); words != nil {
			slices.Sort(words)
			t.Errorf("%s: %d of %d declared names are function words, more than %d of 1,000: name the things\n\t%s",
				folder, len(words), d.all, wordsAllowed, strings.Join(words, "\n\t"))
		}
	}
}

// eachName calls f for each name that a file declares: constants, variables, fields, arguments, results and receivers.
func eachName(file *ast.File, f func(*ast.Ident)) {
	defined := func(kind token.Token, names ...ast.Expr) {
		for _, e := range names {
			if id, ok := e.(*ast.Ident); ok && kind == token.DEFINE {
				f(id)
			}
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			eachIdent(n.Names, f)
		case *ast.ValueSpec:
			eachIdent(n.Names, f)
		case *ast.AssignStmt:
			defined(n.Tok, n.Lhs...)
		case *ast.RangeStmt:
			defined(n.Tok, n.Key, n.Value)
		}
		return true
	})
}

// eachIdent calls f for each of the names.
func eachIdent(names []*ast.Ident, f func(*ast.Ident)) {
	for _, id := range names {
		f(id)
	}
}

// wordFunctions returns the functions of a file whose names are function words.
func wordFunctions(file *ast.File) (all []string) {
	for _, d := range file.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && slices.Contains(functionWords, f.Name.Name) {
			all = append(all, functionName(f))
		}
	}
	return all
}

// Each way to declare a name is seen, and no use of a name.
func TestFunctionWordsAreFound(t *testing.T) {
	for _, c := range []struct{ name, text, words string }{
		{"a constant", "const is = 1", "is"},
		{"a variable", "var was, fault int", "was"},
		{"a field", "type t struct { told, of int }", "told of"},
		{"arguments and results", "func f(with int) (one int) { return 0 }", "with one"},
		{"a receiver", "func (what t) f() {}", "what"},
		{"a method of an interface", "type t interface { has() bool }", "has"},
		{"an assignment", "func f() { x, known := g() }", "known"},
		{"a range", "func f() { for i, one := range all {} }", "one"},
		{"an argument of a literal", "var f = func(by int) {}", "by"},
		{"a use", "func f() { is = was(told) }", ""},
		{"the blank name", "var _ = 1", ""},
		{"longer names", "var isWide, heldFrames int", ""},
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "", "package p\n"+c.text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%s: %v", c.name, err)
		}
		var d declaredNames
		eachName(file, func(id *ast.Ident) { d.add(id.Name, "") })
		if got := strings.TrimSpace(strings.Join(d.words, "")); got != c.words {
			t.Errorf("%s: function words %q, want %q", c.name, got, c.words)
		}
	}
	file, err := parser.ParseFile(token.NewFileSet(), "", "package p\nfunc (t *T) has() {}\nfunc hasKey() {}\n", 0)
	if got := wordFunctions(file); err != nil || !slices.Equal(got, []string{"T.has"}) {
		t.Errorf("functions named by function words: %v, %v", got, err)
	}
	d := declaredNames{all: 1000, words: make([]string, wordsAllowed)}
	if d.excess() != nil {
		t.Errorf("%d of 1,000 are too many", wordsAllowed)
	}
	if d.add("is", ""); len(d.excess()) != wordsAllowed+1 {
		t.Errorf("%d of 1,001 are not too many", len(d.words))
	}
}
