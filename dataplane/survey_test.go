package dataplane

import (
	"testing"

	"uelink/dataplane/model"
)

// A survey ends when a check has lost the interface, because the sockets could not be opened again.
func TestSurveyEndsWithoutAnInterface(t *testing.T) {
	l := newLinkBed(t, func(*model.PortSettings) {})
	g := l.a.groups[0]
	for _, name := range []string{"la", "ea"} {
		a, checks := g.member(name), 0
		s := survey{g, a, surveyEvery}
		s.inOrder(
			func() { checks++ },
			func() { g.detach(a) },
			func() { checks++ },
		)
		if checks != 1 {
			t.Errorf("%s: %d checks, want 1", name, checks)
		}
		s.runSlow(l.link(name))
		s.run()
		l.must(g.attach(a))
	}
}
