// Package bpftest compares committed BPF objects with a fresh compilation of their sources.
package bpftest

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Generated runs go generate in a copy of the package under test, and fails the test if the generated objects differ
// from the committed files. source is the name of the C file without .c, ident the prefix of the generated files, and
// headers names the headers that the C file includes. The package's doc.go must have the go:generate directive.
func Generated(t *testing.T, source, ident string, headers ...string) {
	t.Helper()
	for _, tool := range []string{"clang-14", "llvm-strip-14"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s (package clang-14 or llvm-14) to compile %s.c", tool, source)
		}
	}
	dir := besides(t, append(headers, "doc.go", source+".c")...)
	generate := exec.Command("go", "generate", ".")
	generate.Dir = dir
	if out, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("go generate: %v\n%s", err, out)
	}
	for _, name := range []string{ident + "_bpfel.o", ident + "_bpfel.go"} {
		if !bytes.Equal(read(t, filepath.Join(dir, name)), read(t, name)) {
			t.Errorf("%s is not what clang-14 makes of %s.c: run make generate", name, source)
		}
	}
}

// besides copies files of the package to a directory beside the package, so that go tool finds bpf2go and clang
// finds the included headers; the underscore hides the directory from builds that run meanwhile.
func besides(t *testing.T, names ...string) string {
	t.Helper()
	dir, err := os.MkdirTemp("..", "_generated-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), read(t, name), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func read(t *testing.T, file string) []byte {
	t.Helper()
	content, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
