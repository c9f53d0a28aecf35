package main

import "testing"

func TestMeanPing(t *testing.T) {
	const text = "80 packets transmitted, 80 received, 0% packet loss, time 3999ms\n" +
		"rtt min/avg/max/mdev = 0.236/10.671/29.479/5.889 ms\n"
	if ms, err := meanPing(text); err != nil || ms != 10.671 {
		t.Errorf("%v ms, %v", ms, err)
	}
	if _, err := meanPing("80 packets transmitted, 0 received, 100% packet loss, time 3999ms\n"); err == nil {
		t.Error("a ping without an answer was measured")
	}
}
