package cable

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestGenerated makes the object anew and compares it with the committed one.
func TestGenerated(t *testing.T) {
	for _, tool := range []string{"clang-14", "llvm-strip-14"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("needs %s (package clang-14 or llvm-14) to compile wire.c", tool)
		}
	}
	// A copy of the package beside it, so that go tool finds bpf2go, and clang
	// ../bpf; the underscore hides it from builds beside this test.
	dir, err := os.MkdirTemp("..", "_cable-")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	for _, name := range []string{"doc.go", "wire.c"} {
		content, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	generate := exec.Command("go", "generate", ".")
	generate.Dir = dir
	if out, err := generate.CombinedOutput(); err != nil {
		t.Fatalf("go generate: %v\n%s", err, out)
	}
	for _, name := range []string{"wire_bpfel.o", "wire_bpfel.go"} {
		fresh, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		committed, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(fresh, committed) {
			t.Errorf("%s is not what clang-14 makes of wire.c: run go generate ./cable", name)
		}
	}
}
