package config

// Reference returns a table in Markdown: every key with its values, default and meaning, and the cost of changing it
// by a reload.
func Reference() string { return rootFields().Reference("reload", costOf) }

// JSONSchema returns a JSON Schema (draft 7) of a configuration. With it an editor completes keys, shows their
// meaning and refuses unknown keys.
func JSONSchema() string {
	return rootFields().JSONSchema("uelink.yaml", "Configuration of uelinkd, the daemon of uelink.")
}
