package config

// Reference is every key with its values, default, meaning, and what it costs to change it by a reload, as a table in
// Markdown.
func Reference() string { return rootFields().Reference("reload", costOf) }

// JSONSchema is a JSON Schema (draft 7) of a configuration, for editors: it completes keys, shows their
// meaning and refuses those that are not there.
func JSONSchema() string {
	return rootFields().JSONSchema("uelink.yaml", "Configuration of uelinkd, the daemon of uelink.")
}
