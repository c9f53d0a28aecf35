package client

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"testing"

	"uelink/control/api"
)

// A watch whose daemon handed over to a process that does not answer ends with the daemon's last event, and can be
// closed. It does not wait for that process when its context has ended.
func TestWatchEndsWhereNoProcessTakesOver(t *testing.T) {
	done := make(chan struct{})
	close(done)
	line, _ := json.Marshal(api.EndEvent(api.EndUpgraded))
	opened := 0
	w := &Watch{body: io.NopCloser(nil), events: json.NewDecoder(bytes.NewReader(line)), done: done,
		open: func() (io.ReadCloser, error) { opened++; return nil, errors.New("nobody answers") }}
	if e, err := w.Next(); err != nil || e.Text != api.EndUpgraded {
		t.Errorf("%+v, %v", e, err)
	}
	if _, err := w.Next(); !errors.Is(err, io.EOF) {
		t.Error(err)
	}
	if err := w.Close(); err != nil || opened != 1 {
		t.Errorf("closed with %v after %d tries", err, opened)
	}
}
