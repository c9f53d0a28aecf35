package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"uelink/control/api"
	"uelink/internal/manualtest"
)

// TestManPages makes a manual page for each command, as the package has them; man and mandoc say nothing against any.
func TestManPages(t *testing.T) {
	dir := manualtest.Folder(t)
	t.Setenv("UELINK_SOCKET", "")
	root := newRoot()
	root.DisableAutoGenTag = true
	date := manualtest.Date(t)
	header := doc.GenManHeader{Section: "1", Source: "uelink", Manual: "uelink", Date: &date}
	if err := doc.GenManTree(root, &header, dir); err != nil {
		t.Fatal(err)
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*.1"))
	if err != nil || len(pages) != commands(root) {
		t.Errorf("%d pages for %d commands, %v", len(pages), commands(root), err)
	}
	top, err := os.ReadFile(filepath.Join(dir, "uelink.1"))
	if err != nil || !bytes.Contains(top, []byte(strings.ReplaceAll(api.DefaultSocket, "-", `\-`))) {
		t.Errorf("uelink.1 does not name the default socket: %v\n%s", err, top)
	}
	sections := manualtest.Sections(t, "uelink")
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		whole := manualtest.Insert(text, date, sections)
		if filepath.Base(page) == "uelink.1" {
			whole = append(bytes.TrimSpace(whole),
				", \\fBuelinkd(8)\\fP, \\fBuelink.yaml(5)\\fP, \\fBuelink-cni(8)\\fP\n"...)
		}
		if err := os.WriteFile(page, whole, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	manualtest.Check(t, pages...)
}

// commands returns the number of commands at and below cmd that have a page.
func commands(cmd *cobra.Command) int {
	n := 1
	for _, sub := range cmd.Commands() {
		if sub.IsAvailableCommand() && !sub.IsAdditionalHelpTopicCommand() {
			n += commands(sub)
		}
	}
	return n
}
