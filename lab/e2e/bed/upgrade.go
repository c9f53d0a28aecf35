package bed

import (
	"context"
	"fmt"
	"syscall"
	"time"

	"uelink/control/api"
)

// PID returns the process id of the daemon, as the daemon itself reports it over its API. After an upgrade it is that
// of the successor.
func (d *Daemon) PID() int {
	d.T.Helper()
	status, err := d.Client.Status(d.T.Context())
	Must(d.T, err)
	return status.PID
}

// EndsLast makes the end of the test terminate the daemon's present process, which may be a successor of the started
// one. A process that does not end is an error of the test, and gets SIGQUIT. A test that upgrades the daemon calls
// EndsLast first.
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

// Upgrade makes the daemon hand over to a new process of the same program, and returns how long the request took.
// Before it returns, it waits until the new process answers, and systemd has its process ID.
func (d *Daemon) Upgrade() time.Duration {
	d.T.Helper()
	before, began := d.PID(), time.Now()
	successor := before
	Must(d.T, d.Client.Upgrade(d.T.Context(), api.Upgrade{}))
	took := time.Since(began)
	Eventually(d.T, "an answer of the successor", func() string {
		if successor = d.PID(); successor == before {
			return fmt.Sprintf("process %d still answers on its last connections", before)
		}
		return ""
	})
	d.AwaitNotify(fmt.Sprintf("MAINPID=%d", successor))
	return took
}
