package api

// Configuration is the configuration file of the daemon, and what is in force.
type Configuration struct {
	File string `json:"file"`
	// of the file when the daemon read it last, with the ports of the files beside it
	Text string `json:"text"`
	// the text with what commands and SAI have changed since; all else, comments too, is as in the file
	Running string   `json:"running"`
	Lost    []string `json:"lost"` // what is in force and the running text cannot have, and why
	// the file cannot be read now, or has changes that the daemon has not read and that a reload would change
	Unread bool `json:"unread"`
	// the file itself, and those beside it: drop-ins, and ports made by the API
	Files []ConfigurationFile `json:"files"`
}

// ConfigurationFile is a file of the configuration.
type ConfigurationFile struct {
	File    string `json:"file"`
	Running string `json:"running"` // its text, with what commands and SAI have changed since
}
