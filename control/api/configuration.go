package api

// Configuration is the configuration file of the daemon, and what is in force.
type Configuration struct {
	File string `json:"file"`
	// text of the configuration when the daemon last read it, with the ports of the files beside it
	Text string `json:"text"`
	// the text with the changes that commands and SAI have made since; all else, comments too, is as in the file
	Running string   `json:"running"`
	Lost    []string `json:"lost"` // settings in force that the running text cannot express, each with the reason
	// the file cannot be read now, or has changes that the daemon has not read and that a reload would change
	Unread bool `json:"unread"`
	// the file itself, and those beside it: drop-ins, and ports made by the API
	Files []ConfigurationFile `json:"files"`
}

// ConfigurationFile is a file of the configuration.
type ConfigurationFile struct {
	File    string `json:"file"`
	Running string `json:"running"` // text of the file, with the changes that commands and SAI have made since
}
