package attach

import (
	"encoding"
	"fmt"
	"testing"
)

// The words are those of the configuration, of state and of saved state.
func TestWords(t *testing.T) {
	for _, c := range []struct {
		value interface {
			fmt.Stringer
			encoding.TextMarshaler
		}
		want string
	}{
		{ModeAuto, "auto"}, {ModeDriver, "driver"}, {ModeGeneric, "generic"}, {ModeGeneric + 1, "?"},
		{NativeSocket, "socket"}, {NativePass, "pass"}, {NativeDrop, "drop"}, {NativeAuto, "auto"}, {NativeAuto + 9, "?"},
		{OpenerAuto, "auto"}, {OpenerAsavie, "asavie"}, {OpenerNative, "native"}, {OpenerNative + 1, "?"},
		{BindAuto, "auto"}, {BindCopy, "copy"}, {BindZeroCopy, "zerocopy"}, {BindZeroCopy + 1, "?"},
		{PathAuto, "auto"}, {PathAFXDP, "af_xdp"}, {PathLive, "live"}, {PathLive + 1, "?"},
	} {
		if text, err := c.value.MarshalText(); c.value.String() != c.want || string(text) != c.want || err != nil {
			t.Errorf("%T %d: %q, %q, %v, want %q", c.value, c.value, c.value.String(), text, err, c.want)
		}
	}
}
