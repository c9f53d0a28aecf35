package main

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

const withMetrics = someConfig + "metrics: {listen: %q}\n"

// beginWithMetrics starts a daemon that serves metrics at an address.
func beginWithMetrics(t *testing.T, listen string) *running {
	t.Helper()
	dir := t.TempDir()
	config, socket := filepath.Join(dir, "uelink.yaml"), filepath.Join(dir, "uelink.sock")
	if err := os.WriteFile(config, fmt.Appendf(nil, withMetrics, "info", socket, listen), 0o600); err != nil {
		t.Fatal(err)
	}
	return beginWith(t, newFakeFrames(), config, socket, nil)
}

func TestMetricsAreServed(t *testing.T) {
	r := beginWithMetrics(t, "127.0.0.1:0")
	url := r.logged("serving")["url"].(string)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(response.Body)
	response.Body.Close()
	if err != nil || response.StatusCode != http.StatusOK ||
		!strings.Contains(string(body), `uelink_llr_tx_ok_total{interface="eth1",port="link0"} 7.650079e+06`) {
		t.Errorf("%d %s, %v", response.StatusCode, body, err)
	}
	r.signals <- syscall.SIGTERM
	if code := r.ended(); code != 0 {
		t.Errorf("exit %d", code)
	}
	if _, err := client.Get(url); err == nil {
		t.Error("metrics are still served")
	}
}
