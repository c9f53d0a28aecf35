package demo

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"uelink/lab/traffic"
)

// Capture is the capture of a link port, with the daemon's counters of the same frames. The dissector for Wireshark
// finds the same counts in the file: of LLR uellr.analysis.replay in the frames sent by the port, gap and duplicate in
// the frames received; of HIPPI-6400-PH uehippi.analysis.again, uehippi.analysis.duplicate and uehippi.fcs_status.
type Capture struct {
	File           string `json:"file"`
	Received       uint64 `json:"received"` // sequenced frames received, also those discarded by LLR
	TxReplay       uint64 `json:"llr_tx_replay"`
	TxTailProbe    uint64 `json:"tx_tail_probe"`
	RxMissingSeq   uint64 `json:"llr_rx_missing_seq"`
	RxDuplicateSeq uint64 `json:"llr_rx_duplicate_seq"`

	HIPPI *CaptureHIPPI `json:"hippi,omitempty"`
}

// CaptureHIPPI has the counters of a link that speaks HIPPI-6400-PH.
type CaptureHIPPI struct {
	RetryCount uint64 `json:"retry_count"`     // retransmission sequences
	RxFrames   uint64 `json:"rx_frames"`       // frames of micropackets received, damaged ones included
	RxStale    uint64 `json:"rx_stale_frames"` // frames overtaken by a later frame, or received twice
	RxBadFCS   uint64 `json:"rx_bad_fcs"`      // frames with a wrong FCS image
}

// settlePatience is how long the acknowledgement of the last frames may take.
const settlePatience = 2 * time.Second

// makeCapture makes the directory for the captures, if captures are wanted, and makes its path absolute, because
// the daemons run in another directory.
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

// captureFile returns the path of the pcapng file with the frames of a station's link.
func (o *Options) captureFile(name string) string { return filepath.Join(o.Capture, name+".pcapng") }

// captureKey returns the key of a station's link in the daemon's configuration that makes the daemon capture its
// frames; "" without captures.
func (o *Options) captureKey(name string) string {
	if o.Capture == "" {
		return ""
	}
	return fmt.Sprintf(", capture: %q", o.captureFile(name))
}

// settle waits, at most 2 s and only with captures, until both links have no unacknowledged frames, so that the
// counters and the captures cover the same frames.
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

// settled reports whether both links have no unacknowledged frames. A daemon that does not answer counts as
// settled.
func (d *demo) settled(ctx context.Context) bool {
	for _, s := range d.stations {
		l, _, err := s.ports(ctx)
		if err == nil && (l.LLR != nil && l.LLR.OutstandingFrames > 0 || l.HIPPI != nil && l.HIPPI.Outstanding > 0) {
			return false
		}
	}
	return true
}

// captures returns, for each station, the capture's file name and those of its counters that a reader can find in
// the file; nil without captures.
func (o *Options) captures(counts [2]counted) (all []Capture) {
	if o.Capture == "" {
		return nil
	}
	for i, name := range []string{"A", "B"} {
		all = append(all, newCapture(o.captureFile(name), counts[i]))
	}
	return all
}

// newCapture returns a capture with the counters of its station that a reader can find in the file.
func newCapture(file string, counts counted) Capture {
	if h := counts.hippi; h != nil {
		return Capture{File: file, HIPPI: &CaptureHIPPI{
			RetryCount: h.Events.RetryCount, RxStale: h.Counters.RxStaleFrames, RxBadFCS: h.Frames.RxBadFCS,
			RxFrames: h.Frames.RxMicropacketFrames + h.Frames.RxBadFCS + h.Frames.RxBadFrame,
		}}
	}
	n := counts.llr
	return Capture{File: file, Received: n.RxOK + n.RxPoisoned + n.RxBad, TxReplay: n.TxReplay, TxTailProbe: n.TxTailProbe,
		RxMissingSeq: n.RxMissingSeq, RxDuplicateSeq: n.RxDuplicateSeq}
}

// text returns a line for people: the capture's file and the counters to find in it.
func (c *Capture) text() string {
	if h := c.HIPPI; h != nil {
		return fmt.Sprintf("%s: Retry_Count %s, stale frames %s, frames with a wrong FCS %s\n", c.File,
			traffic.Count(h.RetryCount), traffic.Count(h.RxStale), traffic.Count(h.RxBadFCS))
	}
	return fmt.Sprintf("%s: LLR_TX_REPLAY %s, LLR_RX_MISSING_SEQ %s, LLR_RX_DUPLICATE_SEQ %s\n", c.File,
		traffic.Count(c.TxReplay), traffic.Count(c.RxMissingSeq), traffic.Count(c.RxDuplicateSeq))
}
