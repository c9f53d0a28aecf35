package docs

import (
	"go/ast"
	"go/token"
	"path"
	"strings"
	"testing"
)

// Each exported declaration at the top level of a package has a comment: its own, or that of its group.
func TestExportsAreDocumented(t *testing.T) {
	for name, file := range readTree(t).parsed {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_bpfel.go") {
			continue
		}
		for _, d := range file.Decls {
			for _, export := range undocumented(d) {
				t.Errorf("%s: %s has no comment", path.Dir(name), export)
			}
		}
	}
}

// undocumented returns the exported names of a declaration that have no comment.
func undocumented(d ast.Decl) []string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Name.IsExported() && d.Doc == nil && (d.Recv == nil || ast.IsExported(receiver(d.Recv.List[0].Type))) {
			return []string{functionName(d)}
		}
	case *ast.GenDecl:
		if d.Tok == token.IMPORT || d.Doc != nil {
			return nil
		}
		return undocumentedSpecs(d.Specs)
	}
	return nil
}

// undocumentedSpecs returns the exported names of a group of declarations that have no comment.
func undocumentedSpecs(specs []ast.Spec) (all []string) {
	for _, spec := range specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && s.Doc == nil && s.Comment == nil {
				all = append(all, s.Name.Name)
			}
		case *ast.ValueSpec:
			for _, n := range s.Names {
				if n.IsExported() && s.Doc == nil && s.Comment == nil {
					all = append(all, n.Name)
				}
			}
		}
	}
	return all
}
