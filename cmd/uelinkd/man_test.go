package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"uelink/internal/manualtest"
)

// TestManPage makes the manual page of the daemon, as the package has it, from the text of --help.
func TestManPage(t *testing.T) {
	synopsis, text, _ := strings.Cut(usage, "\n\n")
	options, rest, _ := strings.Cut(text, "\n\n")
	page := manualtest.Page{
		Name: "uelinkd", Section: 8, Summary: "own network interfaces and join them by Ultra Ethernet links",
		Text: "# SYNOPSIS\n```\n" + strings.TrimPrefix(synopsis, "usage: ") + "\n```\n\n# DESCRIPTION\n" + rest +
			"\n# OPTIONS\n```\n" + options + "\n```\n\n" + manualtest.Sections(t, "uelinkd") +
			"# SEE ALSO\n**uelink(1)**, **uelink.yaml(5)**, **uelink-cni(8)**\n",
	}.Write(t)
	for _, option := range optionsOf(usage) {
		if !strings.Contains(page, option) {
			t.Errorf("the page lacks %s", option)
		}
	}
}

// optionsOf returns the options that a text names, sorted.
func optionsOf(text string) []string {
	all := regexp.MustCompile(`--[a-z]+`).FindAllString(text, -1)
	slices.Sort(all)
	return slices.Compact(all)
}

// The completion of each shell has the options of --help, and --help.
func TestCompletionKnowsTheOptions(t *testing.T) {
	want := append(optionsOf(usage), "--help")
	slices.Sort(want)
	for _, name := range []string{"uelinkd.bash", "_uelinkd", "uelinkd.fish"} {
		text, err := os.ReadFile(filepath.Join("../../deploy/completion", name))
		if err != nil {
			t.Fatal(err)
		}
		got := optionsOf(strings.ReplaceAll(string(text), " -l ", " --"))
		if !slices.Equal(got, want) {
			t.Errorf("%s has %v, and uelinkd %v", name, got, want)
		}
	}
}
