package main

import (
	"bytes"
	"net"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
)

// Why a watch of frames is over is told, also where the daemon has cut it off, as it does with a reader that is too
// slow.
func TestWatchOfFramesThatIsCutOff(t *testing.T) {
	for name, end := range map[string]func(){
		"ended":   func() {},
		"cut off": func() { panic(http.ErrAbortHandler) },
	} {
		socket := filepath.Join(t.TempDir(), "api")
		l, err := net.Listen("unix", socket)
		if err != nil {
			t.Fatal(err)
		}
		server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(bytes.Repeat([]byte{0}, 100))
			_ = http.NewResponseController(w).Flush()
			end()
		})}
		go func() { _ = server.Serve(l) }()
		for _, write := range []string{"-", filepath.Join(t.TempDir(), "frames.pcapng")} {
			var out, said bytes.Buffer
			code := run(t.Context(), []string{"--socket", socket, "watch", "frames", "link0", "-w", write}, &out, &said)
			const want = "uelink: watch of frames: the daemon has ended the stream: "
			if code != exitFailed || !strings.HasPrefix(said.String(), want) {
				t.Errorf("%s: exit %d, %q", name, code, &said)
			}
		}
		if err := server.Close(); err != nil {
			t.Error(err)
		}
	}
}
