package control_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"uelink/control"
	"uelink/control/controltest"
)

// lists walks a value beside its schema, and calls null for each list that is null, with its place.
func lists(value any, schema, schemas map[string]any, place string, null func(place string)) {
	if name, ok := schema["$ref"].(string); ok {
		schema, _ = schemas[name[strings.LastIndex(name, "/")+1:]].(map[string]any)
	}
	switch v := value.(type) {
	case nil:
		if schema["type"] == "array" {
			null(place)
		}
	case []any:
		items, _ := schema["items"].(map[string]any)
		for _, item := range v {
			lists(item, items, schemas, place+"[]", null)
		}
	case map[string]any:
		properties, _ := schema["properties"].(map[string]any)
		for key, inner := range v {
			of, _ := properties[key].(map[string]any)
			lists(inner, of, schemas, place+"."+key, null)
		}
	}
}

// answerOf returns the schema of a successful answer to a request; nil if it is a stream, or has no body.
func answerOf(operation map[string]any) map[string]any {
	responses, _ := operation["responses"].(map[string]any)
	ok, _ := responses["200"].(map[string]any)
	content, _ := ok["content"].(map[string]any)
	answer, _ := content["application/json"].(map[string]any)
	schema, _ := answer["schema"].(map[string]any)
	return schema
}

// No list in an answer of the API is null, with ports and bridges and without.
func TestNoListIsNull(t *testing.T) {
	text, err := json.Marshal(control.OpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	var description struct {
		Paths      map[string]map[string]map[string]any
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(text, &description); err != nil {
		t.Fatal(err)
	}
	names := strings.NewReplacer("{port}", "link0", "{bridge}", "br0", "{name}", "default")
	answers := 0
	for what, d := range map[string]*daemon{
		"nothing": start(t, nil), "ports": start(t, controltest.Ports()),
		"bridges": startWith(t, controltest.NewBridged(), controltest.NewLLDP()),
		"trouble": startWith(t, controltest.New(nil, nil), controltest.NewTroubled()),
	} {
		for path, operations := range description.Paths {
			schema := answerOf(operations["get"])
			if schema == nil {
				continue
			}
			response, body := d.request(t, "GET", names.Replace(path), "")
			var value any
			if response.StatusCode != http.StatusOK || json.Unmarshal([]byte(body), &value) != nil {
				continue // this daemon has no such object
			}
			answers++
			lists(value, schema, description.Components.Schemas, path, func(place string) {
				t.Errorf("%s: %s is null", what, place)
			})
		}
	}
	if answers < 80 {
		t.Errorf("%d answers", answers)
	}
	list := map[string]any{"properties": map[string]any{"all": map[string]any{"type": "array"}}}
	found := 0
	lists(map[string]any{"all": nil}, list, nil, "", func(string) { found++ })
	if found != 1 {
		t.Error("a list that is null is not found")
	}
}
