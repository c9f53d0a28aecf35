package bed

import (
	"encoding/json"
	"strings"
)

// AwaitLogWords waits until the log has some words.
func (d *Daemon) AwaitLogWords(words string) {
	d.T.Helper()
	Eventually(d.T, "the log to say "+words, func() string {
		if !strings.Contains(d.Stderr.String(), words) {
			return "it does not"
		}
		return ""
	})
}

// AwaitLogLines waits for lines in the daemon's log, which is read a little later than the daemon writes it.
func (d *Daemon) AwaitLogLines(lines ...string) {
	d.T.Helper()
	for _, line := range lines {
		Eventually(d.T, "the log says "+line, func() string {
			if log := d.Stderr.String(); !strings.Contains(log, line) {
				return log
			}
			return ""
		})
	}
}

// Refused demands that a daemon ends by itself with an exit code and one line with all of the given words.
func (d *Daemon) Refused(code int, words ...string) {
	d.T.Helper()
	if got := d.Wait(); got != code {
		d.T.Errorf("exit %d, want %d", got, code)
	}
	lines := d.Complaints()
	if len(lines) != 1 {
		d.T.Fatalf("%d lines of complaint, want one:\n%s", len(lines), strings.Join(lines, "\n"))
	}
	for _, word := range words {
		if !strings.Contains(lines[0], word) {
			d.T.Errorf("%q is not in: %s", word, lines[0])
		}
	}
	d.T.Logf("exit %d: %s", code, lines[0])
}

// Complaints returns the error lines of standard error: the lines before there was a log, and the text of log lines.
func (d *Daemon) Complaints() (lines []string) {
	for line := range strings.Lines(d.Stderr.String()) {
		var entry struct{ Level, Msg string }
		if json.Unmarshal([]byte(line), &entry) != nil {
			entry.Msg = strings.TrimSpace(line)
		}
		if entry.Level == "" || entry.Level == "error" {
			lines = append(lines, entry.Msg)
		}
	}
	return lines
}
