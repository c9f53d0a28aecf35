package config

import (
	"os"
	"time"

	"go.uber.org/zap/zapcore"

	"uelink/config/schema"
	"uelink/dataplane"
	"uelink/dataplane/model"
	"uelink/llr"
)

// defaultProfile is the LLR profile that exists without being configured.
const defaultProfile = "default"

// rootFields returns the schema of the whole configuration.
func rootFields() schema.Section[document] {
	return schema.Section[document]{
		schema.Nested("log", "Log output, on standard error.", logFields(),
			func(c *document) *Log { return &c.Log }),
		schema.Nested("control", "Socket that the control tool and the API use.", controlFields(),
			func(c *document) *Control { return &c.Control }),
		schema.Nested("metrics", "Prometheus metrics.", metricsFields(),
			func(c *document) *Metrics { return &c.Metrics }),
		schema.Nested("web", "A page for browsers, which shows the links and changes nothing.", webFields(),
			func(c *document) *Web { return &c.Web }),
		schema.Nested("sai", "What clients of SAI may do.", saiRootFields(),
			func(c *document) *SAI { return &c.SAI }),
		schema.Value("workers", schema.Whole(1, 256), "1", "OS threads that move frames. All ports of one bridge or xconnect share a thread.",
			func(c *document) *int { return &c.Settings.Workers }),
		schema.Value("spin", schema.Duration(0, time.Second), "50us", "How long a worker thread polls after its last work before it sleeps. Meanwhile threads that wait for its CPU run first.",
			func(c *document) *time.Duration { return &c.Settings.Spin }),
		schema.Value("real_time", schema.Boolean(), "false",
			"Allow the real-time classes SCHED_FIFO and SCHED_RR. A worker in such a class sleeps 50 µs of each ms. `false`: uelinkd refuses to start in such a class, and a worker that is put into one later goes back to SCHED_OTHER.",
			func(c *document) *bool { return &c.Settings.RealTime }),
		schema.Value("drain_timeout", schema.Duration(0, 10*time.Minute), "2s",
			"How long a stopping daemon, or a link whose LLR is switched off, waits for LLR to deliver unacknowledged frames.",
			func(c *document) *time.Duration { return &c.Settings.DrainTimeout }),
		schema.Named("llr_profiles", "LLR profiles by name. `default` exists with the defaults below, unless you write one.", profileFields(),
			func(c *document) *map[string]llr.Profile { return &c.Settings.Profiles }),
		schema.Named("cbfc_profiles", "Credit profiles of virtual channels by name, under SAI's names.", creditProfileFields(),
			func(c *document) *map[string]cbfcProfile { return &c.credits }),
		schema.Nested("qos", "QoS maps and schedulers. Ports refer to them by name.", qosFields(),
			func(c *document) *qosEntry { return &c.qos }),
		schema.Nested("trimming",
			"Packet trimming: a frame that finds no room in a queue with `packet_discard_action: trim` is cut short instead of dropped. Off without this section.",
			trimFields(), func(c *document) *trimEntry { return &c.trimming }),
		schema.Nested("lldp", "Data of this station that LLDP sends.", stationFields(),
			func(c *document) *lldpStation { return &c.station }),
		schema.List("ports", "The ports.", portFields(),
			func(c *document) *[]portEntry { return &c.ports }),
		schema.List("xconnects", "Pairs of an edge port and a link port.", xconnectFields(),
			func(c *document) *[]dataplane.XConnect { return &c.Settings.XConnects }),
		schema.List("bridges", "Learning bridges over ports of role link and edge.", bridgeFields(),
			func(c *document) *[]bridgeEntry { return &c.bridges }),
	}
}

// logFields returns the schema of the configuration key log.
func logFields() schema.Section[Log] {
	return schema.Section[Log]{
		schema.Value("level", schema.Choice(zapcore.DebugLevel, zapcore.InfoLevel, zapcore.WarnLevel, zapcore.ErrorLevel), "info",
			"Least severe message that is logged.",
			func(l *Log) *zapcore.Level { return &l.Level }),
		schema.Value("format", schema.Choice(LogAuto, LogConsole, LogJSON), "auto", "`auto`: console on a terminal, JSON otherwise.",
			func(l *Log) *LogFormat { return &l.Format }),
	}
}

// controlFields returns the schema of the configuration key control.
func controlFields() schema.Section[Control] {
	return schema.Section[Control]{
		schema.Value("socket", socketPath(), "/run/uelink/uelink.sock", "Unix socket of the API.",
			func(c *Control) *string { return &c.Socket }),
		schema.Value("mode", fileMode(), "0660", "Permissions of the socket.",
			func(c *Control) *os.FileMode { return &c.Mode }),
		schema.Value("group", groupName(), "", "Group that owns the socket, by name or id; empty = the daemon's.",
			func(c *Control) *string { return &c.Group }),
		schema.Nested("ports", "Who may add ports by the API: root and the daemon's user, and those named here.",
			controlPortsFields(), func(c *Control) *ControlPorts { return &c.Ports }),
	}
}

// controlPortsFields returns the schema of the configuration key control.ports.
func controlPortsFields() schema.Section[ControlPorts] {
	return schema.Section[ControlPorts]{
		schema.Value("group", groupName(), "",
			"Group whose processes may add ports on `interfaces`, change and remove them, by name or id; empty = none. They cannot name files (`capture`).",
			func(c *ControlPorts) *string { return &c.Group }),
		schema.Scalars("interfaces", interfacePattern(), 0, "",
			"Patterns of the interfaces on which the group may add ports, as of a shell: `pod*`.",
			func(c *ControlPorts, list []string) { c.Interfaces = list }),
		schema.Value("max", schema.Whole(0, 4096), "1000", "Largest number of ports that the API adds.",
			func(c *ControlPorts) *int { return &c.Max }),
	}
}

func metricsFields() schema.Section[Metrics] {
	return schema.Section[Metrics]{
		schema.Value("listen", listenAddress(), "", "Address that serves `/metrics`; empty = off.",
			func(m *Metrics) *string { return &m.Listen }),
	}
}

func saiRootFields() schema.Section[SAI] {
	return schema.Section[SAI]{
		schema.Value("manage_interfaces", schema.Boolean(), "false",
			"Clients may set MTU and ADMIN_STATE of a port. The values then act on the interface of the port, and the daemon restores the former values at its end. `false`: only the present values are accepted. The host's end of an edge is never touched.",
			func(s *SAI) *bool { return &s.ManageInterfaces }),
	}
}

// xconnectFields returns the schema of an element of the configuration key xconnects.
func xconnectFields() schema.Section[dataplane.XConnect] {
	return schema.Section[dataplane.XConnect]{
		schema.Required("edge", schema.Name(), "Name of the edge port.", func(x *dataplane.XConnect) *string { return &x.Edge }),
		schema.Required("link", schema.Name(), "Name of the link port.", func(x *dataplane.XConnect) *string { return &x.Link }),
		schema.Value("link_loss", schema.Choice(model.LinkLossIgnore, model.LinkLossForward), "ignore",
			"`forward`: while the link is lost, the host of the edge has no carrier, so that bonds, bridges and routing daemons there use another way: the daemon sets the interface of the edge down, and up again with the link. [OPERATING.md](OPERATING.md#a-lost-link-and-the-hosts-carrier) says which hosts see that. `ignore`: the carrier stays.",
			func(x *dataplane.XConnect) *model.LinkLoss { return &x.LinkLoss }),
		schema.Value("link_loss_delay", schema.Duration(100*time.Millisecond, time.Hour), "2s",
			"With `link_loss: forward`: how long the link must be without carrier or partner before the host's carrier goes. The time in which a partner restarts as announced, or is silent for less than `hold_timeout`, does not count.",
			func(x *dataplane.XConnect) *time.Duration { return &x.LinkLossDelay }),
	}
}
