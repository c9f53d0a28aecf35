package sonic

import (
	"strings"

	"uelink/sai"
)

// The names of tables, with the separator in front of the row's name where the whole key is built from the constant.
const (
	tablePort        = "PORT|"
	tableLLRPort     = "LLR_PORT|"
	tableLLRProfile  = "LLR_PROFILE|"
	tableCable       = "CABLE_LENGTH|"
	tableApplPort    = "LLR_PORT_TABLE"
	tableApplProfile = "LLR_PROFILE_TABLE"
	tableStatePort   = "PORT_TABLE|"
	tablePortState   = "LLR_PORT_STATE|"
)

// Names of fields that several places of the code use, and the words that are values of such fields.
const (
	fieldMode    = "llr_mode"
	fieldLocal   = "llr_local"
	fieldRemote  = "llr_remote"
	fieldProfile = "llr_profile"
	fieldSpeed   = "speed"
	fieldMTU     = "mtu"
	fieldAdmin   = "admin_status"

	enabled  = "enabled"
	disabled = "disabled"
	static   = "static"
	dynamic  = "dynamic"
)

// Keys of rows that a switch has only once, and not for each port or profile.
var (
	keyLLRConfig    = Key{ConfigDB, "LLR_CONFIG|GLOBAL"}
	keyFlexCounter  = Key{ConfigDB, "FLEX_COUNTER_TABLE|LLR"}
	keyCapability   = Key{StateDB, "SWITCH_CAPABILITY|switch"}
	keyCapabilities = Key{StateDB, "PORT_COUNTER_CAPABILITIES|LLR"}
	keyNameMap      = Key{CountersDB, "COUNTERS_PORT_NAME_MAP"}
)

// Initialized is the key that SONiC writes when it has loaded CONFIG_DB. The key is no hash: in Rows its row is empty.
var Initialized = Key{ConfigDB, "CONFIG_DB_INITIALIZED"}

func keyPort(port string) Key      { return Key{ConfigDB, tablePort + port} }
func keyLLRPort(port string) Key   { return Key{ConfigDB, tableLLRPort + port} }
func keyStatePort(port string) Key { return Key{StateDB, tableStatePort + port} }
func keyPortState(port string) Key { return Key{StateDB, tablePortState + port} }

// keyCounters returns the key of the row of COUNTERS_DB with the statistics of the port with SAI object oid.
func keyCounters(oid sai.OID) Key { return Key{CountersDB, "COUNTERS:" + oid.String()} }

// keyFlex returns the key of the row of FLEX_COUNTER_DB that lists the statistics of the port with SAI object oid.
func keyFlex(oid sai.OID) Key {
	return Key{FlexCounterDB, "FLEX_COUNTER_TABLE:LLR_PORT_STAT_COUNTER:" + oid.String()}
}

// Shared reports whether other processes of SONiC write the same fields of a row. Fields of such a row that already
// exist must be left alone.
func Shared(k Key) bool { return k.DB == StateDB && strings.HasPrefix(k.Name, tableStatePort) }

// Produced splits the key of a row of APPL_DB into table and key if SONiC's consumers read the table by the sets of
// its producers (ProducerStateTable); ok is false for every other row.
func Produced(k Key) (table, key string, ok bool) {
	table, key, ok = strings.Cut(k.Name, ":")
	return table, key, ok && k.DB == ApplDB && (table == tableApplPort || table == tableApplProfile)
}

// Reads returns the keys of the rows that Pass needs, and patterns of further keys in CONFIG_DB, such as
// "LLR_PROFILE|*".
func (m *Machine) Reads() (keys []Key, patterns []string) {
	keys = []Key{Initialized, keyLLRConfig, keyFlexCounter}
	for _, p := range m.ports {
		keys = append(keys, keyPort(p.Name), keyLLRPort(p.Name), keyStatePort(p.Name))
	}
	return keys, []string{tableLLRProfile + "*", tableCable + "*"}
}
