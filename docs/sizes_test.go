package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path"
	"strings"
	"testing"
)

const (
	methodFiles  = 12 // files of its package that have methods of a type
	structFields = 25 // fields of a struct, with those of embedded structs
)

// largeTypes are types that may be larger, each with its reason. Fields of structs with tags need no row here: they are
// the fields of an answer or of a configuration.
var largeTypes = map[string]string{
	"dataplane/model.PortState": "the state of a port, from which the API makes its answer",
	"wire.Station":              "the items of a STATION message",
	"lab/bench.session":         "a run of the benchmark: each table has a file",
	"lab/simulated.Stream":      "settings and results of a stream, which the trials set and read one by one",
}

// sizes holds how large the types of a tree are.
type sizes struct {
	structs map[string]structSize      // by folder and name of the type: dataplane/path.Link
	files   map[string]map[string]bool // files with methods of a type
}

// structSize is the fields of a struct.
type structSize struct {
	own      int      // fields, but for embedded ones
	embedded []string // types that are embedded, keys of sizes.structs if they are structs of the tree
	tagged   bool     // a field has a tag for JSON or YAML
}

// read adds the types and methods of a file.
func (s *sizes) read(name string, file *ast.File) {
	dir, imported := path.Dir(name), importedDirs(file)
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil {
				continue
			}
			key := dir + "." + receiver(d.Recv.List[0].Type)
			if s.files[key] == nil {
				s.files[key] = map[string]bool{}
			}
			s.files[key][name] = true
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				if spec, ok := spec.(*ast.TypeSpec); ok {
					if st, ok := spec.Type.(*ast.StructType); ok {
						s.structs[dir+"."+spec.Name.Name] = sizeOf(st, dir, imported)
					}
				}
			}
		}
	}
}

// importedDirs returns the folders of the packages of the tree that a file imports, by the names that the file uses.
func importedDirs(file *ast.File) map[string]string {
	dirs := map[string]string{}
	for _, i := range file.Imports {
		for _, dir := range ours([]string{strings.Trim(i.Path.Value, `"`)}) {
			name := path.Base(dir)
			if i.Name != nil {
				name = i.Name.Name
			}
			dirs[name] = dir
		}
	}
	return dirs
}

// sizeOf counts the fields of a struct of a folder.
func sizeOf(st *ast.StructType, dir string, imported map[string]string) (size structSize) {
	for _, f := range st.Fields.List {
		if f.Tag != nil && (strings.Contains(f.Tag.Value, "json:") || strings.Contains(f.Tag.Value, "yaml:")) {
			size.tagged = true
		}
		if len(f.Names) == 0 {
			size.embedded = append(size.embedded, embeddedType(f.Type, dir, imported))
		}
		size.own += len(f.Names)
	}
	return size
}

// embeddedType returns the folder and the name of an embedded type.
func embeddedType(e ast.Expr, dir string, imported map[string]string) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return embeddedType(e.X, dir, imported)
	case *ast.IndexExpr:
		return embeddedType(e.X, dir, imported)
	case *ast.SelectorExpr:
		return imported[receiver(e.X)] + "." + e.Sel.Name
	}
	return dir + "." + receiver(e)
}

// fields counts the fields of a struct, with those of embedded structs. An embedded type that is no struct of the tree,
// or has tags, counts as a field.
func (s *sizes) fields(key string) int {
	size := s.structs[key]
	n := size.own
	for _, e := range size.embedded {
		if inner, ok := s.structs[e]; ok && !inner.tagged {
			n += s.fields(e)
		} else {
			n++
		}
	}
	return n
}

// excess returns the types that are too large, each with a sentence.
func (s *sizes) excess() map[string]string {
	large := map[string]string{}
	for key, files := range s.files {
		if n := len(files); n > methodFiles {
			large[key] = fmt.Sprintf("its methods are in %d files, at most %d. ", n, methodFiles)
		}
	}
	for key, size := range s.structs {
		if n := s.fields(key); n > structFields && !size.tagged {
			large[key] += fmt.Sprintf("it has %d fields, at most %d. ", n, structFields)
		}
	}
	return large
}

// A type's methods are in few files of its package, and a struct has few fields: the parts of a larger type are types.
func TestTypesAreSmall(t *testing.T) {
	s := sizes{map[string]structSize{}, map[string]map[string]bool{}}
	for name, file := range readTree(t).parsed {
		if !strings.HasSuffix(name, "_test.go") && !ast.IsGenerated(file) {
			s.read(name, file)
		}
	}
	large := s.excess()
	for key, problem := range large {
		if largeTypes[key] == "" {
			t.Errorf("%s: %sMake types of its parts", key, problem)
		}
	}
	for key := range largeTypes {
		if large[key] == "" {
			t.Errorf("%s is not too large: it needs no row in largeTypes", key)
		}
	}
}

// Fields of embedded structs count, also from other packages and two deep; those behind tags do not.
func TestLargeTypesAreFound(t *testing.T) {
	names := func(n int, prefix string) string { // a, aa, aaa …
		all := make([]string, n)
		for i := range all {
			all[i] = strings.Repeat(prefix, i+1)
		}
		return strings.Join(all, ", ")
	}
	s := sizes{map[string]structSize{}, map[string]map[string]bool{}}
	read := func(name, text string) {
		file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.SkipObjectResolution)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		s.read(name, file)
	}
	read("a/a.go", "package a\ntype Base struct { "+names(20, "b")+" int }\ntype Answer struct { "+names(30, "b")+
		" int `json:\"b\"` }\ntype middle struct { *Base; x, y int }\ntype most struct { middle; Answer; n, m int }\n"+
		"type large struct { middle; error; Answer; "+names(2, "c")+" int }\n"+
		"type holder struct { middle middle; "+names(20, "c")+" int }\n")
	read("b/b.go", "package b\nimport \"uelink/a\"\ntype T struct { a.Base; "+names(6, "c")+" int }\n"+
		"type list[E any] struct { a.Base; all []E }\ntype U struct { list[int]; "+names(5, "c")+" int }\n")
	for i := range methodFiles + 1 {
		file := "c/" + strings.Repeat("f", i+1) + ".go"
		read(file, "package c\nfunc (t *wide) "+strings.Repeat("f", i+1)+"() {}\n")
		if i > 0 {
			read(file, "package c\nfunc (t narrow[E]) "+strings.Repeat("f", i+1)+"() {}\n")
		}
	}
	want := map[string]string{
		"a.large": "it has 26 fields, at most 25. ",
		"b.T":     "it has 26 fields, at most 25. ",
		"b.U":     "it has 26 fields, at most 25. ",
		"c.wide":  "its methods are in 13 files, at most 12. ",
	}
	if got := s.excess(); !maps.Equal(got, want) {
		t.Errorf("large types: %v, want %v", got, want)
	}
}
