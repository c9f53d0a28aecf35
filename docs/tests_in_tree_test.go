package docs

import (
	"fmt"
	"go/ast"
	"io/fs"
	"path"
	"regexp"
)

// testName is the form of a test in the list: the package's directory, the
// function, and where it plays files of testdata the name of one of them.
var testName = regexp.MustCompile(`^([a-z0-9_/]+)\.((?:Test|Fuzz|Benchmark)\w*)(?:/([\w.-]+))?$`)

// nextTest is what to do where a test has gone.
const nextTest = "name the one that shows the clause now, or write it"

// test tells what is wrong with a test that the list names.
func (s *sources) test(name string) error {
	parts := testName.FindStringSubmatch(name)
	if parts == nil {
		return fmt.Errorf("%q is no test: write package/path.TestName, or with /file of its testdata behind it", name)
	}
	dir, function, file := parts[1], parts[2], parts[3]
	there, err := s.hasTest(dir, function)
	if err != nil {
		return err
	}
	if !there {
		return fmt.Errorf("the test %s.%s is not there: %s", dir, function, nextTest)
	}
	if file != "" && !s.hasFileOfTest(dir, file) {
		return fmt.Errorf("%s/testdata has no file %s for the test %s: %s", dir, file, name, nextTest)
	}
	return nil
}

// hasTest looks for a test function in the test files of a directory.
func (s *sources) hasTest(dir, function string) (bool, error) {
	files, err := fs.Glob(s.tree, path.Join(dir, "*_test.go"))
	if err != nil {
		return false, err
	}
	for _, name := range files {
		file, err := s.parse(name)
		if err != nil {
			return false, err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Name.Name == function && isTest(f) {
				return true, nil
			}
		}
	}
	return false, nil
}

// isTest tells whether go test would run the function, whose name has the form.
func isTest(f *ast.FuncDecl) bool {
	if f.Recv != nil || len(f.Type.Params.List) != 1 || f.Type.Results != nil {
		return false
	}
	pointer, ok := f.Type.Params.List[0].Type.(*ast.StarExpr)
	if !ok {
		return false
	}
	of, ok := pointer.X.(*ast.SelectorExpr)
	return ok && (of.Sel.Name == "T" || of.Sel.Name == "F" || of.Sel.Name == "B")
}

// hasFileOfTest looks for a file in testdata, or one directory deeper, with or
// without its extension.
func (s *sources) hasFileOfTest(dir, name string) bool {
	for _, pattern := range []string{name, name + ".*", "*/" + name, "*/" + name + ".*"} {
		files, _ := fs.Glob(s.tree, path.Join(dir, "testdata", pattern))
		for _, f := range files {
			if info, err := fs.Stat(s.tree, f); err == nil && info.Mode().IsRegular() {
				return true
			}
		}
	}
	return false
}
