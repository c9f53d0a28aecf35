package machine

import (
	"errors"
	"testing"
)

func TestMirrorIsTheMainArchiveOfDebian(t *testing.T) {
	const archive = "http://mirror.example/debian/"
	for _, c := range []struct{ name, text, want string }{
		{"others come first", "Example\tstable\tmain\thttp://other.example/\n" +
			"Debian\tbookworm-security\tmain\thttp://mirror.example/debian-security/\n" +
			"Debian\tbookworm-updates\tmain\thttp://updates.example/\n" +
			"Debian\tbookworm\tcontrib\thttp://contrib.example/\n" +
			"Debian\tbookworm\tmain\t" + archive + "\n", archive},
		{"lists that were never fetched", "\t\tmain\t" + archive + "\n", ""},
		{"nothing", "", ""},
		{"another format", "Debian bookworm main\n", ""},
	} {
		got, err := parseTargets(c.text)
		if string(got) != c.want || errors.Is(err, errNoMirror) != (c.want == "") {
			t.Errorf("%s: %q, %v; want %q", c.name, got, err, c.want)
		}
	}
}

func TestSourceOfASuite(t *testing.T) {
	const want = "deb [signed-by=" + keyring + "] http://mirror.example/debian/ trixie-backports main"
	if got := Mirror("http://mirror.example/debian/").source("trixie-backports"); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
