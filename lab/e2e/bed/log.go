package bed

import (
	"encoding/json"
	"strings"
)

// AwaitLogWords waits until the daemon's log contains these words.
func (d *Daemon) AwaitLogWords(words string) {
	d.T.Helper()
	Eventually(d.T, "the log to say "+words, func() string {
		if !strings.Contains(d.Stderr.String(), words) {
			return "it does not"
		}
		return ""
	})
}

// AwaitLogLines waits until the daemon's log contains each of these texts. The log is read a little later than the
// daemon writes it.
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

// Refused waits for the end of the daemon and reports an error of the test unless it ended with this exit code and
// a single line of error that contains all of the given words.
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

// Complaints returns the errors that the daemon has written to standard error so far: the message, with its reason if
// any, of each log line of level error, and each line that is not JSON of the log.
func (d *Daemon) Complaints() (lines []string) {
	for line := range strings.Lines(d.Stderr.String()) {
		var entry struct{ Level, Msg, Reason string }
		if json.Unmarshal([]byte(line), &entry) != nil {
			entry.Msg = strings.TrimSpace(line)
		}
		if entry.Reason != "" {
			entry.Msg += ": " + entry.Reason
		}
		if entry.Level == "" || entry.Level == "error" {
			lines = append(lines, entry.Msg)
		}
	}
	return lines
}
