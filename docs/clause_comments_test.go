package docs

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// clausesMark begins the lines of a comment that cite clauses. These lines are the last of the comment.
const clausesMark = "// Clauses: "

// clausesOf returns the ids of clauses by file and symbol, for each file:Symbol of Go that clauses.yaml names.
func clausesOf(documents []document) map[string]map[string][]string {
	files := map[string]map[string][]string{}
	for _, d := range documents {
		for _, c := range d.Clauses {
			for _, place := range c.Where {
				file, symbol, ok := strings.Cut(place, ":")
				if !ok || path.Ext(file) != ".go" {
					continue
				}
				if files[file] == nil {
					files[file] = map[string][]string{}
				}
				files[file][symbol] = append(files[file][symbol], c.ID)
			}
		}
	}
	return files
}

// checkClauseComments holds the comments of the tree to clauses.yaml: the comment of each symbol that a clause names
// ends with the id of the clause, and no other comment cites one. Those of a field stand at its type, those of a
// constant without a comment above it at the group. With -rewrite it writes the ids.
func checkClauseComments(t *testing.T, documents []document) {
	files := clausesOf(documents)
	eachText(t, func(name, text string) {
		if path.Ext(name) != ".go" || files[name] == nil && !strings.Contains(text, clausesMark) {
			return
		}
		if !strings.HasPrefix(name, "docs/") {
			checkClausesOfFile(t, name, text, files[name])
		}
	})
}

// checkClausesOfFile compares the comments of a file with the ids of its symbols, or writes the ids.
func checkClausesOfFile(t *testing.T, name, text string, ids map[string][]string) {
	t.Helper()
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text, "\n")
	all := carriers(file)
	for _, c := range slices.Backward(all) { // backward: the lines of those before it stay where they are
		var list []string
		for _, s := range c.symbols {
			list = append(list, ids[s]...)
		}
		first, end := c.cited(set, lines)
		want := citeClauses(list, set.Position(c.node).Column > 1)
		if want != nil && c.comment != nil && strings.HasPrefix(lines[first-1], "//\t") {
			want = append([]string{"//"}, want...) // gofmt ends a drawing or an example by an empty line
		}
		if slices.Equal(lines[first:end], want) {
			continue
		}
		if !*rewrite {
			t.Errorf("%s: the comment of %s cites other clauses than clauses.yaml: go test ./docs -rewrite writes them",
				set.Position(c.node), c.symbols[0])
		}
		lines = slices.Replace(lines, first, end, want...)
	}
	if *rewrite {
		writeChanged(t, filepath.Join("..", name), text, strings.Join(lines, "\n"))
	}
}

// writeChanged writes a file unless it has the wanted text.
func writeChanged(t *testing.T, file, text, want string) {
	t.Helper()
	if text == want {
		return
	}
	if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

// carrier is a declaration whose comment cites the clauses of its symbols.
type carrier struct {
	symbols []string
	node    token.Pos
	comment *ast.CommentGroup // nil: none
}

// carriers returns the carriers of a file, in the order of the file.
func carriers(file *ast.File) (all []carrier) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			all = append(all, carrier{[]string{functionName(d)}, d.Pos(), d.Doc})
		case *ast.GenDecl:
			if d.Tok != token.IMPORT {
				all = append(all, carriersOfGroup(d)...)
			}
		}
	}
	return all
}

// carriersOfGroup returns the group itself, and its types, and its constants and variables with a comment above them.
func carriersOfGroup(d *ast.GenDecl) []carrier {
	group := carrier{nil, d.Pos(), d.Doc}
	var own []carrier
	for _, spec := range d.Specs {
		var symbols []string
		eachSpecified(spec, func(name string) { symbols = append(symbols, name) })
		comment := specComment(spec)
		if _, isType := spec.(*ast.TypeSpec); d.Lparen.IsValid() && (isType || comment != nil) {
			own = append(own, carrier{symbols, spec.Pos(), comment})
			continue
		}
		group.symbols = append(group.symbols, symbols...)
	}
	if group.symbols == nil {
		return own
	}
	return append([]carrier{group}, own...)
}

// specComment returns the comment above a type, a constant or a variable of a group.
func specComment(spec ast.Spec) *ast.CommentGroup {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		return s.Doc
	case *ast.ValueSpec:
		return s.Doc
	}
	return nil
}

// cited returns the indexes of the first line that cites clauses, and of the line behind the last one. Both are the
// index of the line behind the comment's text if it cites none. Directives may follow.
func (c *carrier) cited(set *token.FileSet, lines []string) (first, end int) {
	end = set.Position(c.node).Line - 1
	if c.comment == nil {
		return end, end
	}
	begin := set.Position(c.comment.Pos()).Line - 1
	end = set.Position(c.comment.End()).Line
	for strings.HasPrefix(strings.TrimSpace(lines[end-1]), "//go:") || strings.TrimSpace(lines[end-1]) == "//" {
		end--
	}
	for first = end; first > begin; first-- {
		if !strings.HasPrefix(strings.TrimSpace(lines[first-1]), clausesMark) {
			continue
		}
		if first--; lines[first-1] == "//" {
			first--
		}
		return first, end
	}
	return end, end
}

// citeClauses returns the lines that cite clauses, in a group with a tab before each: "// Clauses: A/x.1-3,5, B/y.2.".
func citeClauses(ids []string, indented bool) (lines []string) {
	if len(ids) == 0 {
		return nil
	}
	indent, line := "", clausesMark[:len(clausesMark)-1]
	if indented {
		indent = "\t"
	}
	words := joinNumbers(ids)
	for i, word := range words {
		word += map[bool]string{true: ".", false: ","}[i == len(words)-1]
		if utf8.RuneCountInString(indent+line+word)+1 > columns {
			lines, line = append(lines, indent+line), "//"
		}
		line += " " + word
	}
	return append(lines, indent+line)
}

// joinNumbers returns ids with the numbers of one topic together: A/x.1, A/x.2, A/x.3, A/x.5 become A/x.1-3,5.
func joinNumbers(ids []string) (words []string) {
	numbers := map[string][]int{}
	var topics []string
	for _, id := range ids {
		at := strings.LastIndexByte(id, '.') + 1
		topic, n := id[:at], 0
		fmt.Sscan(id[at:], &n)
		if numbers[topic] == nil {
			topics = append(topics, topic)
		}
		numbers[topic] = append(numbers[topic], n)
	}
	for _, topic := range topics {
		slices.Sort(numbers[topic])
		words = append(words, topic+ranges(slices.Compact(numbers[topic])))
	}
	return words
}

// ranges returns rising numbers as "1-3,5": three or more in a row as a range.
func ranges(numbers []int) string {
	var b bytes.Buffer
	for i := 0; i < len(numbers); {
		last := i
		for last+1 < len(numbers) && numbers[last+1] == numbers[last]+1 {
			last++
		}
		if last < i+2 {
			last = i
		}
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprint(&b, numbers[i])
		if last > i {
			fmt.Fprint(&b, "-", numbers[last])
		}
		i = last + 1
	}
	return b.String()
}

func TestClausesAreCitedInShort(t *testing.T) {
	got := citeClauses([]string{"A/x.2", "B/y.7", "A/x.1", "A/x.3", "A/x.12", "A/x.11", "B/y.7"}, true)
	if want := []string{"\t// Clauses: A/x.1-3,11,12, B/y.7."}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	var many []string
	for n := range 30 {
		many = append(many, fmt.Sprintf("A/topic-%d.1", n))
	}
	for _, line := range citeClauses(many, false) {
		if len(line) > columns || !strings.HasPrefix(line, "// ") {
			t.Errorf("the line %q has %d columns", line, len(line))
		}
	}
}

// A comment that cites none, or others, is found; so are clauses at a symbol that clauses.yaml does not name.
func TestCommentsOfClausesAreCompared(t *testing.T) {
	const text = `package p

// F has the ids of its type's fields.
// Clauses: A/x.1,
// A/x.3.
type F struct{ n int }

const (
	// One is documented.
	// Clauses: A/x.1.
	One = 1
	Two = 2
)

//go:noinline
func Do() {}
`
	set := token.NewFileSet()
	file, err := parser.ParseFile(set, "p.go", text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(text, "\n")
	var got []string
	for _, c := range carriers(file) {
		first, end := c.cited(set, lines)
		got = append(got, fmt.Sprintf("%s %d-%d", strings.Join(c.symbols, " "), first, end))
	}
	want := []string{"F F.n 3-5", "Two 7-7", "One 9-10", "Do 14-14"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
