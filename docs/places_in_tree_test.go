package docs

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"regexp"
	"strings"
)

// sources is the tree that the list is about.
type sources struct {
	tree   fs.FS
	parsed map[string]*ast.File
}

// parse reads a Go file, once.
func (s *sources) parse(name string) (*ast.File, error) {
	if file := s.parsed[name]; file != nil {
		return file, nil
	}
	text, err := fs.ReadFile(s.tree, name)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	if s.parsed == nil {
		s.parsed = map[string]*ast.File{}
	}
	s.parsed[name] = file
	return file, nil
}

// place tells what is wrong with a file, or file:Symbol, that the list names.
func (s *sources) place(where string) error {
	name, symbol, hasSymbol := strings.Cut(where, ":")
	text, err := fs.ReadFile(s.tree, name)
	if err != nil {
		return fmt.Errorf("the file %s is not there: name the one that does it now", name)
	}
	if !hasSymbol {
		return nil
	}
	declared := regexp.MustCompile(`\b` + regexp.QuoteMeta(symbol) + `\b`).Match(text)
	if strings.HasSuffix(name, ".go") {
		file, err := s.parse(name)
		if err != nil {
			return err
		}
		declared = declares(file, symbol)
	}
	if !declared {
		return fmt.Errorf("%s has no %s: name the symbol that does it now", name, symbol)
	}
	return nil
}

// declares reports whether a file declares a symbol at its top level: a function, a
// type, a constant or a variable by its name, a method or a field as Type.Name.
func declares(file *ast.File, symbol string) (found bool) {
	eachDeclared(file, func(name string) { found = found || name == symbol })
	return found
}

// eachDeclared calls add with each name that a file declares at its top level: a method or a field as Type.Name.
func eachDeclared(file *ast.File, add func(name string)) {
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			add(functionName(d))
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				eachSpecified(spec, add)
			}
		}
	}
}

// functionName is Name, or Type.Name of a method.
func functionName(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return f.Name.Name
	}
	return receiver(f.Recv.List[0].Type) + "." + f.Name.Name
}

// receiver is the name of a receiver's type.
func receiver(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	case *ast.Ident:
		return e.Name
	}
	return ""
}

// eachSpecified calls add with the name of a type, and those of its fields or methods, or of constants or variables.
func eachSpecified(spec ast.Spec, add func(name string)) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, n := range spec.Names {
			add(n.Name)
		}
	case *ast.TypeSpec:
		add(spec.Name.Name)
		for _, f := range members(spec.Type) {
			for _, n := range f.Names {
				add(spec.Name.Name + "." + n.Name)
			}
		}
	}
}

// members is the fields of a struct, the methods of an interface.
func members(e ast.Expr) []*ast.Field {
	switch e := e.(type) {
	case *ast.StructType:
		return e.Fields.List
	case *ast.InterfaceType:
		return e.Methods.List
	}
	return nil
}
