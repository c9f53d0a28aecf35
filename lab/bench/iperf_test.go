package main

import (
	"errors"
	"testing"
)

func TestIperfResult(t *testing.T) {
	const text = `{"end": {"sum_sent": {"bits_per_second": 2e9, "retransmits": 3},
		"sum_received": {"bits_per_second": 1e9}, "cpu_utilization_percent": {"host_total": 50}}}`
	if b, err := iperfResult([]byte(text), nil); err != nil || b != (bulk{1e9, 3, 0.5}) {
		t.Errorf("%+v, %v", b, err)
	}
	if _, err := iperfResult([]byte("iperf3: interrupted"), nil); err == nil {
		t.Error("what is no JSON was read")
	}
	problem := errors.New("it did not end")
	if _, err := iperfResult([]byte(text), problem); !errors.Is(err, problem) {
		t.Errorf("%v, want %v", err, problem)
	}
}
