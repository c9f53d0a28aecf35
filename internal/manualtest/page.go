// Package manualtest makes the manual pages of the programs, as the Debian packages have them, and checks them with man
// and mandoc. Pages copy tables of the documents, so that no text is written twice.
package manualtest

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cpuguy83/go-md2man/v2/md2man"
)

// Page is a manual page.
type Page struct {
	Name    string // of the subject, such as uelinkd
	Section int    // of the manual, such as 8
	Summary string // text behind the name in the section NAME
	Text    string // the other sections in Markdown, each with a heading of the first level
}

// Date returns the date of the pages: the time in SOURCE_DATE_EPOCH, which make sets to the time of the commit, or
// today.
func Date(t testing.TB) time.Time {
	t.Helper()
	epoch := os.Getenv("SOURCE_DATE_EPOCH")
	if epoch == "" {
		return time.Now().UTC()
	}
	seconds, err := strconv.ParseInt(epoch, 10, 64)
	if err != nil {
		t.Fatalf("SOURCE_DATE_EPOCH: %v", err)
	}
	return time.Unix(seconds, 0).UTC()
}

// Roff returns the page in the form that man reads.
func (p Page) Roff(t testing.TB) []byte {
	t.Helper()
	title := fmt.Sprintf("%% %q \"%d\" %q \"uelink\" \"uelink\"\n", strings.ToUpper(p.Name), p.Section,
		Date(t).Format(time.DateOnly))
	return roff(fmt.Sprintf("%s# NAME\n%s - %s\n\n%s", title, p.Name, p.Summary, p.Text))
}

// Write makes the page, writes it to the folder for pages (Folder) and checks it. It returns the text of the page, with
// dashes as people type them.
func (p Page) Write(t testing.TB) string {
	t.Helper()
	page := p.Roff(t)
	name := filepath.Join(Folder(t), fmt.Sprintf("%s.%d", p.Name, p.Section))
	if err := os.WriteFile(name, page, 0o644); err != nil {
		t.Fatal(err)
	}
	Check(t, name)
	return strings.ReplaceAll(string(page), `\-`, "-")
}

var out = flag.String("man.out", "", "keep the manual pages in this folder")

// Folder returns the folder for the pages of a test: the folder of the flag -man.out, in which they stay, or a folder
// that is removed after the test.
func Folder(t testing.TB) string {
	t.Helper()
	if *out != "" {
		return *out
	}
	return t.TempDir()
}

// Insert returns page, a manual page made by cobra, in a form that mandoc takes, with a date, and with further sections
// in Markdown: before SEE ALSO, or at the end.
func Insert(page []byte, date time.Time, sections string) []byte {
	const section, last = "\n.SH ", "\n.SH SEE ALSO"
	_, more, _ := bytes.Cut(roff("# TITLE\n\n"+sections), []byte(section)) // md2man takes the first heading for the title
	before, after, found := bytes.Cut(bytes.TrimSuffix(page, []byte("\n")), []byte(last))
	all := slices.Concat(before, []byte(section), more)
	if found {
		all = slices.Concat(all, []byte(last), after, []byte("\n"))
	}
	all = titled.ReplaceAll(all, []byte("${1}"+date.Format(time.DateOnly)))
	all = named.ReplaceAll(all, []byte(`$1 \- `))
	return described.ReplaceAll(tidy(all), []byte("\n.TP\n$1\n"))
}

// The parts of a page made by cobra that are replaced: the date in the title, the dash behind the name, and flags,
// whose meanings begin with a tab.
var (
	titled    = regexp.MustCompile(`(?m)^(\.TH "[^"]*" "[^"]*" ")[^"]*`)
	named     = regexp.MustCompile(`(?m)^(\.SH NAME\n+\S+) - `)
	described = regexp.MustCompile(`(?:\n\.PP)?\n(.*)\n\t`)
)

// linked is a link of Markdown, which a page shows as its text alone.
var linked = regexp.MustCompile(`\[([^\]]+)\]\([^)]+\)`)

// roff returns Markdown in the form that man reads.
func roff(markdown string) []byte {
	return tidy(md2man.Render([]byte(linked.ReplaceAllString(markdown, "$1"))))
}

// tidy removes the empty lines that md2man leaves, except those within examples: man takes each empty line for a
// vertical space.
func tidy(page []byte) []byte {
	var out bytes.Buffer
	example := false
	for line := range bytes.Lines(page) {
		switch {
		case bytes.HasPrefix(line, []byte(".EX")):
			example = true
		case bytes.HasPrefix(line, []byte(".EE")):
			example = false
		case !example && len(bytes.TrimSpace(line)) == 0:
			continue
		}
		out.Write(line)
	}
	return out.Bytes()
}
