package api

import (
	"bytes"
	"encoding/json"
	"flag"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"uelink/sai"
)

var rewrite = flag.Bool("rewrite", false, "write help.json")

// shown are the objects of the API. Every struct in them is in help.json.
var shown = []any{
	Port{}, Bridge{}, FDBEntry{}, PortVLANs{}, QoS{}, SwitchTrimming{}, CBFCInterface{}, LLRInterface{}, LLRCounters{},
	LLRProfile{}, HIPPIInterface{}, LLDPInterface{}, LLDPNeighbor{}, LLDPStatistics{}, LLDPChassis{}, DCBX{}, Status{}, Event{},
	FDBFlush{}, FDBFlushed{}, HIPPIAdmin{}, TracedFrame{}, Worker{}, Upgrade{}, Upgraded{},
	SAICreate{}, SAISet{}, SAIGet{}, SAIAnswer{}, SAIOIDs{}, sai.Capability{}, sai.StatCapability{}, sai.PortNotification{},
}

// help.json is what the comments of the source say.
func TestHelpIsThatOfTheComments(t *testing.T) {
	const name = "help.json"
	var written bytes.Buffer
	e := json.NewEncoder(&written)
	e.SetEscapeHTML(false)
	e.SetIndent("", "\t")
	if err := e.Encode(commentsOf(t, structs())); err != nil {
		t.Fatal(err)
	}
	if *rewrite {
		if err := os.WriteFile(name, written.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if is, err := os.ReadFile(name); err != nil || !bytes.Equal(is, written.Bytes()) {
		t.Errorf("%s is not what the comments say (%v): go test ./control/api -rewrite", name, err)
	}
}

// Every counter says what it counts.
func TestEveryCounterHasAComment(t *testing.T) {
	for _, s := range structs() {
		for i := range s.NumField() {
			f := s.Field(i)
			if f.Type == reflect.TypeFor[uint64]() && len(strings.Fields(Help(s, f.Name))) < 2 {
				t.Errorf("%s.%s has no comment", s, f.Name)
			}
		}
	}
}

// structs returns the structs of this module that the objects are made of.
func structs() []reflect.Type {
	seen := map[reflect.Type]bool{}
	var add func(reflect.Type)
	add = func(t reflect.Type) {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			add(t.Elem())
		case reflect.Struct:
			if seen[t] || !strings.HasPrefix(t.PkgPath(), "uelink/") {
				return
			}
			seen[t] = true
			for i := range t.NumField() {
				add(t.Field(i).Type)
			}
		}
	}
	for _, object := range shown {
		add(reflect.TypeOf(object))
	}
	return slices.SortedFunc(maps.Keys(seen), func(a, b reflect.Type) int {
		return strings.Compare(a.String(), b.String())
	})
}

// commentsOf returns the comments of the exported fields of structs by helpKey.
func commentsOf(t *testing.T, structs []reflect.Type) map[string]string {
	help, packages, sources := map[string]string{}, map[string]string{}, map[string]map[string]*ast.StructType{}
	for _, s := range structs {
		short, _, _ := strings.Cut(s.String(), ".")
		if other, is := packages[short]; is && other != s.PkgPath() {
			t.Fatalf("packages %s and %s have the same name", other, s.PkgPath())
		}
		packages[short] = s.PkgPath()
		name, _, _ := strings.Cut(s.Name(), "[")
		if sources[short] == nil {
			sources[short] = structsIn(t, filepath.Join("../..", strings.TrimPrefix(s.PkgPath(), "uelink/")))
		}
		of := sources[short][name]
		if of == nil {
			t.Fatalf("%s is not in the source", s)
		}
		for _, f := range of.Fields.List {
			for _, n := range f.Names {
				if text := sentence(f); text != "" && n.IsExported() {
					help[helpKey(s, n.Name)] = text
				}
			}
		}
	}
	return help
}

// structsIn returns the structs of the package in a directory by their names.
func structsIn(t *testing.T, dir string) map[string]*ast.StructType {
	found := map[string]*ast.StructType{}
	files, _ := filepath.Glob(filepath.Join(dir, "*.go"))
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(f, func(n ast.Node) bool {
			if spec, is := n.(*ast.TypeSpec); is {
				if s, is := spec.Type.(*ast.StructType); is {
					found[spec.Name.Name] = s
				}
			}
			return true
		})
	}
	return found
}

// sentence returns the comment behind a field, or else that above it, with a capital letter and a full stop.
func sentence(f *ast.Field) string {
	text := f.Comment.Text()
	if text == "" {
		text = f.Doc.Text()
	}
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return ""
	}
	// A name such as "µs" or "fdb_entries" keeps its letters.
	first, size := utf8.DecodeRuneInString(text)
	if word, _, _ := strings.Cut(text, " "); !strings.Contains(word, "_") {
		text = string(unicode.ToUpper(first)) + text[size:]
	}
	return strings.TrimSuffix(text, ".") + "."
}
