package main

import (
	"strings"
	"testing"

	"uelink/internal/manualtest"
)

// TestManPage makes the manual page of the plugin, as the package has it, from docs/PODS.md.
func TestManPage(t *testing.T) {
	about := manualtest.Introduction(manualtest.Document(t, "docs/PODS.md"))
	manualtest.Page{
		Name: "uelink-cni", Section: 8, Summary: "join containers to a bridge or a link of uelinkd (CNI)",
		Text: "# SYNOPSIS\n**CNI_COMMAND=**... **uelink-cni** <*configuration*\n\n**uelink-cni install** *DIR*\n\n" +
			"# DESCRIPTION\n" + withoutTable(about) + manualtest.Sections(t, "uelink-cni") +
			"# SEE ALSO\n**uelinkd(8)**, **uelink(1)**, **uelink.yaml(5)**\n",
	}.Write(t)
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
