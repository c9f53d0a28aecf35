package dataplane

import (
	"fmt"
	"testing"
)

// Three announcements follow each link that begins to carry frames, within 2 s, and none while no link does.
func TestAnnouncements(t *testing.T) {
	var s announced
	sent := ""
	for _, links := range []int{0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 1, 0, 0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 1, 1} {
		n := 0
		if s.due(links) {
			n = 1
		}
		sent += fmt.Sprint(n)
	}
	if want := "00" + "100100100" + "00" + "1" + "00" + "1" + "10010010" + "00"; sent != want {
		t.Errorf("sent at the ticks %s, not %s", sent, want)
	}
	s.restart()
	if !s.due(1) {
		t.Error("none after a change of the addresses")
	}
}
