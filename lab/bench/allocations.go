package main

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"

	"uelink/internal/netns"
)

// metricsAddress is the address of the metrics of daemons whose allocations are counted.
const metricsAddress = "127.0.0.1:9469"

// mallocs returns how many heap objects the daemon in a namespace has allocated so far, as its metrics say.
func mallocs(ns *netns.NS) (n float64, err error) {
	dial := func(_ context.Context, network, address string) (c net.Conn, err error) {
		err = ns.Do(func() error { c, err = net.Dial(network, address); return err })
		return c, err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: dial}}
	answer, err := client.Get("http://" + metricsAddress + "/metrics")
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		if value, ok := strings.CutPrefix(lines.Text(), "go_memstats_mallocs_total "); ok {
			return strconv.ParseFloat(value, 64)
		}
	}
	return 0, fmt.Errorf("the metrics of the daemon at %s have no go_memstats_mallocs_total", metricsAddress)
}

// resident returns the resident memory of a process, in octets.
func resident(pid int) (octets int64, err error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kB, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return kB << 10, err
		}
	}
	return 0, fmt.Errorf("/proc/%d/status has no line VmRSS (resident memory)", pid)
}
