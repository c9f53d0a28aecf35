package support

import (
	"context"
	"fmt"
	"os/exec"
	"time"

	"uelink/internal/printable"
)

// Bounds on reading the journal.
const (
	journalLines   = "200"            // lines of the journal in the report, the newest
	journalTimeout = 10 * time.Second // longest wait for journalctl; after it the report lacks the journal
)

// readJournal reads the last lines that systemd's journal has of the daemon's unit into the report.
func (r *Report) readJournal(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, journalTimeout)
	defer cancel()
	out, err := exec.CommandContext(ctx, "journalctl", "--unit", "uelinkd", "--lines", journalLines, "--no-pager",
		"--output", "short-iso").CombinedOutput()
	if err != nil {
		r.Missing = append(r.Missing, fmt.Sprintf("journal: %v", err))
		return
	}
	r.Journal = string(printable.Append(nil, out))
}
