package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

const schemaFile = "../docs/data/uelink.schema.json"

// TestJSONSchema keeps the schema that editors use in step with the keys.
func TestJSONSchema(t *testing.T) {
	golden(t, schemaFile, JSONSchema())
}

// compiled is the schema, ready to judge documents.
func compiled(t *testing.T) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(JSONSchema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("uelink.schema.json", doc); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("uelink.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// judge has the schema judge a document in YAML as an editor does.
func judge(t *testing.T, s *jsonschema.Schema, text []byte) error {
	t.Helper()
	var doc any
	if err := yaml.Load(text, &doc); err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	asJSON, err := json.Marshal(textKeys(doc))
	if err != nil {
		t.Fatalf("%s\n%v", text, err)
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		t.Fatal(err)
	}
	return s.Validate(v)
}

// textKeys is a document whose keys are text, as JSON has them.
func textKeys(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k := range v {
			v[k] = textKeys(v[k])
		}
	case map[any]any:
		all := map[string]any{}
		for k := range v {
			all[fmt.Sprint(k)] = textKeys(v[k])
		}
		return all
	case []any:
		for i := range v {
			v[i] = textKeys(v[i])
		}
	}
	return v
}

// The schema takes every document that is right: those of the tests, and the example.
func TestJSONSchemaTakesWhatIsRight(t *testing.T) {
	s := compiled(t)
	for _, file := range append(yamlFiles(t, "good"), "../deploy/uelink.yaml") {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := judge(t, s, data); err != nil {
			t.Errorf("%s: %v", file, err)
		}
	}
	for _, text := range goodValues() {
		if err := judge(t, s, []byte(text)); err != nil {
			t.Errorf("%s\n%v", text, err)
		}
	}
}

// It refuses keys that are not there, values of another kind, and what lacks a key.
func TestJSONSchemaRefuses(t *testing.T) {
	s := compiled(t)
	for text, want := range map[string]string{
		"worker: 1":                                 "'worker' not allowed",
		"workers: 257":                              "maximum: got 257, want 256",
		"workers: many":                             "got string, want integer",
		"spin: 50":                                  "maximum: got 50, want 0",
		"spin: long":                                "does not match pattern",
		"log: {level: loud}":                        "value must be one of 'debug', 'info', 'warn', 'error'",
		"log: {levels: info}":                       "'levels' not allowed",
		profile("max_replay_count: 0"):              "minimum: got 0, want 1",
		profile("re_init_on_flush: yes"):            "got string, want boolean",
		port("ring_size: 1000"):                     "value must be one of 64, 128",
		port("dcbx: {pg: {bandwidth: [100]}}"):      "minItems: got 1, want 8",
		port("llr: {mod: static}"):                  "'mod' not allowed",
		"ports: [{name: a, role: edge}]":            "missing property 'interface'",
		"llr_profiles: {a b: {}}":                   "does not match pattern",
		"qos: {dscp_to_tc_map: {m: {a: 1}}}":        "does not match pattern",
		"bridges: [{name: br0}]":                    "missing property 'ports'",
		"trimming: {dscp_value: 1, tc_value: high}": "got string, want integer",
	} {
		if err := judge(t, s, []byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s\n got %v\nwant %s", text, err, want)
		}
	}
}

// The example names the schema, so that an editor finds it in the tree and where it is published.
func TestExampleNamesTheSchema(t *testing.T) {
	data, err := os.ReadFile("../deploy/uelink.yaml")
	if err != nil {
		t.Fatal(err)
	}
	line, _, _ := strings.Cut(string(data), "\n")
	name, ok := strings.CutPrefix(line, "# yaml-language-server: $schema=")
	if !ok {
		t.Fatalf("the first line of deploy/uelink.yaml names no schema: %s", line)
	}
	if _, err := os.Stat(filepath.Join("../deploy", name)); err != nil {
		t.Error(err)
	}
}
