package printable

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestAppend(t *testing.T) {
	for text, want := range map[string]string{
		"plain, ÄÖ ✓ 日本\tand\n":  "plain, ÄÖ ✓ 日本\tand\n",
		"\x1b[2J\x1b]0;x\x07":    `\u001b[2J\u001b]0;x\u0007`,
		"a\rb\x7f\x00":           `a\u000db\u007f\u0000`,
		"\u009b31m":              `\u009b31m`,
		"\x9b31m":                "\ufffd31m",
		"left\u202eright\u2066x": `left\u202eright\u2066x`,
	} {
		if got := string(Append(nil, []byte(text))); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// JSON says the same before and after.
func TestJSONStays(t *testing.T) {
	want := "\x1b[31m \u009b \u202e \x7f \n ✓"
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got string
	if err := json.Unmarshal(Append(nil, text), &got); err != nil || got != want {
		t.Errorf("%q, %v", got, err)
	}
}

// However the text is cut into writes, the output is the same.
func FuzzWriter(f *testing.F) {
	f.Add([]byte("日本 \x1b[2J \xe6\x97"), uint8(1))
	f.Add([]byte("\xf0\x9f\x98\x80\x9b"), uint8(2))
	f.Fuzz(func(t *testing.T, text []byte, size uint8) {
		var out bytes.Buffer
		w := Writer{To: &out}
		for rest := text; len(rest) > 0; {
			n := min(len(rest), int(size)+1)
			if m, err := w.Write(rest[:n]); m != n || err != nil {
				t.Fatal(m, err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if want := Append(nil, text); !bytes.Equal(out.Bytes(), want) {
			t.Errorf("%q: %q, want %q", text, &out, want)
		}
	})
}
