package main

import (
	"github.com/spf13/cobra"

	"uelink/client"
	"uelink/cmd/uelink/doctor"
	"uelink/cmd/uelink/frames"
	"uelink/lab/cable"
	"uelink/lab/conformance"
	"uelink/lab/demo"
	"uelink/lab/traffic"
)

// section is a section of the help: commands of one subject.
type section struct {
	id, title string
	commands  []*cobra.Command
}

// sections returns the sections of the help with their commands, in the order of the help.
func (t *tool) sections() []section {
	return []section{
		{"operate", "Operate", []*cobra.Command{
			statusCommand(t), topCommand(t), eventsCommand(t), watchCommand(t), t.frames().Trace(),
			doctorCommand(t, doctor.Gather),
			configCommand(t), reloadCommand(t), confirmCommand(t), upgradeCommand(t), downCommand(t), supportCommand(t),
			group("log", "Show or set the level of the daemon's log", logLevelCommand(t)), versionCommand(t),
		}},
		{"ports", "Ports and links", []*cobra.Command{
			portCommand(t), llrCommand(t), pfcCommand(t), cbfcCommand(t), hippiCommand(t), queueCommand(t), qosCommand(t),
		}},
		{"switching", "Switching", []*cobra.Command{
			bridgeCommand(t), fdbCommand(t), vlanCommand(t), switchTrimmingCommand(t),
		}},
		{"discovery", "Discovery", []*cobra.Command{lldpCommand(t), dcbxCommand(t)}},
		{"try", "Try a link out", []*cobra.Command{
			demo.Command(), group("lab", "Start a link over a wire that stays until it is taken down", demo.LabCommands()...),
			cable.Command(), traffic.Command(), conformance.Command(), t.frames().Decode(),
		}},
		{"sonic", "SONiC", []*cobra.Command{
			saiCommand(t), sonicCommand(t), showCommand(t), sonicClearCommand(t),
		}},
	}
}

// frames returns the commands that show frames.
func (t *tool) frames() frames.Commands {
	return frames.Commands{JSON: func() bool { return t.output == asJSON }, Ask: t.ask, Ports: t.completePorts(false),
		Raw: rawOutput}
}

// llrCommand returns the commands of link layer retry.
func llrCommand(t *tool) *cobra.Command {
	return group("llr", "Show or change link layer retry",
		llrInterfaceCommand(t), llrProfileCommand(t), llrCountersCommand(t),
		llrModeCommand(t, "local", "Receive reliably: accept LLR_INIT (LLR_MODE_LOCAL)", (*client.Client).SetLLRLocal),
		llrModeCommand(t, "remote", "Transmit reliably: send LLR_INIT (LLR_MODE_REMOTE)",
			(*client.Client).SetLLRRemote),
		llrReinitCommand(t))
}

// addSections adds the commands of the sections to the root command. The commands of cobra itself are in the first
// section.
func addSections(root *cobra.Command, sections []section) {
	for _, s := range sections {
		root.AddGroup(&cobra.Group{ID: s.id, Title: s.title + ":"})
		for _, cmd := range s.commands {
			cmd.GroupID = s.id
			root.AddCommand(cmd)
		}
	}
	root.SetHelpCommandGroupID(sections[0].id)
	root.SetCompletionCommandGroupID(sections[0].id)
}
