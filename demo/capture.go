package demo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"uelink/llr"
	"uelink/traffic"
)

// Capture is the capture of a link port, and what its daemon counted of the same frames. The
// dissector for Wireshark counts them in the file: uellr.analysis.replay in what the port sent,
// gap and duplicate in what it received.
type Capture struct {
	File           string `json:"file"`
	Received       uint64 `json:"received"` // sequenced frames that came, those that LLR discarded too
	TxReplay       uint64 `json:"llr_tx_replay"`
	RxMissingSeq   uint64 `json:"llr_rx_missing_seq"`
	RxDuplicateSeq uint64 `json:"llr_rx_duplicate_seq"`
}

// settlePatience is how long the frames of the end may take to be acknowledged.
const settlePatience = 2 * time.Second

// makeCapture makes the directory of the captures, where they are wanted. The daemons run
// elsewhere, so its path is made absolute.
func (o *Options) makeCapture() (err error) {
	if o.Capture == "" {
		return nil
	}
	if o.Capture, err = filepath.Abs(o.Capture); err == nil {
		err = os.MkdirAll(o.Capture, 0o755)
	}
	if err != nil {
		return &Error{exitUsage, fmt.Errorf("directory for captures: %w", err)}
	}
	return nil
}

// captureFile is where the station of that name captures its link.
func (o *Options) captureFile(name string) string { return filepath.Join(o.Capture, name+".pcapng") }

// captureKey is the key of a link that is captured.
func (o *Options) captureKey(name string) string {
	if o.Capture == "" {
		return ""
	}
	return fmt.Sprintf(", capture: %q", o.captureFile(name))
}

// settle waits until both links have nothing outstanding, so that the counters that are read next
// and the whole capture speak of the same frames.
func (d *demo) settle(ctx context.Context) {
	if d.options.Capture == "" {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, settlePatience)
	defer cancel()
	for ctx.Err() == nil && !d.settled(ctx) {
		time.Sleep(askEvery)
	}
}

// settled says whether everything sent has been acknowledged. A daemon that does not answer has
// nothing that is worth waiting for.
func (d *demo) settled(ctx context.Context) bool {
	for _, s := range d.stations {
		l, err := s.daemon.Client.LLRInterface(ctx, "link0")
		if err == nil && l.OutstandingFrames > 0 {
			return false
		}
	}
	return true
}

// captures are those of both stations, which counted what is said.
func (o *Options) captures(by [2]counted) (all []Capture) {
	if o.Capture == "" {
		return nil
	}
	for i, name := range []string{"A", "B"} {
		all = append(all, newCapture(o.captureFile(name), by[i].llr))
	}
	return all
}

func newCapture(file string, n llr.Counters) Capture {
	return Capture{File: file, Received: n.RxOK + n.RxPoisoned + n.RxBad, TxReplay: n.TxReplay,
		RxMissingSeq: n.RxMissingSeq, RxDuplicateSeq: n.RxDuplicateSeq}
}

// text says where the capture is, and what is to be found in it.
func (c *Capture) text() string {
	return fmt.Sprintf("%s: LLR_TX_REPLAY %s, LLR_RX_MISSING_SEQ %s, LLR_RX_DUPLICATE_SEQ %s\n", c.File,
		traffic.Count(c.TxReplay), traffic.Count(c.RxMissingSeq), traffic.Count(c.RxDuplicateSeq))
}
