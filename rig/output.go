package rig

import (
	"bytes"
	"sync"
)

// keptOutput is the octets of what a process says that are kept: the latest. A daemon that runs for days does not
// fill the memory.
const keptOutput = 16 << 20

// Output keeps what a process writes, while others read it.
type Output struct {
	mu   sync.Mutex
	text []byte
}

// Write never fails.
func (o *Output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, p...)
	if len(o.text) > 2*keptOutput { // seldom, for all of it is moved
		o.text = append(o.text[:0], o.text[len(o.text)-keptOutput:]...)
	}
	return len(p), nil
}

// String is the output that is kept so far, as valid UTF-8.
func (o *Output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return string(bytes.ToValidUTF8(o.text, []byte("?")))
}
