package control

import (
	"encoding"
	"encoding/json"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"time"

	"uelink/control/api"
)

// object is an object of JSON.
type object = map[string]any

// OpenAPI returns the description of the API as an OpenAPI 3.1 document, generated from the table of requests and the
// Go types of their bodies and responses. Descriptions of fields are the comments at the fields in the source.
func OpenAPI() map[string]any {
	d := describer{schemas: object{}}
	paths := object{}
	for _, e := range (&Server{}).endpoints() {
		path := publicPath(e.path)
		if paths[path] == nil {
			paths[path] = object{}
		}
		paths[path].(object)[strings.ToLower(e.method)] = d.operation(e)
	}
	d.schema(reflect.TypeFor[api.Error]())
	return object{
		"openapi": "3.1.0",
		"info": object{
			"title":   "uelinkd",
			"version": "1",
			"summary": "Ultra Ethernet link layer in software",
			"description": "HTTP over the unix socket " + api.DefaultSocket + ", with JSON. A port is named by its name or by " +
				"its interface. Answers may get further fields.",
			"license": object{"name": "Apache-2.0", "identifier": "Apache-2.0"},
		},
		"servers":    []any{object{"url": "http://uelinkd", "description": "any host name, over the unix socket"}},
		"paths":      paths,
		"components": object{"schemas": d.schemas},
		"security":   []any{},
	}
}

// getOpenAPI responds with the OpenAPI description of the API.
func (s *Server) getOpenAPI(w http.ResponseWriter, _ *http.Request) error {
	return reply(w, http.StatusOK, OpenAPI())
}

// publicPath returns the path of an endpoint as clients write it: without the pattern "{$}" of net/http at its end.
func publicPath(path string) string { return strings.TrimSuffix(path, "{$}") }

// describer makes descriptions, and the schemas of the structs that they name.
type describer struct {
	schemas object
	request bool // the schemas are for the body of a request: a field that is missing counts as zero
}

// operation returns the description of a request: summary, parameters, body and answers.
func (d describer) operation(e endpoint) object {
	o := object{
		"summary":     e.summary,
		"operationId": operationID(e),
		"responses":   object{"default": d.content("A refused request", reflect.TypeFor[api.Error](), "application/json")},
	}
	switch {
	case e.answer == nil:
		o["responses"].(object)["204"] = object{"description": "Done"}
	case e.stream == "application/x-pcapng":
		o["responses"].(object)["200"] = object{"description": "Frames", "content": object{e.stream: object{}}}
	case e.stream != "":
		o["responses"].(object)["200"] = d.content("One object a line, until either side ends the stream", e.answer,
			e.stream)
	default:
		o["responses"].(object)["200"] = d.content("The answer", e.answer, "application/json")
	}
	if parameters := parametersOf(e); len(parameters) > 0 {
		o["parameters"] = parameters
	}
	if e.body != nil {
		body := describer{d.schemas, true}.content("", e.body, "application/json")
		delete(body, "description")
		body["required"] = true
		o["requestBody"] = body
	}
	return o
}

// operationID returns a unique name for a request, such as get_ports_port, by which client generators name the
// function that sends it.
func operationID(e endpoint) string {
	words := regexp.MustCompile(`\w+`).FindAllString(strings.TrimPrefix(publicPath(e.path), "/v1"), -1)
	return strings.Join(append([]string{strings.ToLower(e.method)}, words...), "_")
}

// parametersOf returns the OpenAPI parameters of a request: those in the path, such as {port}, and those of the
// query.
func parametersOf(e endpoint) (list []any) {
	for _, m := range regexp.MustCompile(`{(\w+)}`).FindAllStringSubmatch(e.path, -1) {
		list = append(list, object{"name": m[1], "in": "path", "required": true, "schema": object{"type": "string"}})
	}
	for _, p := range e.query {
		list = append(list, object{
			"name": p.name, "in": "query", "description": p.meaning, "required": p.required, "schema": object{"type": p.kind},
		})
	}
	return list
}

func (d describer) content(description string, t reflect.Type, contentType string) object {
	return object{
		"description": description,
		"content":     object{contentType: object{"schema": d.schema(t)}},
	}
}

// schema returns the JSON Schema of the JSON values into which encoding/json turns Go values of type t.
func (d describer) schema(t reflect.Type) object {
	switch {
	case t == reflect.TypeFor[time.Time]():
		return object{"type": "string", "format": "date-time"}
	case t.Implements(reflect.TypeFor[json.Marshaler]()):
		return object{}
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return object{"type": "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		return d.schema(t.Elem())
	case reflect.Bool:
		return object{"type": "boolean"}
	case reflect.Float32, reflect.Float64:
		return object{"type": "number"}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return object{"type": "integer"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return object{"type": "integer", "minimum": 0}
	case reflect.String:
		return object{"type": "string"}
	case reflect.Slice, reflect.Array:
		if t.Elem().Kind() == reflect.Uint8 && t.Kind() == reflect.Slice {
			return object{"type": "string"} // in base64
		}
		return object{"type": "array", "items": d.schema(t.Elem())}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": d.schema(t.Elem())}
	case reflect.Struct:
		return d.named(t)
	default:
		return object{} // anything
	}
}

// named returns a reference ($ref) to the schema of struct type t. At the first call for t it also creates the
// schema.
func (d describer) named(t reflect.Type) object {
	name := strings.NewReplacer("control/api.", "", "api.", "", "control.", "", "[", "_", "]", "", "/", ".", "*", "").
		Replace(t.String())
	if d.request {
		name += "Request"
	}
	if _, have := d.schemas[name]; !have {
		properties, required := object{}, []string{}
		s := object{"type": "object", "properties": properties}
		d.schemas[name] = s // stored before the fields are described: a field may refer to this schema
		d.fields(t, properties, &required)
		if len(required) > 0 && !d.request {
			s["required"] = required
		}
	}
	return object{"$ref": "#/components/schemas/" + name}
}

// fields adds the schemas of the fields of struct type t, and of structs embedded in it, to properties, and the names
// of fields that are always present to required.
func (d describer) fields(t reflect.Type, properties object, required *[]string) {
	for i := range t.NumField() {
		f := t.Field(i)
		key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case key == "-" || !f.IsExported() && !f.Anonymous:
			continue
		case f.Anonymous && key == "":
			d.fields(indirect(f.Type), properties, required)
			continue
		case key == "":
			key = f.Name
		}
		s := d.schema(f.Type)
		optional := strings.Contains(options, "omit")
		if f.Type.Kind() == reflect.Pointer && !optional {
			s = object{"anyOf": []any{s, object{"type": "null"}}}
		}
		if help := api.Help(t, f.Name); help != "" {
			s["description"] = help
		}
		properties[key] = s
		if !optional {
			*required = append(*required, key)
		}
	}
}

func indirect(t reflect.Type) reflect.Type {
	if t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}
