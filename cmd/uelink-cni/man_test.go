package main

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"uelink/internal/manualtest"
)

var manOut = flag.String("man.out", "", "keep the manual page in this folder")

// TestManPage makes the manual page of the plugin, as the package has it, from docs/PODS.md.
func TestManPage(t *testing.T) {
	dir := *manOut
	if dir == "" {
		dir = t.TempDir()
	}
	about, _, _ := strings.Cut(manualtest.Document(t, "docs/PODS.md"), "\n## ")
	_, about, _ = strings.Cut(about, "\n\n") // without its title
	page := manualtest.Page{
		Name: "uelink-cni", Section: 8, Summary: "join containers to a bridge or a link of uelinkd (CNI)",
		Text: "# SYNOPSIS\n**CNI_COMMAND=**... **uelink-cni** <*configuration*\n\n**uelink-cni install** *DIR*\n\n" +
			"# DESCRIPTION\n" + withoutTable(about) + manualtest.Sections(t, "uelink-cni") +
			"# SEE ALSO\n**uelinkd(8)**, **uelink(1)**, **uelink.yaml(5)**\n",
	}.Roff(t)
	name := filepath.Join(dir, "uelink-cni.8")
	if err := os.WriteFile(name, page, 0o644); err != nil {
		t.Fatal(err)
	}
	manualtest.Check(t, name)
}

// withoutTable returns Markdown whose table of keys, defaults and meanings is a list.
func withoutTable(text string) string {
	before, rest, _ := strings.Cut(text, "\n|")
	_, after, _ := strings.Cut(rest, "|\n\n")
	var keys strings.Builder
	for _, row := range manualtest.Rows(text) {
		meaning := row[2]
		if row[1] != "" {
			meaning += "; default: " + row[1]
		}
		keys.WriteString(manualtest.Definition(row[0], meaning))
	}
	return before + "\n" + keys.String() + after + "\n\n"
}
