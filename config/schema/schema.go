// Package schema reads YAML strictly into Go values, by a table of the allowed keys.
//
// A table is written once. The reader with its defaults and errors (Section.Decode), a reference in Markdown
// (Section.Reference) and a JSON Schema for editors (Section.JSONSchema) are all made from the table, so that they
// cannot disagree:
//
//	type server struct {
//		listen  string
//		workers int
//	}
//	keys := schema.Section[server]{
//		schema.Required("listen", schema.Name(), "Address to listen on.", func(s *server) *string { return &s.listen }),
//		schema.Value("workers", schema.Whole(1, 8), "1", "Number of threads.", func(s *server) *int { return &s.workers }),
//	}
//	var s server
//	walk, _ := keys.Decode([]byte("listen: here"), &s)
//	err := walk.Err("server.yaml")
//
// Decode finds every problem of a document in one pass, each with its line and column.
package schema

// Section is the keys of a mapping that fills a T.
type Section[T any] []Field[T]

// Decode fills into from a document, with defaults for the keys left out. The returned Walk holds the problems found,
// and the position of each value for later checks between values. The bool reports whether later checks make sense:
// false if the document could not be read at all, or has more problems than are kept.
func (s Section[T]) Decode(data []byte, into *T) (*Walk, bool) {
	w := newWalk()
	root := w.open(data)
	if root != nil {
		s.read(w, "", root, into)
	}
	return w, root != nil && w.more == 0
}

// Defaults sets the values of into to the default of every key of the section.
func (s Section[T]) Defaults(into *T) {
	for _, f := range s {
		f.missing(newWalk(), f.Key, into)
	}
}

// Keys returns the names of the section's keys.
func (s Section[T]) Keys() []string {
	keys := make([]string, len(s))
	for i, f := range s {
		keys[i] = f.Key
	}
	return keys
}
