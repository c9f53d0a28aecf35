package sonic

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// DB is the number of a database in SONiC's Redis.
type DB int

// The databases.
const (
	ApplDB        DB = 0
	CountersDB    DB = 2
	ConfigDB      DB = 4
	FlexCounterDB DB = 5
	StateDB       DB = 6
)

// DBs returns the Redis databases whose rows are read or written.
func DBs() []DB { return []DB{ApplDB, CountersDB, ConfigDB, FlexCounterDB, StateDB} }

// String returns SONiC's name of the database, such as "CONFIG_DB".
func (d DB) String() string {
	switch d {
	case ApplDB:
		return "APPL_DB"
	case CountersDB:
		return "COUNTERS_DB"
	case ConfigDB:
		return "CONFIG_DB"
	case FlexCounterDB:
		return "FLEX_COUNTER_DB"
	case StateDB:
		return "STATE_DB"
	}
	return fmt.Sprintf("DB %d", int(d))
}

// Key is the key of a row, with its database.
type Key struct {
	DB   DB
	Name string
}

// String returns the key with the name of its database, such as "CONFIG_DB LLR_PORT|Ethernet0".
func (k Key) String() string { return k.DB.String() + " " + k.Name }

// Row is the fields of a hash.
type Row map[string]string

// Rows is hashes by their keys. A nil row is of a key that Redis has with another type.
type Rows map[Key]Row

// put sets the given fields of the row with key k, and leaves out fields whose value is empty.
func (r Rows) put(k Key, fields Row) {
	for field, value := range fields {
		if value == "" {
			continue
		}
		if r[k] == nil {
			r[k] = Row{}
		}
		r[k][field] = value
	}
}

// Change is the change that turns a row into another one. Afterwards the row has none of the fields in Delete.
type Change struct {
	Key    Key
	Set    Row
	Delete []string
	Gone   bool // none of the fields of the row stays
}

// Changes returns the changes of rows that lead from old to current, sorted by key. A field whose value in old is empty
// counts as unknown, and is always set.
func Changes(old, current Rows) (list []Change) {
	keys := map[Key]bool{}
	for k := range old {
		keys[k] = true
	}
	for k := range current {
		keys[k] = true
	}
	for k := range keys {
		c := Change{Key: k, Set: Row{}, Gone: len(current[k]) == 0}
		for field, value := range current[k] {
			if old[k][field] != value {
				c.Set[field] = value
			}
		}
		for _, field := range slices.Sorted(maps.Keys(old[k])) {
			if _, stays := current[k][field]; !stays {
				c.Delete = append(c.Delete, field)
			}
		}
		if len(c.Set)+len(c.Delete) > 0 {
			list = append(list, c)
		}
	}
	slices.SortFunc(list, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.Key.DB, b.Key.DB), strings.Compare(a.Key.Name, b.Key.Name))
	})
	return list
}
