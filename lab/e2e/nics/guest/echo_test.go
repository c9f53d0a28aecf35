package guest

import (
	"errors"
	"testing"
	"time"

	"uelink/config"
	"uelink/internal/netns/nstest"
)

// Conversations with an echo server in a namespace of its own.
func TestConversations(t *testing.T) {
	ns := nstest.New(t, "echo")
	if err := errors.Join(ns.SetLink("lo", true), serveEcho(ns)); err != nil {
		t.Fatal(err)
	}
	const near = "127.0.0.1"
	talk, err := talkTo(ns, near, 0)
	if err != nil {
		t.Fatal(err)
	}
	var echoes uint64
	if err := within(resumption, "answers", func() string {
		n, _, broken := talk.collect()
		if echoes += n; echoes < 100 {
			return errors.Join(broken, errors.New("too few")).Error()
		}
		return ""
	}); err != nil {
		t.Error(err)
	}
	if both, err := talk.end(); err != nil || both.Again > 0 {
		t.Errorf("%+v, %v", both, err)
	}
	if p, err := ping(ns, near, 100, time.Minute); err != nil || p.sent != 100 || p.lost > 0 || p.slowest <= 0 {
		t.Errorf("%+v, %v", p, err)
	}
	const most = 1 << 20
	if sent, both, err := bulk(ns, near, most, time.Minute); err != nil || sent != most || both.Again > 0 {
		t.Errorf("%d octets, %+v, %v", sent, both, err)
	}
}

// A connection that breaks is told of, and does not go on.
func TestConversationThatBreaks(t *testing.T) {
	ns := nstest.New(t, "echo")
	if err := errors.Join(ns.SetLink("lo", true), serveEcho(ns)); err != nil {
		t.Fatal(err)
	}
	talk, err := talkTo(ns, "127.0.0.1", 0)
	if err != nil {
		t.Fatal(err)
	}
	talk.connection.Close()
	<-talk.ended
	if _, _, err := talk.collect(); err == nil {
		t.Error("a closed connection is said to live")
	}
}

func TestComparisonWithTheCleanWire(t *testing.T) {
	for _, c := range []struct {
		name   string
		e      Echo
		clean  *Echo
		failed bool
	}{
		{"the clean wire itself", Echo{Resent: Resent{Again: 9}}, nil, false},
		{"as many", Echo{Resent: Resent{Again: 2}}, &Echo{Resent: Resent{Again: 2}}, false},
		{"more", Echo{Resent: Resent{Again: 3}}, &Echo{Resent: Resent{Again: 2}}, true},
		{"more that were late", Echo{Resent: Resent{Again: 3, Needless: 3}}, &Echo{}, false},
		{"more that were late, and one that was lost", Echo{Resent: Resent{Again: 4, Needless: 3}}, &Echo{}, true},
		{"a datagram is lost", Echo{Lost: 1}, nil, true},
	} {
		if err := c.e.comparedWith(c.clean); (err != nil) != c.failed {
			t.Errorf("%s: %v", c.name, err)
		}
	}
}

func TestResentSinceAnotherTime(t *testing.T) {
	got := Resent{Again: 5, Needless: 3}.more(Resent{Again: 2}).since(Resent{Again: 4, Needless: 1})
	if want := (Resent{Again: 3, Needless: 2}); got != want || got.lost() != 1 {
		t.Errorf("%+v, %d lost; want %+v, 1 lost", got, got.lost(), want)
	}
}

func TestStepsOfANICInUse(t *testing.T) {
	const second = time.Second
	for _, c := range []struct {
		name       string
		cell       Cell
		err        error
		stall, own time.Duration
		want       string
	}{
		{name: "short waits", stall: second, want: Clean},
		{name: "a long wait", stall: 2 * second, want: Failed},
		{name: "as long as the driver needs", stall: 3 * second, own: 2 * second, want: Exempt},
		{name: "longer", stall: 4 * second, own: 2 * second, want: Failed},
		{name: "a connection breaks", err: errors.New("reset"), want: Failed},
		{name: "a frame is lost", cell: Cell{Fault: stepFrames, Lost: 1}, want: Failed},
		{name: "it was in memory", cell: Cell{Fault: stepKill, Lost: 1}, want: Clean},
		{name: "a frame came twice", cell: Cell{Fault: stepKill, Duplicated: 1}, want: Failed},
	} {
		if c.cell.judgeStep(c.err, c.stall, c.own); c.cell.Outcome != c.want || (c.cell.Why == "") != (c.want == Clean) {
			t.Errorf("%s: %+v, want %s", c.name, c.cell, c.want)
		}
	}
}

func TestConfigurationOnTheHostsNICIsValid(t *testing.T) {
	for _, task := range []Task{{}, {Link: "promiscuous: true"}, {Link: "encapsulation: addressed"}} {
		if _, err := config.Parse("uelink.yaml", []byte(hosted("A", nil, 1, task).text)); err != nil {
			t.Errorf("%+v: %v", task, err)
		}
	}
}
