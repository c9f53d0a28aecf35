package web

import (
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"

	"uelink/control/controltest"
	"uelink/dataplane/model"
)

// A stream begins with the whole page. Then come the parts that change, and the whole page again after a reload that
// adds a port.
func TestStreamHasWhatChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &daemon{ports: controltest.Ports()}
		s := serve(t, d)
		r := s.open()
		defer r.conn.Close()
		if event, text := r.next(); event != "all" || !strings.Contains(text, `id="port-link0"`) {
			t.Fatalf("%s: %s", event, text)
		}
		d.set(func() { d.ports[2].Fault = "on fire" })
		seen := map[string]bool{}
		for text := ""; !strings.Contains(text, "on fire"); {
			event, html := r.next()
			if event != "part" {
				t.Fatalf("an event %q", event)
			}
			text = html
			_, rest, _ := strings.Cut(text, `id="`)
			id, _, _ := strings.Cut(rest, `"`)
			seen[id] = true
		}
		if !seen["head"] || !seen["status"] {
			t.Errorf("the parts that changed: %v", seen)
		}
		d.set(func() { d.ports = d.ports[:1] })
		for {
			if event, text := r.next(); event == "all" {
				if strings.Contains(text, "port-link0") {
					t.Error("the port is still there")
				}
				break
			} else if event == "" {
				t.Fatal("the stream has ended")
			}
		}
	})
}

// One page more than may be open closes the oldest, which says why.
func TestOldestStreamIsClosed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, &daemon{ports: controltest.Ports()})
		var all []*reading
		for range mostStreams {
			r := s.open()
			all = append(all, r)
			go io.Copy(io.Discard, r.body)
		}
		last := make(chan string, 1)
		oldest := all[0]
		_ = oldest.conn.Close()
		synctest.Wait()
		if n := s.streams.count(); n != mostStreams-1 {
			t.Errorf("%d streams after one has gone", n)
		}
		watched := s.open() // the newest, and the oldest after mostStreams - 1 more
		go func() {
			for {
				event, text := watched.next()
				if event == "replaced" || event == "" {
					last <- event + ": " + text
					return
				}
			}
		}()
		for range mostStreams {
			r := s.open()
			all = append(all, r)
			go io.Copy(io.Discard, r.body)
		}
		if got := <-last; !strings.HasPrefix(got, "replaced: 256 newer windows have this page open") {
			t.Errorf("the last event of a stream: %q", got)
		}
		synctest.Wait()
		if n := s.streams.count(); n != mostStreams {
			t.Errorf("%d streams", n)
		}
		for _, r := range append(all, watched) {
			_ = r.conn.Close()
		}
	})
}

// A browser that reads nothing is cut off, and nobody waits for it.
func TestSlowReader(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := serve(t, &daemon{ports: controltest.Ports()})
		slow, quick := s.open(), s.open()
		defer slow.conn.Close()
		defer quick.conn.Close()
		quick.next()
		began := time.Now()
		for range 3 {
			if event, _ := quick.next(); event != "part" {
				t.Errorf("the other browser gets %q", event)
			}
		}
		if waited := time.Since(began); waited > 3*refreshEvery {
			t.Errorf("the other browser has waited %v", waited)
		}
		go io.Copy(io.Discard, quick.body)
		time.Sleep(writeTimeout + refreshEvery)
		synctest.Wait()
		if n := s.streams.count(); n != 1 {
			t.Errorf("%d streams", n)
		}
	})
}

// The number of open pages adds no look at the ports, and a page that is loaded again and again one a second at most.
func TestLooksAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &daemon{ports: controltest.Ports()}
		s := serve(t, d)
		looks := func(during time.Duration) int {
			time.Sleep(time.Millisecond) // after a tick, not at it
			synctest.Wait()
			before := d.looked()
			time.Sleep(during)
			synctest.Wait()
			return d.looked() - before
		}
		if n := looks(20 * time.Second); n != int(20*time.Second/sampleEvery) {
			t.Errorf("%d looks in 20 s without readers", n)
		}
		for range 200 {
			r := s.open()
			defer r.conn.Close()
			go io.Copy(io.Discard, r.body)
		}
		if n := looks(20 * time.Second); n != int(20*time.Second/refreshEvery) {
			t.Errorf("%d looks in 20 s with 200 readers", n)
		}
		before := d.looked()
		for range 100 {
			s.ask("GET", "/")
		}
		if n := d.looked() - before; n > 1 {
			t.Errorf("%d looks for 100 pages at once", n)
		}
	})
}

// A page that gets no news for a while learns that the daemon is still there.
func TestPageWithoutNews(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &served{NewServer((&daemon{}).source(), nil, zap.NewNop()), t, newInMemory(), nil}
		go s.http.Serve(s.l) // without the sampler
		r := s.open()
		r.next()
		began := time.Now()
		for range 2 {
			if event, _ := r.next(); event != "still" {
				t.Errorf("an event %q", event)
			}
		}
		if took := time.Since(began); took != 2*heartbeatEvery {
			t.Errorf("two beats in %v", took)
		}
		s.stop()
		synctest.Wait()
		r.conn.Close()
		s.http.Close()
	})
}

// Pages with much on them change less often.
func TestLargePagesChangeLessOften(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ports []model.PortState
		for i := range 50 {
			p := controltest.Ports()[2]
			p.Name = fmt.Sprintf("link%d", i)
			ports = append(ports, p)
		}
		d := &daemon{ports: ports}
		s := newSampler(d.source(), newBoard(), func() int { return 200 })
		step := func() { // the counters of all ports change
			d.set(func() {
				for i := range d.ports {
					d.ports[i].QueuedFrames++
				}
			})
			s.tick(false)
		}
		step()
		step()
		octets, before := s.board.size(), s.board.edition
		const ticks = 60
		for range ticks {
			step()
		}
		editions := int(s.board.edition - before)
		if sent := editions * octets * 200 / ticks; editions == 0 || sent > octetsPerRefresh {
			t.Errorf("%d editions of %d octets: %d octets in %v", editions, octets, sent, refreshEvery)
		}
	})
}

// A page that is open for hours makes the daemon no larger, once the curves have their ten minutes.
func TestPageThatStaysOpen(t *testing.T) {
	stretch := time.Hour
	if testing.Short() {
		stretch = 2 * time.Minute
	}
	synctest.Test(t, func(t *testing.T) {
		d := &daemon{ports: controltest.Ports()[2:]}
		s := serve(t, d)
		r := s.open()
		defer r.conn.Close()
		go io.Copy(io.Discard, r.body)
		later := func() uint64 { // the heap after a time in which every tick has news
			for range int(stretch / refreshEvery) {
				d.set(func() {
					d.ports[0].Counters.TxFrames += 1000
					e := model.Event{Time: time.Now(), Port: "link0", Kind: "notice", Text: time.Now().String()}
					d.events = append(d.events[max(0, len(d.events)-3):], e)
				})
				time.Sleep(refreshEvery)
			}
			synctest.Wait()
			runtime.GC()
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			return m.HeapAlloc
		}
		first := later()
		later()
		last := later()
		if s.board.edition < uint64(3*stretch/refreshEvery) {
			t.Errorf("%d editions", s.board.edition)
		}
		if last > first+256<<10 {
			t.Errorf("the heap has grown from %d to %d octets", first, last)
		}
		t.Logf("heap after %v %d octets, after %v %d; %d editions", stretch, first, 3*stretch, last, s.board.edition)
	})
}
