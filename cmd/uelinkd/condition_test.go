package main

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"html"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
)

// troubleCalls returns the fields of the daemon whose type has a method trouble, other types with such a method, and
// the calls of trouble in the method troubles, as NAME.
func troubleCalls(t *testing.T) (fields, types, called map[string]bool) {
	t.Helper()
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	types, called, fields = map[string]bool{}, map[string]bool{}, map[string]bool{}
	of := map[string]string{} // type of each field of the daemon
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), e.Name(), nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.FuncDecl:
				if n.Name.Name == "trouble" && n.Recv != nil {
					types[nameOf(n.Recv.List[0].Type)] = true
				}
				if n.Name.Name == "troubles" {
					addCalls(n, called)
				}
			case *ast.TypeSpec:
				if s, ok := n.Type.(*ast.StructType); ok && n.Name.Name == "daemon" {
					for _, f := range s.Fields.List {
						for _, name := range f.Names {
							of[name.Name] = nameOf(f.Type)
						}
					}
				}
			}
			return true
		})
	}
	held := map[string]bool{}
	for field, name := range of {
		if types[name] {
			fields[field], held[name] = true, true
		}
	}
	for name := range held {
		delete(types, name)
	}
	return fields, types, called
}

// addCalls adds the receivers of all calls of a method trouble in a function.
func addCalls(f *ast.FuncDecl, called map[string]bool) {
	ast.Inspect(f, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if method, ok := call.Fun.(*ast.SelectorExpr); ok && method.Sel.Name == "trouble" {
				called[nameOf(method.X)] = true
			}
		}
		return true
	})
}

// nameOf returns the last name of a type or of a selector.
func nameOf(e ast.Expr) string {
	switch e := e.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.StarExpr:
		return nameOf(e.X)
	case *ast.SelectorExpr:
		return e.Sel.Name
	}
	return ""
}

// Each part of the daemon that can have a trouble is asked for it, so that no trouble is missing in the status, on the
// page and in the metrics.
func TestNoTroubleIsForgotten(t *testing.T) {
	fields, types, called := troubleCalls(t)
	if len(fields) == 0 {
		t.Error("no part of the daemon has a trouble: the test shows nothing")
	}
	for field := range fields {
		if !called[field] {
			t.Errorf("troubles does not ask %s", field)
		}
	}
	if len(called) < len(fields)+len(types) {
		t.Errorf("troubles asks %d, and there are %d fields of the daemon and the types %v", len(called), len(fields),
			types)
	}
}

// A trouble of the status is on the page.
func TestTroublesAreOnThePage(t *testing.T) {
	r := beginWithWeb(t, "127.0.0.1:0", fmt.Sprintf("}\nmetrics: {listen: %q", taken(t).Addr()))
	address := strings.Trim(strings.TrimPrefix(r.logged("serving")["url"].(string), "http:"), "/")
	page, stream := pageOf(t,
		func(context.Context, string, string) (net.Conn, error) { return net.Dial("tcp", address) })
	defer stream.Close()
	list := r.troubles()
	if len(list) != 1 || !strings.HasPrefix(list[0], "metrics are not served: ") {
		t.Errorf("%q", list)
	}
	for _, trouble := range list {
		problem, _, _ := strings.Cut(trouble, " type: ") // the page names the command of this host
		if !strings.Contains(page, html.EscapeString(problem)) {
			t.Errorf("the page lacks %q", problem)
		}
	}
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
}
