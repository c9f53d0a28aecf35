package main

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Each module of a program is in the document, once, with its version, and the same programs give the same document.
func TestEachModuleIsListed(t *testing.T) {
	info := &debug.BuildInfo{
		GoVersion: "go1.26.8",
		Main:      debug.Module{Path: "uelink", Version: "(devel)"},
		Deps: []*debug.Module{
			{Path: "example.org/a/b", Version: "v1.2.3", Sum: "h1:abc="},
			{Path: "example.org/old", Version: "v1.0.0", Replace: &debug.Module{Path: "example.org/new", Version: "v2.0.0"}},
			{Path: "example.org/a-b", Version: "v1.2.3+incompatible"},
		},
	}
	var d document
	d.addProgram("uelinkd", "v0.1.0", info)
	d.addProgram("uelink", "v0.1.0", info)
	var names []string
	for _, p := range d.Packages {
		names = append(names, p.Name+" "+p.Version)
	}
	want := []string{"uelinkd v0.1.0", "stdlib 1.26.8", "example.org/a/b v1.2.3", "example.org/new v2.0.0",
		"example.org/a-b v1.2.3+incompatible", "uelink v0.1.0"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
	if n := len(d.Relationships); n != 2*5 {
		t.Errorf("%d relationships, want those of two programs with 4 modules and the document: %v", n, d.Relationships)
	}
}

// A program's file says what it has been built of; that of a test names the toolchain alone.
func TestProgramIsRead(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	d, err := list("test", "v0.1.0", time.Unix(0, 0).UTC(), []string{self})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(d.Packages, func(p pkg) bool { return p.Name == "stdlib" && p.Version != "" }) {
		t.Errorf("the standard library is not among %v", d.Packages)
	}
	if d.Creation.Created != "1970-01-01T00:00:00Z" {
		t.Errorf("created %s", d.Creation.Created)
	}
}

func TestNoProgram(t *testing.T) {
	file := filepath.Join(t.TempDir(), "text")
	if err := os.WriteFile(file, []byte("no program"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := list("test", "v0.1.0", time.Time{}, []string{file}); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("%v", err)
	}
}

// Two modules whose names differ in what an ID cannot have are two packages.
func TestIDsAreUnique(t *testing.T) {
	var d document
	a, b := d.add(pkg{Name: "example.org/a/b", Version: "v1"}), d.add(pkg{Name: "example.org/a-b", Version: "v1"})
	if a == b || len(d.Packages) != 2 {
		t.Errorf("%s and %s: %v", a, b, d.Packages)
	}
	if repeat := d.add(pkg{Name: "example.org/a-b", Version: "v1"}); repeat != b || len(d.Packages) != 2 {
		t.Errorf("%s, and before %s: %v", repeat, b, d.Packages)
	}
	if ref := purl("example.org/a", "v1+incompatible")[0].Locator; ref != "pkg:golang/example.org/a@v1%2Bincompatible" {
		t.Error(ref)
	}
}
