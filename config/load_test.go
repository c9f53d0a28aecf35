package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"uelink/config/schema"
)

func TestLoadNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "uelink.yaml")
	if err := os.WriteFile(path, []byte("workers: 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load(path)
	var e *schema.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is not an *schema.Error", err)
	}
	if want := path + ":1:10: workers: 0 is out of range: 1 to 256"; err.Error() != want {
		t.Errorf("got %s\nwant %s", err, want)
	}
	want := []schema.Problem{{Line: 1, Column: 10, Path: "workers", Text: "0 is out of range: 1 to 256"}}
	if !slices.Equal(e.Problems, want) {
		t.Errorf("problems %+v, want %+v", e.Problems, want)
	}
}

func TestLoadMissingFile(t *testing.T) {
	_, err := Load(filepath.Join(t.TempDir(), "none.yaml"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Fatalf("%v does not say that the file is not there", err)
	}
	coded, ok := err.(interface{ ExitCode() int })
	if !ok || coded.ExitCode() != 2 {
		t.Errorf("%T is not an error with exit code 2", err)
	}
}

func TestNothingAtAll(t *testing.T) {
	if got, want := parseError(t, ""), "f: there is nothing in it"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTooLong(t *testing.T) {
	text := "workers: 1 #" + strings.Repeat("x", schema.MaxDocument)
	if got, want := parseError(t, text), "f: longer than 1048576 octets"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Mappings that merge each other twice double the keys to go over with each
// line; the walk gives up early.
func TestMergesAreBounded(t *testing.T) {
	var b strings.Builder
	b.WriteString("llr_profiles:\n  p0: &p0 {}\n")
	for i := range 40 {
		fmt.Fprintf(&b, "  p%d: &p%d {<<: [*p%d, *p%d]}\n", i+1, i+1, i, i)
	}
	if got := parseError(t, b.String()); !strings.Contains(got, "more than 1000 merge keys to follow") {
		t.Errorf("got %s", got)
	}
}
