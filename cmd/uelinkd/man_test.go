package main

import (
	"bytes"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"uelink/internal/netns/nstest"
)

var manOut = flag.String("man.out", "", "keep the manual page in this folder")

// TestManPage makes the manual page of the daemon, as the package has it, from the text of --help.
func TestManPage(t *testing.T) {
	dir := *manOut
	if dir == "" {
		dir = t.TempDir()
	}
	_, text, _ := strings.Cut(usage, "\n\n")
	options, rest, _ := strings.Cut(text, "\n\n")
	cmd := &cobra.Command{
		Use:   "uelinkd --config FILE",
		Short: "Own network interfaces and join them by Ultra Ethernet links",
		Long: rest + "\nExit codes: 0 fine; 1 failed while running; 2 bad usage or configuration; 3 missing privilege or\n" +
			"kernel feature; 4 not confirmed in time.\n\n" +
			"The keys of the configuration are in /usr/share/doc/uelink/examples/uelink.yaml.",
		Example:           options,
		Run:               func(*cobra.Command, []string) {},
		DisableAutoGenTag: true,
	}
	date := time.Unix(0, 0).UTC()
	var page bytes.Buffer
	header := doc.GenManHeader{Title: "UELINKD", Section: "8", Source: "uelink", Manual: "uelink", Date: &date}
	if err := doc.GenMan(cmd, &header, &page); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "uelinkd.8")
	text = strings.Replace(page.String(), ".SH EXAMPLE", ".SH FLAGS", 1)
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, option := range optionsOf(usage) {
		if !strings.Contains(text, option) {
			t.Errorf("the page lacks %s", option)
		}
	}
	if _, err := exec.LookPath("man"); err != nil {
		nstest.Missing(t, "man (man-db)")
	}
	show := exec.Command("man", "--warnings", "-l", name)
	show.Env = append(os.Environ(), "MANPAGER=cat", "MANWIDTH=100", "LC_ALL=C.UTF-8")
	if out, err := show.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("SYNOPSIS")) ||
		bytes.Contains(out, []byte("warning")) {
		t.Errorf("%v\n%s", err, out)
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
