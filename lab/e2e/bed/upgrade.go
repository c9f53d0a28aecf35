package bed

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"uelink/control/api"
)

// PID returns the process of the daemon that answers now.
func (d *Daemon) PID() int {
	d.T.Helper()
	status, err := d.Client.Status(d.T.Context())
	Must(d.T, err)
	return status.PID
}

// EndsLast ends, after the test, whichever process is the daemon by then. A test that upgrades the daemon calls it
// first.
func (d *Daemon) EndsLast() {
	d.T.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), Patience)
		defer cancel()
		status, err := d.Client.Status(ctx)
		if err != nil {
			d.T.Logf("%s: %v", d.Name, err)
			return
		}
		Must(d.T, syscall.Kill(status.PID, syscall.SIGTERM))
		select {
		case <-d.Ended:
		case <-time.After(Patience):
			_ = syscall.Kill(status.PID, syscall.SIGQUIT)
			d.T.Errorf("%s: process %d has not ended", d.Name, status.PID)
		}
	})
}

// Upgrade has the daemon hand over to another process of the same program, and returns how long that took.
func (d *Daemon) Upgrade() time.Duration {
	d.T.Helper()
	before, began := d.PID(), time.Now()
	is := before
	Must(d.T, d.Client.Upgrade(d.T.Context(), api.Upgrade{}))
	took := time.Since(began)
	Eventually(d.T, "an answer of the successor", func() string {
		if is = d.PID(); is == before {
			return fmt.Sprintf("process %d still answers on its last connections", before)
		}
		return ""
	})
	d.AwaitNotify(fmt.Sprintf("MAINPID=%d", is))
	return took
}
