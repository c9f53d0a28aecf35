package docs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Each variable of the environment that the programs read is in the table of OPERATING.md, from which the manual pages
// have theirs.
func TestEnvironmentIsDocumented(t *testing.T) {
	operating, err := os.ReadFile("OPERATING.md")
	if err != nil {
		t.Fatal(err)
	}
	read := regexp.MustCompile(`os\.(?:Getenv|LookupEnv)\("([A-Z_]+)"\)`)
	ofTests := regexp.MustCompile(`_test\.go$|test/[^/]+\.go$|^lab/(bench|e2e)/`)
	found := 0
	eachText(t, func(name, text string) {
		if filepath.Ext(name) != ".go" || ofTests.MatchString(name) {
			return
		}
		for _, m := range read.FindAllStringSubmatch(text, -1) {
			found++
			if !strings.Contains(string(operating), "`"+m[1]+"`") {
				t.Errorf("%s reads %s, which the table of docs/OPERATING.md lacks", name, m[1])
			}
		}
	})
	if found < 10 {
		t.Errorf("%d places read variables: this test no longer finds them", found)
	}
}
