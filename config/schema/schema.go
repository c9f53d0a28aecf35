// Package schema reads YAML strictly into Go values, by a table of the keys that may be there.
//
// A table is written once. Of it come the reader with its defaults and its errors (Section.Decode),
// a reference in Markdown (Section.Reference) and a JSON Schema for editors (Section.JSONSchema),
// so that they cannot disagree:
//
//	type server struct {
//		listen  string
//		workers int
//	}
//	keys := schema.Section[server]{
//		schema.Required("listen", schema.Name(), "Where it listens.", func(s *server) *string { return &s.listen }),
//		schema.Value("workers", schema.Whole(1, 8), "1", "Its threads.", func(s *server) *int { return &s.workers }),
//	}
//	var s server
//	walk, _ := keys.Decode([]byte("listen: here"), &s)
//	err := walk.Err("server.yaml")
//
// Every problem of a document is found in one pass, each with its line and column.
package schema

// Section is the keys of a mapping that fills a T.
type Section[T any] []Field[T]

// Decode fills into from a document: what it says, and the defaults of what it leaves out. The walk
// holds the problems, and knows where each value stands, for checks between values. It is false
// when there is no sense in such checks: the document could not be read at all, or has more problems than are kept.
func (s Section[T]) Decode(data []byte, into *T) (*Walk, bool) {
	w := newWalk()
	root := w.open(data)
	if root != nil {
		s.read(w, "", root, into)
	}
	return w, root != nil && w.more == 0
}

// Defaults fills into as an empty mapping would.
func (s Section[T]) Defaults(into *T) {
	for _, f := range s {
		f.missing(newWalk(), f.Key, into)
	}
}

// Keys is the names of the keys.
func (s Section[T]) Keys() []string {
	keys := make([]string, len(s))
	for i, f := range s {
		keys[i] = f.Key
	}
	return keys
}
