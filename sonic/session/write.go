package session

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"

	"uelink/sonic"
)

// marker is the key of the row of STATE_DB that lists the rows written by this process: each field is the key of such a
// row, its value names the fields of that row. After a kill the next process finds there which rows to remove.
const marker = "UELINK_SONIC"

// writer writes rows, and only fields of its own.
type writer struct {
	db      databases
	own     bool // rows of other processes are taken over
	log     *zap.Logger
	written sonic.Rows        // values in Redis, by row and field; an empty value means not known
	marks   map[string]string // fields of the marker row that this process has written
	foreign map[string]bool   // fields of other processes that were logged
}

// newWriter returns a writer of rows to Redis. It reads from the marker row which rows an earlier process has written
// and, because it was killed, not removed.
func newWriter(ctx context.Context, db databases, own bool, log *zap.Logger) (*writer, error) {
	left, err := db[sonic.StateDB].HGetAll(ctx, marker).Result()
	if err != nil {
		return nil, err
	}
	w := &writer{db: db, own: own, log: log, written: sonic.Rows{}, marks: map[string]string{},
		foreign: map[string]bool{}}
	for name, fields := range left {
		number, key, _ := strings.Cut(name, " ")
		n, err := strconv.Atoi(number)
		if err != nil || db[sonic.DB(n)] == nil {
			continue
		}
		row := sonic.Row{}
		for field := range strings.SplitSeq(fields, ",") {
			row[field] = ""
		}
		w.written[sonic.Key{DB: sonic.DB(n), Name: key}] = row
	}
	return w, nil
}

// check verifies that Redis still has all rows that were written. If one is missing, after FLUSHALL or DEL, check
// makes the next write set all fields again.
func (w *writer) check(ctx context.Context) error {
	keys := map[sonic.DB][]string{}
	for k := range w.written {
		keys[k.DB] = append(keys[k.DB], k.Name)
	}
	for db, names := range keys {
		n, err := w.db[db].Exists(ctx, names...).Result()
		if err != nil {
			return err
		}
		if int(n) < len(names) {
			w.log.Warn("somebody has deleted rows that this process had written to Redis: all such rows are written again",
				zap.Stringer("database", db))
			w.forget()
			return nil
		}
	}
	return nil
}

// forget marks the values of all written fields as unknown, so the next write sets them again. The rows still belong to
// this process.
func (w *writer) forget() {
	clear(w.marks)
	for _, row := range w.written {
		for field := range row {
			row[field] = ""
		}
	}
}

// errForeign is the error of a first write that would change rows of another process.
var errForeign = errors.New("the Redis database has rows that another process has written")

// write changes the rows in Redis to rows, by setting and deleting only fields that differ. If first is true, rows of
// another process are an error; otherwise they are left alone and logged.
func (w *writer) write(ctx context.Context, rows sonic.Rows, first bool) error {
	foreign, err := w.foreignFields(ctx, rows)
	if err != nil {
		return err
	}
	if first && len(foreign) > 0 {
		return fmt.Errorf("%w, such as %s: end that process, or start with --own to take the rows over",
			errForeign, foreign[0])
	}
	w.logForeign(foreign)
	changes := sonic.Changes(w.written, rows)
	if len(changes) == 0 {
		return nil
	}
	// Redis knows which rows are this process's before they are there: after a crash the next process removes them.
	if err := w.mark(ctx, rows); err != nil {
		return err
	}
	for _, db := range sonic.DBs() {
		if err := w.apply(ctx, db, changes); err != nil {
			return err
		}
	}
	if err := errors.Join(w.settle(ctx, changes), w.unmark(ctx, changes)); err != nil {
		return err
	}
	w.written = rows
	return nil
}

// foreignFields removes from rows the fields that other processes have written to Redis, and returns the names of these
// fields, except in tables that processes share by design.
func (w *writer) foreignFields(ctx context.Context, rows sonic.Rows) (list []string, err error) {
	for _, k := range slices.SortedFunc(maps.Keys(rows), byKey) {
		fields := w.unowned(k, rows[k])
		if len(fields) == 0 || w.own && !sonic.Shared(k) {
			continue
		}
		values, err := w.db[k.DB].HMGet(ctx, k.Name, fields...).Result()
		if err != nil {
			return nil, err
		}
		for i, field := range fields {
			if values[i] == nil {
				continue
			}
			if delete(rows[k], field); !sonic.Shared(k) {
				list = append(list, k.String()+" "+field)
			}
		}
		if len(rows[k]) == 0 {
			delete(rows, k)
		}
	}
	return list, nil
}

// unowned returns, sorted, the names of a row's fields that this process has not written yet.
func (w *writer) unowned(k sonic.Key, row sonic.Row) (fields []string) {
	for _, field := range slices.Sorted(maps.Keys(row)) {
		if _, ours := w.written[k][field]; !ours {
			fields = append(fields, field)
		}
	}
	return fields
}

// logForeign logs, once each, the fields that are not changed because other processes have written them.
func (w *writer) logForeign(fields []string) {
	for _, field := range fields {
		if !w.foreign[field] {
			w.foreign[field] = true
			w.log.Warn("a field that another process has written is not changed: start with --own to take over such rows",
				zap.String("row", field))
		}
	}
}

// mark lists the keys and fields of rows in the marker row, before the rows are written: if this process is
// killed, the next one finds its rows there.
func (w *writer) mark(ctx context.Context, rows sonic.Rows) error {
	fields := map[string]string{}
	for k, row := range rows {
		all := maps.Clone(row)
		maps.Copy(all, w.written[k])
		text := strings.Join(slices.Sorted(maps.Keys(all)), ",")
		if mark := markOf(k); w.marks[mark] != text {
			fields[mark], w.marks[mark] = text, text
		}
	}
	if len(fields) == 0 {
		return nil
	}
	return w.db[sonic.StateDB].HSet(ctx, marker, fields).Err()
}

// unmark removes the names of deleted rows from the marker row.
func (w *writer) unmark(ctx context.Context, changes []sonic.Change) error {
	var removed []string
	for _, c := range changes {
		if c.Gone {
			removed = append(removed, markOf(c.Key))
			delete(w.marks, markOf(c.Key))
		}
	}
	if len(removed) == 0 {
		return nil
	}
	return w.db[sonic.StateDB].HDel(ctx, marker, removed...).Err()
}

// markOf returns the name of the field that stands for row k in the marker row: number of the database and key.
func markOf(k sonic.Key) string { return fmt.Sprintf("%d %s", int(k.DB), k.Name) }

// apply makes those of the changes that are in database db, in one Redis transaction, which also announces changes of
// APPL_DB to SONiC's consumers.
func (w *writer) apply(ctx context.Context, db sonic.DB, changes []sonic.Change) error {
	_, err := w.db[db].TxPipelined(ctx, func(p redis.Pipeliner) error {
		for _, c := range changes {
			if c.Key.DB != db {
				continue
			}
			if len(c.Delete) > 0 {
				p.HDel(ctx, c.Key.Name, c.Delete...)
			}
			if len(c.Set) > 0 {
				p.HSet(ctx, c.Key.Name, map[string]string(c.Set))
			}
			if table, key, ok := sonic.Produced(c.Key); ok {
				produce(ctx, p, table, key, c)
			}
		}
		return nil
	})
	return err
}

// produce adds to a transaction the commands that announce a change of a row of APPL_DB to SONiC's consumers, as
// ProducerStateTable does: the fields go to a row of their own and the key to a set, until a consumer removes them.
func produce(ctx context.Context, p redis.Pipeliner, table, key string, c sonic.Change) {
	if len(c.Delete) > 0 {
		p.HDel(ctx, "_"+table+":"+key, c.Delete...)
	}
	if len(c.Set) > 0 {
		p.HSet(ctx, "_"+table+":"+key, map[string]string(c.Set))
	}
	if c.Gone {
		p.SAdd(ctx, table+"_DEL_SET", key)
	}
	p.SAdd(ctx, table+"_KEY_SET", key)
	p.Publish(ctx, channelOf(table), "G")
}

// channelOf returns the Redis channel on which SONiC's consumers of a table of APPL_DB are notified.
func channelOf(table string) string { return table + "_CHANNEL@0" }

// settle removes the keys of deleted rows from the producers' sets of APPL_DB if no consumer subscribes to the table,
// since nobody else would remove them.
func (w *writer) settle(ctx context.Context, changes []sonic.Change) error {
	c := w.db[sonic.ApplDB]
	for _, change := range changes {
		table, key, ok := sonic.Produced(change.Key)
		if !ok || !change.Gone {
			continue
		}
		readers, err := c.PubSubNumSub(ctx, channelOf(table)).Result()
		if err != nil {
			return err
		}
		if readers[channelOf(table)] > 0 {
			continue
		}
		for _, set := range []string{"_KEY_SET", "_DEL_SET"} {
			if err := c.SRem(ctx, table+set, key).Err(); err != nil {
				return err
			}
		}
	}
	return nil
}

func byKey(a, b sonic.Key) int { return strings.Compare(a.String(), b.String()) }
