package config

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files instead of comparing with them")

// golden compares got with the file at path.
func golden(t *testing.T, where, got string) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(where, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(where)
	if err != nil {
		t.Fatalf("%v (make it with -rewrite)", err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", where, diff)
	}
}

// yamlFiles lists the documents of a directory below testdata.
func yamlFiles(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no documents in %s: %v", dir, err)
	}
	return files
}

// Each document in testdata/bad is refused with exactly the lines beside it.
func TestBadDocuments(t *testing.T) {
	for _, file := range yamlFiles(t, "bad") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			_, err = Parse(filepath.Base(file), data)
			if err == nil {
				t.Fatal("accepted")
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".golden", err.Error()+"\n")
		})
	}
}

// compact puts lists of numbers, the settings of a queue and a credit profile into one line.
func compact(shown string) string {
	small := regexp.MustCompile(`\[[\s\d,]+\]|\{\s*("(Group|Weight|Reserved|Static|NoShared)": \w+,?\s*)+\}`)
	return small.ReplaceAllStringFunc(shown, func(s string) string {
		s = strings.Join(strings.Fields(s), " ")
		return strings.NewReplacer("[ ", "[", " ]", "]", "{ ", "{", " }", "}").Replace(s)
	})
}

// Each document in testdata/good means exactly the settings beside it.
func TestGoodDocuments(t *testing.T) {
	for _, file := range yamlFiles(t, "good") {
		t.Run(filepath.Base(file), func(t *testing.T) {
			c, err := Load(file)
			if err != nil {
				t.Fatal(err)
			}
			shown, err := json.MarshalIndent(c, "", "  ")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".golden", compact(string(shown))+"\n")
		})
	}
}
