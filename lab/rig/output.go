package rig

import (
	"bytes"
	"sync"
)

// keptOutput is how many octets of a process's output are kept, the latest. So a daemon that runs for days does not
// fill the memory.
const keptOutput = 16 << 20

// Output keeps the output of a process, for readers in other goroutines.
type Output struct {
	mu   sync.Mutex
	text []byte
}

// Write appends to the output. When more than 32 MiB are kept, only the latest 16 MiB stay. It never fails.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, p...)
	if len(o.text) > 2*keptOutput { // rarely, because all of the text is moved
		o.text = append(o.text[:0], o.text[len(o.text)-keptOutput:]...)
	}
	return len(p), nil
}

// String returns the output kept so far, as valid UTF-8.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(bytes.ToValidUTF8(o.text, []byte("?")))
}
