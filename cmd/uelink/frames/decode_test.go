package frames

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// shownFrames is the number of frames in the capture.
const shownFrames = 21

// A capture may end in the middle of a packet: the packets before it are shown, and the output says that it is cut.
func TestDecodeOfCapturesThatEndAnywhere(t *testing.T) {
	whole, err := os.ReadFile("../testdata/decode.pcapng")
	if err != nil {
		t.Fatal(err)
	}
	d := &decoder{}
	shown := 0
	for n := range len(whole) {
		var out bytes.Buffer
		err := d.frames(bytes.NewReader(whole[:n]), &out)
		lines := strings.Count(out.String(), "\n")
		if lines < shown {
			t.Fatalf("%d octets: %d frames, %d of less", n, lines, shown)
		}
		shown = lines
		if err == nil && n%4 != 0 {
			t.Fatalf("%d octets end within no block", n)
		}
	}
	if shown < shownFrames-1 {
		t.Errorf("%d frames are shown of %d", shown, shownFrames)
	}
}

func FuzzDecodeFile(f *testing.F) {
	f.Add([]byte{0x0A, 0x0D, 0x0D, 0x0A, 28, 0, 0, 0, 0x4D, 0x3C, 0x2B, 0x1A})
	f.Fuzz(func(t *testing.T, b []byte) {
		d := &decoder{}
		_ = d.frames(bytes.NewReader(b), &bytes.Buffer{})
	})
}
