package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// snippets returns the blocks of a document that are YAML, by their first line.
func snippets(text string) (blocks []string) {
	block, inside := "", false
	for line := range strings.Lines(text) {
		switch fence := strings.TrimSpace(line); {
		case fence == "```yaml":
			block, inside = "", true
		case fence == "```" && inside:
			blocks, inside = append(blocks, block), false
		case inside:
			block += line
		}
	}
	return blocks
}

// ofOthers begins the snippets that are no configuration of uelinkd.
var ofOthers = []string{"  badwire:", "# yaml-language-server:", "rule_files:", "stations:"}

// whole makes a configuration of a snippet: some are the entry of a port, others a part of one, or lack the ports that
// they name.
func whole(snippet string) string {
	const link = "ports:\n  - {name: link0, interface: eth1, role: link}\n"
	switch {
	case strings.HasPrefix(strings.TrimSpace(snippet), "- {name: edge0"):
		return link + "  " + strings.TrimSpace(snippet) + "\nxconnects: [{edge: edge0, link: link0}]\n"
	case strings.HasPrefix(snippet, "cbfc:"):
		return "ports:\n  - {name: edge0, interface: eth2, role: edge}\n" +
			"  - {name: link0, interface: eth1, role: link, vcs: 2, " + strings.TrimSpace(snippet) +
			"}\nxconnects: [{edge: edge0, link: link0}]\n"
	case strings.HasPrefix(snippet, "xconnects:"):
		return link + "  - {name: edge0, interface: eth2, role: edge}\n" + snippet
	case strings.HasPrefix(snippet, "ports: [{name: pod1"):
		return snippet // a file beside another one; its bridge is complete
	case !strings.Contains(snippet, "ports:"):
		return link + "  - {name: edge0, interface: eth2, role: edge}\nxconnects: [{edge: edge0, link: link0}]\n" +
			snippet
	case !strings.Contains(snippet, "xconnects:") && !strings.Contains(snippet, "bridges:"):
		return strings.Replace(snippet, "ports:\n", link, 1) + "xconnects: [{edge: edge0, link: link0}]\n"
	}
	return snippet
}

// Each configuration in the documents is one that uelinkd takes.
func TestSnippetsOfTheDocuments(t *testing.T) {
	files, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	checked := 0
	for _, file := range append(files, "../README.md") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, snippet := range snippets(string(text)) {
			foreign := false
			for _, begin := range ofOthers {
				foreign = foreign || strings.HasPrefix(snippet, begin)
			}
			if foreign {
				continue
			}
			checked++
			if _, err := Parse(filepath.Base(file), []byte(whole(snippet))); err != nil {
				t.Errorf("%s: %v\n%s", file, err, whole(snippet))
			}
		}
	}
	if checked < 15 {
		t.Errorf("%d configurations", checked)
	}
}
