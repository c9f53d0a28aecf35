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

	"golang.org/x/sys/unix"

	"uelink/config/schema"
)

func TestLoadNamesTheFile(t *testing.T) {
	where := filepath.Join(t.TempDir(), "uelink.yaml")
	if err := os.WriteFile(where, []byte("workers: 0\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Load(where)
	var e *schema.Error
	if !errors.As(err, &e) {
		t.Fatalf("%v is not an *schema.Error", err)
	}
	if want := where + ":1:10: workers: 0 is out of range: 1 to 256"; err.Error() != want {
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

// A file that never ends is not read to its end, and nobody waits for a pipe that nobody writes to.
func TestFilesThatAreNoFiles(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	for where, want := range map[string]string{
		"/dev/zero":   "longer than the 524288 octets that a configuration may have",
		pipe:          "the file has no content",
		t.TempDir():   "is a directory",
		"/dev/null":   "the file has no content",
		"/proc/self/": "is a directory",
	} {
		if _, err := Load(where); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", where, err, want)
		}
	}
}

func TestNothingAtAll(t *testing.T) {
	nothing := []string{"", "null", "null\n", "~", "# workers: 1\n", "---\n", "--- null\n...\n", "\ufeff", "\n\n"}
	for _, text := range nothing {
		if got, want := parseError(t, text), "f: the file has no content"; got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
}

func TestTooLong(t *testing.T) {
	text := "workers: 1 #" + strings.Repeat("x", schema.MaxDocument)
	if got, want := parseError(t, text), "f: longer than the 524288 octets that a configuration may have"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// Text that is not UTF-8 is refused where it begins to be something else.
func TestOctetsThatAreNoText(t *testing.T) {
	for text, want := range map[string]string{
		"workers: 1\nspin: \"\xe4s\"": "f:2:8: octet 0xE4 is not UTF-8: save the file as UTF-8 text",
		"# \u00fc\xfc":                "f:1:4: octet 0xFC is not UTF-8: save the file as UTF-8 text",
		"\xff\xfew\x00":               "f:1:1: octet 0xFF is not UTF-8: save the file as UTF-8 text",
		"workers: 1 # \ufffd":         "",
		"workers: \"\\xff\"":          `f:1:10: workers: "\u00ff" is not a whole number`,
	} {
		_, err := Parse("f", []byte(text))
		if err == nil && want != "" || err != nil && err.Error() != strings.ReplaceAll(want, `\u00ff`, "\u00ff") {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}

// Of many problems the first 50 are told, and the others counted.
func TestManyProblems(t *testing.T) {
	text := lines(1000, func(i int) string { return fmt.Sprintf("k%d: 1", i) })
	said := strings.Split(parseError(t, text), "\n")
	if len(said) != 51 || said[0] != "f:1:1: k0: unknown key" || said[49] != "f:50:1: k49: unknown key" {
		t.Fatalf("%d lines, from %s to %s", len(said), said[0], said[len(said)-1])
	}
	if want := fmt.Sprintf("f: and %d more problems", strings.Count(text, "\n")-50); said[50] != want {
		t.Errorf("got %s, want %s", said[50], want)
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
