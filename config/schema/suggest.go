package schema

import "uelink/internal/spelling"

// suggest returns ": did you mean KEY?" with the key most like an unknown key, at most 2 edits away; else "".
func (s Section[T]) suggest(key string) string {
	keys := make([]string, len(s))
	for i, f := range s {
		keys[i] = f.Key
	}
	if near := spelling.Nearest(key, keys); near != "" {
		return ": did you mean " + near + "?"
	}
	return ""
}
