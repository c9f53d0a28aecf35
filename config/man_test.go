package config

import (
	"strings"
	"testing"

	"uelink/internal/manualtest"
)

// TestManPage makes the manual page of the configuration, as the package has it: the text of docs/CONFIGURATION.md, and
// the keys with their texts in the fields, of which the table there is made.
func TestManPage(t *testing.T) {
	document := manualtest.Document(t, "docs/CONFIGURATION.md")
	columns, _, found := strings.Cut(manualtest.Part(t, document, "## Reference"), "<!--")
	if !found {
		t.Fatal("docs/CONFIGURATION.md has no reference")
	}
	columns = strings.Replace(columns, "The last column is the cost", "Behind each key is the cost", 1)
	var keys strings.Builder
	for _, r := range rootFields().Rows("") {
		keys.WriteString(manualtest.Definition("`"+r.Path+"`",
			definition(r.Meaning, r.Values, r.Default, costOf(r.Path))))
	}
	page := manualtest.Page{
		Name: "uelink.yaml", Section: 5, Summary: "configuration of uelinkd",
		Text: "# DESCRIPTION\n" + manualtest.Introduction(document) + "\n\n# KEYS\n" + columns + "\n\n" + keys.String() +
			manualtest.Sections(t, "uelinkd") + "# SEE ALSO\n**uelinkd(8)**, **uelink(1)**\n",
	}.Write(t)
	for _, r := range rootFields().Rows("") {
		if !strings.Contains(page, r.Path) {
			t.Errorf("the page lacks %s", r.Path)
		}
	}
}

// definition returns what a page says of a key.
func definition(meaning, values, byDefault, cost string) string {
	if values == "keys" {
		return meaning
	}
	text := meaning + " Values: " + values + "."
	switch byDefault {
	case "required":
		text += " Required."
	case "":
	default:
		text += " Default: " + byDefault + "."
	}
	return text + " Cost of a reload: " + cost + "."
}
