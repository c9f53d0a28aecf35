package docs

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// deploy/go.sh brings the Go that go.mod names: it has a checksum of that version for each architecture. Every target
// of the Makefile goes by it, or a machine without Go stops there.
func TestGoIsThatOfTheTree(t *testing.T) {
	text := map[string]string{}
	for _, name := range []string{"go.mod", "deploy/go.sh", "Makefile", "deploy/package.mk", "deploy/release.mk"} {
		octets, err := os.ReadFile("../" + name)
		if err != nil {
			t.Fatal(err)
		}
		text[name] = string(octets)
	}
	version := regexp.MustCompile(`(?m)^go (\S+)$`).FindStringSubmatch(text["go.mod"])[1]
	for _, arch := range []string{"amd64", "arm64"} {
		line := `(?m)^go` + regexp.QuoteMeta(version) + `\.linux-` + arch + ` [0-9a-f]{64}$`
		if !regexp.MustCompile(line).MatchString(text["deploy/go.sh"]) {
			t.Errorf("deploy/go.sh has no checksum of go%s.linux-%s: its comment says how to get it", version, arch)
		}
	}
	plain := regexp.MustCompile(`(^|[\s;&|(])gofmt |(^|[\s;&|(])go (build|env|generate|list|mod|run|test|tool|vet) `)
	for line := range strings.Lines(text["Makefile"] + text["deploy/package.mk"] + text["deploy/release.mk"]) {
		if !strings.HasPrefix(line, "#") && plain.MatchString(line) {
			t.Errorf("a file of make has %q: write $(GO) and $(GOFMT), which a machine without Go has too",
				strings.TrimSpace(line))
		}
	}
}
