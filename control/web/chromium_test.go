package web

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"
)

// chromium is a browser without a window, with one tab, driven over a pipe by the Chrome DevTools Protocol: each
// message is JSON and an octet 0.
type chromium struct {
	t       *testing.T
	session string
	to      io.WriteCloser

	mu      sync.Mutex
	number  int
	waiting map[int]chan reply
	wrong   []string // what the page has logged, and exceptions in it
}

// reply is a message of the browser: an answer to a call, or an event.
type reply struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct{ Message string }
}

// patience bounds the wait for the browser.
const patience = 60 * time.Second

// startChromium starts a browser, which ends with the test. In it, evil.example is this host.
func startChromium(t *testing.T) *chromium {
	t.Helper()
	program, err := exec.LookPath("chromium-headless-shell")
	if err != nil {
		t.Fatalf("%v: make web-deps", err)
	}
	fromUs, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, toUs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(program, "--no-sandbox", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir(),
		"--disable-gpu", "--hide-scrollbars", "--host-resolver-rules=MAP evil.example 127.0.0.1", "about:blank")
	cmd.ExtraFiles = []*os.File{fromUs, toUs} // its descriptors 3 and 4
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = fromUs.Close(), toUs.Close()
	c := &chromium{t: t, to: to, waiting: map[int]chan reply{}}
	var reading sync.WaitGroup
	reading.Go(func() { c.read(from) })
	t.Cleanup(func() {
		c.session = ""
		c.call("Browser.close", nil)
		reading.Wait()
		_, _ = to.Close(), from.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("chromium: %v", err)
		}
	})
	var target struct{ TargetID string }
	c.result(c.call("Target.createTarget", map[string]any{"url": "about:blank"}), &target)
	var attached struct{ SessionID string }
	c.result(c.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}), &attached)
	c.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Accessibility"} {
		c.call(domain+".enable", nil)
	}
	return c
}

// read hands the answers of the browser to those who wait for them, and notes what goes wrong in the page.
func (c *chromium) read(from io.Reader) {
	text := bufio.NewReader(from)
	for {
		octets, err := text.ReadBytes(0)
		if err != nil {
			return
		}
		var r reply
		if err := json.Unmarshal(octets[:len(octets)-1], &r); err != nil {
			continue
		}
		c.mu.Lock()
		switch waiting := c.waiting[r.ID]; {
		case waiting != nil:
			delete(c.waiting, r.ID)
			waiting <- r
		case strings.HasPrefix(r.Method, "Log.entryAdded"), r.Method == "Runtime.exceptionThrown",
			r.Method == "Page.javascriptDialogOpening":
			c.wrong = append(c.wrong, string(r.Params))
		}
		c.mu.Unlock()
	}
}

// call calls a method of the browser and returns its result.
func (c *chromium) call(method string, params any) json.RawMessage {
	c.t.Helper()
	answer := make(chan reply, 1)
	c.mu.Lock()
	c.number++
	message := map[string]any{"id": c.number, "method": method}
	c.waiting[c.number] = answer
	c.mu.Unlock()
	if params != nil {
		message["params"] = params
	}
	if c.session != "" {
		message["sessionId"] = c.session
	}
	text, err := json.Marshal(message)
	if err == nil {
		_, err = c.to.Write(append(text, 0))
	}
	if err != nil {
		c.t.Fatalf("%s: %v", method, err)
	}
	select {
	case r := <-answer:
		if r.Error != nil {
			c.t.Fatalf("%s: %s", method, r.Error.Message)
		}
		return r.Result
	case <-time.After(patience):
		c.t.Fatalf("%s: no answer of the browser", method)
	}
	return nil
}

// result decodes the result of a call.
func (c *chromium) result(text json.RawMessage, to any) {
	c.t.Helper()
	if err := json.Unmarshal(text, to); err != nil {
		c.t.Fatal(err)
	}
}

// visit loads a page.
func (c *chromium) visit(url string) {
	c.t.Helper()
	c.call("Page.navigate", map[string]any{"url": url})
	c.await("document.readyState === 'complete' && location.href !== 'about:blank'")
}

// eval returns the value of an expression in the page.
func (c *chromium) eval(expression string) any {
	c.t.Helper()
	var r struct {
		Result           struct{ Value any }
		ExceptionDetails json.RawMessage
	}
	c.result(c.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true}), &r)
	if r.ExceptionDetails != nil {
		c.t.Fatalf("%s: %s", expression, r.ExceptionDetails)
	}
	return r.Result.Value
}

// await waits until an expression in the page is true.
func (c *chromium) await(expression string) {
	c.t.Helper()
	for end := time.Now().Add(patience); c.eval(expression) != true; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatalf("it never is: %s\n%v", expression, c.eval("document.body.innerText"))
		}
	}
}

// press presses a key.
func (c *chromium) press(key string) {
	c.t.Helper()
	codes := map[string]int{"Tab": 9, "Enter": 13, " ": 32}
	text := map[string]string{"Enter": "\r", " ": " "}[key]
	for _, is := range []string{"keyDown", "keyUp"} {
		event := map[string]any{"type": is, "key": key, "windowsVirtualKeyCode": codes[key]}
		if is == "keyDown" && text != "" {
			event["text"] = text
		}
		c.call("Input.dispatchKeyEvent", event)
	}
}

// node is a node of the accessibility tree.
type node struct {
	Ignored    bool
	Role, Name struct{ Value any }
	Properties []struct {
		Name  string
		Value struct{ Value any }
	}
}

func (n node) role() string { return fmt.Sprint(n.Role.Value) }

func (n node) name() string {
	if n.Name.Value == nil {
		return ""
	}
	return strings.TrimSpace(fmt.Sprint(n.Name.Value))
}

// is reports whether a property of the node, such as focusable, is true.
func (n node) is(property string) bool {
	for _, p := range n.Properties {
		if p.Name == property {
			return p.Value.Value == true
		}
	}
	return false
}

// tree returns the nodes of the accessibility tree that users of it meet.
func (c *chromium) tree() (nodes []node) {
	c.t.Helper()
	var r struct{ Nodes []node }
	c.result(c.call("Accessibility.getFullAXTree", nil), &r)
	for _, n := range r.Nodes {
		if !n.Ignored {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// screenshot returns the whole page as a PNG image.
func (c *chromium) screenshot() []byte {
	c.t.Helper()
	var r struct{ Data []byte }
	c.result(c.call("Page.captureScreenshot", map[string]any{"captureBeyondViewport": true}), &r)
	return r.Data
}
