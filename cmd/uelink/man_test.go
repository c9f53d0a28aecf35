package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"uelink/control/api"
	"uelink/internal/netns/nstest"
)

var manOut = flag.String("man.out", "", "keep the manual pages in this folder")

// TestManPages makes a manual page for each command, as the package has them; man has nothing to say against any.
func TestManPages(t *testing.T) {
	dir := *manOut
	if dir == "" {
		dir = t.TempDir()
	}
	t.Setenv("UELINK_SOCKET", "")
	root := newRoot()
	root.DisableAutoGenTag = true
	date := time.Unix(0, 0).UTC() // the pages of one version are the same whenever they are made
	header := doc.GenManHeader{Title: "UELINK", Section: "1", Source: "uelink", Manual: "uelink", Date: &date}
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
	if _, err := exec.LookPath("man"); err != nil {
		nstest.Missing(t, "man (Debian: man-db), which shows the pages")
	}
	for _, page := range pages {
		cmd := exec.Command("man", "--warnings", "-l", page)
		cmd.Env = append(os.Environ(), "MANPAGER=cat", "MANWIDTH=100", "LC_ALL=C.UTF-8")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		if out, err := cmd.Output(); err != nil || stderr.Len() > 0 || !bytes.Contains(out, []byte("SYNOPSIS")) {
			t.Errorf("%s: %v %s", filepath.Base(page), err, &stderr)
		}
	}
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
