package control_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"uelink/control"
	"uelink/control/controltest"
)

var validator = flag.Bool("openapi.validator", false,
	"TestOpenAPIIsValid runs the validator that deploy/openapi.mod pins, which go builds first")

var rewrite = flag.Bool("rewrite", false, "write docs/data/openapi.json")

// openAPIFile is the description of the API in the documents.
const openAPIFile = "../docs/data/openapi.json"

// described returns the description of the API as clients read it.
func described(t *testing.T) map[string]any {
	t.Helper()
	text, err := json.Marshal(control.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	d, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return d.(map[string]any)
}

func TestOpenAPIIsThatOfTheDocuments(t *testing.T) {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(control.OpenAPI()); err != nil {
		t.Fatal(err)
	}
	if *rewrite {
		if err := os.WriteFile(openAPIFile, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if is, err := os.ReadFile(openAPIFile); err != nil || !bytes.Equal(is, text.Bytes()) {
		t.Errorf("%s is not what the daemon serves (%v): go test ./control -rewrite", openAPIFile, err)
	}
}

// A validator of others has nothing to say against the description.
func TestOpenAPIIsValid(t *testing.T) {
	if !*validator {
		t.Skip("skipped, missing libopenapi-validator: make test-all installs it (-openapi.validator)")
	}
	cmd := exec.Command("go", "tool", "-modfile=deploy/openapi.mod", "validate", "docs/data/openapi.json")
	cmd.Dir = ".."
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	t.Logf("%s", out)
}

// operation is a request of the description.
type operation struct {
	method, path string
	of           map[string]any
}

// operations returns the requests of a description.
func operations(d map[string]any) (all []operation) {
	paths := d["paths"].(map[string]any)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		methods := paths[path].(map[string]any)
		for _, method := range slices.Sorted(maps.Keys(methods)) {
			all = append(all, operation{strings.ToUpper(method), path, methods[method].(map[string]any)})
		}
	}
	return all
}

// The list of requests at the head of the package's comment, the root of the API and the description name the same.
func TestEveryRequestIsListed(t *testing.T) {
	text, err := os.ReadFile("backend.go")
	if err != nil {
		t.Fatal(err)
	}
	var comment, description, root []string
	for _, m := range regexp.MustCompile(`(?m)^//\t([A-Z]+) +(/\S*)`).FindAllStringSubmatch(string(text), -1) {
		comment = append(comment, m[1]+" "+m[2])
	}
	ids := map[string]bool{}
	for _, o := range operations(described(t)) {
		description = append(description, o.method+" "+o.path)
		id := o.of["operationId"].(string)
		if ids[id] {
			t.Errorf("two requests are called %s", id)
		}
		ids[id] = true
	}
	response, body := start(t, nil).request(t, "GET", "/", "")
	var answer control.Root
	if err := json.Unmarshal([]byte(body), &answer); err != nil || response.StatusCode != 200 ||
		answer.Version != "v1" {
		t.Fatalf("%d %s", response.StatusCode, body)
	}
	for _, p := range answer.Paths {
		root = append(root, p.Method+" "+p.Path)
	}
	slices.Sort(comment)
	slices.Sort(description)
	slices.Sort(root)
	if !slices.Equal(comment, description) || !slices.Equal(root, description) {
		t.Errorf("the comment has\n%s\nthe root\n%s\nand the description\n%s", strings.Join(comment, "\n"),
			strings.Join(root, "\n"), strings.Join(description, "\n"))
	}
}

// strict makes unknown properties of objects an error, so that an answer has no field without a description.
func strict(v any) {
	switch v := v.(type) {
	case map[string]any:
		if _, is := v["properties"].(map[string]any); is && v["type"] == "object" {
			v["additionalProperties"] = false
		}
		for _, inner := range v {
			strict(inner)
		}
	case []any:
		for _, inner := range v {
			strict(inner)
		}
	}
}

// schemaOf returns the schema of the JSON in a response of a request; nil if it has none.
func schemaOf(t *testing.T, c *jsonschema.Compiler, o operation, status string) *jsonschema.Schema {
	t.Helper()
	response, have := o.of["responses"].(map[string]any)[status].(map[string]any)
	if !have {
		return nil
	}
	content, _ := response["content"].(map[string]any)
	if _, have := content["application/json"]; !have {
		return nil
	}
	path := strings.NewReplacer("~", "~0", "/", "~1").Replace(o.path)
	path = strings.NewReplacer("{", "%7B", "}", "%7D").Replace(path)
	s, err := c.Compile("http://uelinkd/openapi.json#/paths/" + path + "/" + strings.ToLower(o.method) + "/responses/" +
		status + "/content/application~1json/schema")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Every request of the description is known to the daemon, and every answer is as described.
func TestAnswersAreAsDescribed(t *testing.T) {
	d := described(t)
	strict(d)
	c := jsonschema.NewCompiler()
	if err := c.AddResource("http://uelinkd/openapi.json", d); err != nil {
		t.Fatal(err)
	}
	fine := start(t, controltest.Ports())
	bridged := startWith(t, controltest.NewBridged(), controltest.NewTroubled())
	values := strings.NewReplacer("{port}", "link0", "{name}", "default", "{bridge}", "br0", "{vc}", "1")
	queries := map[string]string{
		"/v1/sai/oids": "?type=1", "/v1/sai/capability": "?type=1&id=0", "/v1/sai/statistics": "?type=1",
	}
	good := 0
	for _, o := range operations(d) {
		streams := !strings.Contains(textOf(t, o.of["responses"]), "application/json\"") ||
			strings.Contains(textOf(t, o.of["responses"]), "ndjson") ||
			strings.Contains(textOf(t, o.of["responses"]), "pcapng")
		if streams {
			continue // TestWatch, TestFrames and TestSAIWatch have them
		}
		for _, daemon := range []*daemon{fine, bridged} {
			body := ""
			if o.of["requestBody"] != nil {
				body = "{}"
			}
			response, answer := daemon.request(t, o.method, values.Replace(o.path)+queries[o.path], body)
			status := "200"
			switch {
			case response.StatusCode == http.StatusNoContent && o.of["responses"].(map[string]any)["204"] != nil:
				good++
				continue
			case response.StatusCode >= 300:
				status = "default"
			}
			if strings.Contains(answer, "no such path") || response.StatusCode == http.StatusMethodNotAllowed ||
				response.StatusCode >= 500 {
				t.Errorf("%s %s: %d %s", o.method, o.path, response.StatusCode, answer)
				continue
			}
			s := schemaOf(t, c, o, status)
			if s == nil {
				t.Errorf("%s %s: %d is not described: %s", o.method, o.path, response.StatusCode, answer)
				continue
			}
			v, err := jsonschema.UnmarshalJSON(strings.NewReader(answer))
			if err == nil {
				err = s.Validate(v)
			}
			if err != nil {
				t.Errorf("%s %s: %v\n%.300s", o.method, o.path, err, answer)
			}
			if status == "200" {
				good++
			}
		}
	}
	if good < 60 {
		t.Errorf("%d requests were carried out", good)
	}
}

// textOf returns a value as JSON.
func textOf(t *testing.T, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
