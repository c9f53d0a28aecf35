package sonic

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var rewrite = flag.Bool("rewrite", false, "write the generated part of docs/SONIC.md instead of comparing with it")

// TestKeysOfTheDocument compares the keys of the configuration file in docs/SONIC.md with the code.
func TestKeysOfTheDocument(t *testing.T) {
	const file, open, end = "../docs/SONIC.md", "<!-- keys -->\n", "<!-- /keys -->"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, opened := strings.Cut(string(text), open)
	_, after, closed := strings.Cut(rest, end)
	if !opened || !closed {
		t.Fatalf("%s has no part between %q and %q", file, open, end)
	}
	var b strings.Builder
	b.WriteString("\n| key | values | default | meaning |\n|---|---|---|---|\n")
	for _, r := range SettingsKeys() {
		b.WriteString("| `" + r.Path + "` | " + r.Values + " | " + r.Default + " | " + r.Meaning + " |\n")
	}
	want := before + open + b.String() + "\n" + end + after
	if *rewrite {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(text) {
		t.Errorf("%s is stale: go test ./sonic -rewrite writes it", file)
	}
}
