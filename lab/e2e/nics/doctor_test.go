package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"uelink/lab/e2e/nics/guest"
)

func TestWhatVariesHasNames(t *testing.T) {
	const text = "igb, version 6.12.107+deb13-amd64, 0000:01:00.0, 52:54:00:75:65:0a, ethtool -K 10:20"
	const want = "igb, version KERNEL, PCI, MAC, ethtool -K 10:20"
	if got := withoutVarying(text, "6.12.107+deb13-amd64"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// What the doctor says is kept with --update, and compared without.
func TestDoctorIsCompared(t *testing.T) {
	l := &lab{options: options{doctor: filepath.Join(t.TempDir(), "doctor")}, began: time.Now()}
	r := &result{lane: lane{Name: "igb", Suite: backports}, Kernel: "7.3.4"}
	d := &guest.Doctor{Driver: "igb", Text: "igb 7.3.4\nMTU 1500\n", JSON: "{}\n"}
	l.doctored(d, r)
	if len(r.Doctor) != 2 || !strings.Contains(r.Doctor[0], "--update") {
		t.Errorf("nothing is kept: %q", r.Doctor)
	}
	r.Doctor, l.options.update = nil, true
	l.doctored(d, r)
	l.options.update = false
	l.doctored(d, r)
	if len(r.Doctor) > 0 {
		t.Errorf("it was kept: %q", r.Doctor)
	}
	saved, err := os.ReadFile(filepath.Join(l.options.doctor, "igb-backports.txt"))
	if err != nil || string(saved) != "igb KERNEL\nMTU 1500\n" {
		t.Errorf("%q, %v", saved, err)
	}
	d.Text = "igb 7.3.4\nMTU 9000\n"
	l.doctored(d, r)
	if len(r.Doctor) != 1 || !strings.HasSuffix(r.Doctor[0], "(-):\n-MTU 1500\n+MTU 9000") {
		t.Errorf("another MTU: %q", r.Doctor)
	}
	if list := r.problems(); len(list) < 1 || list[len(list)-1] != r.Doctor[0] {
		t.Errorf("no problem of the case: %q", list)
	}
}

func TestNameOfWhatIsKept(t *testing.T) {
	for suite, want := range map[string]string{stable: "e1000e", backports: "e1000e-backports"} {
		if got := (lane{Suite: suite, Driver: "igb"}).keptAs("e1000e"); got != want {
			t.Errorf("%s: %s, want %s", suite, got, want)
		}
	}
}
