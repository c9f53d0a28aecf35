package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// shownCapture is a file of test vectors, one of each kind of message, and wrong ones, which `make vectors` writes.
const (
	shownCapture = "testdata/decode.pcapng"
	shownFrames  = 21
)

func TestDecode(t *testing.T) {
	for name, args := range map[string][]string{
		"decode.txt":         {"--dialect", "seed", "--trimmed", "16,18"},
		"decode-ue1.txt":     nil,
		"decode-details.txt": {"--dialect", "seed", "--details"},
		"decode.json":        {"--dialect", "seed", "--details", "-o", "json"},
	} {
		stdout, stderr, code := uelink(t.Context(), "none", append([]string{"decode", shownCapture}, args...)...)
		if code != 0 || stderr != "" {
			t.Fatalf("%s: exit %d, %s", name, code, stderr)
		}
		golden(t, name, stdout)
	}
}

// decodeOf runs uelink decode on octets of standard input.
func decodeOf(t *testing.T, octets []byte, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "in")
	if err := os.WriteFile(path, octets, 0o600); err != nil {
		t.Fatal(err)
	}
	return uelink(t.Context(), "none", append([]string{"decode", path}, args...)...)
}

func TestDecodeOfFilesThatAreNoCaptures(t *testing.T) {
	whole, err := os.ReadFile(shownCapture)
	if err != nil {
		t.Fatal(err)
	}
	long := slices.Clone(whole)
	long[4], long[5], long[6], long[7] = 0, 0, 0, 0x7F
	for _, c := range []struct {
		name   string
		octets []byte
		want   string
	}{
		{"empty", nil, "is empty"},
		{"text", []byte("a text that is none, and longer than a block"), "is no pcapng file"},
		{"cut", whole[:len(whole)-3], "ends within a packet"},
		{"a block that lies", long, "a block has the length 2130706432"},
	} {
		if _, stderr, code := decodeOf(t, c.octets); code != 1 || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %q, want %q", c.name, code, stderr, c.want)
		}
	}
	if _, stderr, code := uelink(t.Context(), "none", "decode", "/none"); code != 1 ||
		!strings.Contains(stderr, "/none") {
		t.Errorf("no file: exit %d, %q", code, stderr)
	}
}

func TestDecodeFlags(t *testing.T) {
	for _, args := range [][]string{
		{"--dialect", "ue2"}, {"--trimmed", "64"}, {"--trimmed", "x"}, {"--uet-port", "65536"}, {"a", "b"},
	} {
		if _, stderr, code := uelink(t.Context(), "none", append([]string{"decode"}, args...)...); code != exitUsage {
			t.Errorf("%q: exit %d, %s", args, code, stderr)
		}
	}
}

// With --follow what is added to the file is shown as it comes, also half a packet at a time.
func TestDecodeFollows(t *testing.T) {
	whole, err := os.ReadFile(shownCapture)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "growing.pcapng")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	ctx, cancel := context.WithCancel(t.Context())
	var out safeBuffer
	code := make(chan int, 1)
	go func() { code <- run(ctx, []string{"decode", "--follow", path}, &out, &out) }()
	for part := range slices.Chunk(whole, len(whole)/3+1) {
		if _, err := file.Write(part); err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond) // so that it may come to the end of the file
	}
	for deadline := time.Now().Add(10 * time.Second); strings.Count(out.String(), "\n") < shownFrames; {
		if time.Now().After(deadline) {
			t.Fatalf("only this is shown:\n%s", out.String())
		}
		time.Sleep(time.Millisecond)
	}
	cancel()
	if c := <-code; c != 0 {
		t.Errorf("exit %d", c)
	}
}

// safeBuffer is written by one goroutine and read by another.
type safeBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *safeBuffer) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *safeBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
