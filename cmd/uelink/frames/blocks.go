package frames

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"time"
)

// Values of pcapng: type of a Section Header Block, mark of the byte order, lengths of blocks in octets. followEvery
// is the time between two attempts to read more of a growing file.
const (
	blockSection   = 0x0A0D0D0A // the same in both byte orders
	byteOrderMagic = 0x1A2B3C4D
	blockLeast     = 12
	blockMost      = 16 << 20 // longer than any block of a capture by uelinkd
	followEvery    = 200 * time.Millisecond
)

// blocks reads a pcapng and returns whole blocks only: a file that ends within a block is an error.
type blocks struct {
	r       io.Reader
	order   binary.ByteOrder
	pending []byte // rest of the block
}

// Read returns octets of the capture, of a single pcapng block in each call, after checking the block's length.
func (b *blocks) Read(p []byte) (int, error) {
	if len(b.pending) == 0 {
		if err := b.next(); err != nil {
			return 0, err
		}
	}
	n := copy(p, b.pending)
	b.pending = b.pending[n:]
	return n, nil
}

// next reads a whole pcapng block, after checking its length. An error means a file that is no pcapng or is cut
// off.
func (b *blocks) next() error {
	head := make([]byte, blockLeast)
	if _, err := io.ReadFull(b.r, head); err != nil {
		return ended(err)
	}
	if binary.LittleEndian.Uint32(head) == blockSection {
		b.order = binary.LittleEndian
		if binary.BigEndian.Uint32(head[8:]) == byteOrderMagic {
			b.order = binary.BigEndian
		}
	}
	if b.order == nil {
		return errors.New("this is no pcapng file")
	}
	length := b.order.Uint32(head[4:])
	if length < blockLeast || length%4 != 0 || length > blockMost {
		return fmt.Errorf("the capture is damaged: a block has the length %d", length)
	}
	block := bytes.NewBuffer(head)
	if _, err := io.CopyN(block, b.r, int64(length)-blockLeast); err != nil {
		return ended(errors.Join(err, io.ErrUnexpectedEOF))
	}
	b.pending = block.Bytes()
	return nil
}

// ended returns the error "the capture ends within a packet" instead of io.ErrUnexpectedEOF, and any other error as it
// is.
func ended(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		return errors.New("the capture ends within a packet")
	}
	return err
}

// following reads a growing file: at its end it waits for more, until the context is done.
type following struct {
	ctx context.Context
	r   io.Reader
}

// Read reads from a growing file: at its end Read waits for more octets, or returns io.EOF when the context ends.
func (f following) Read(p []byte) (int, error) {
	for {
		n, err := f.r.Read(p)
		if n > 0 || !errors.Is(err, io.EOF) {
			return n, err
		}
		select {
		case <-f.ctx.Done():
			return 0, io.EOF
		case <-time.After(followEvery):
		}
	}
}
