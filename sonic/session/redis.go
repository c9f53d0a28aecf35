package session

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"uelink/sonic"
)

// redisTimeout bounds connecting to Redis, and each answer.
const redisTimeout = 2 * time.Second

// databases is the connections to Redis, one for each database.
type databases map[sonic.DB]*redis.Client

// connect returns a connection to each SONiC database in Redis, after all have answered a PING.
func connect(ctx context.Context, s sonic.Redis) (databases, error) {
	options, err := optionsOf(s)
	if err != nil {
		return nil, err
	}
	d := databases{}
	for _, db := range sonic.DBs() {
		o := *options
		o.DB = int(db)
		d[db] = redis.NewClient(&o)
	}
	for _, db := range sonic.DBs() {
		if err := d[db].Ping(ctx).Err(); err != nil {
			d.close()
			return nil, failed(s, err)
		}
	}
	return d, nil
}

// failed wraps an error of Redis with the address of Redis and, where known, the remedy.
func failed(s sonic.Redis, err error) error {
	at := s.Socket + s.Address
	switch {
	case errors.Is(err, os.ErrNotExist), errors.Is(err, os.ErrPermission):
		return fmt.Errorf("redis %s: %w: start Redis with this socket, or give redis.socket its path", at, err)
	case strings.HasPrefix(err.Error(), "NOAUTH"), strings.HasPrefix(err.Error(), "WRONGPASS"):
		return fmt.Errorf("redis %s: %w: give redis.user and redis.password_file", at, err)
	}
	return fmt.Errorf("redis %s: %w", at, err)
}

// optionsOf returns the options of connections to Redis: address, user, password, TLS and timeouts. The client does
// not retry commands: after an error the session begins again.
func optionsOf(s sonic.Redis) (*redis.Options, error) {
	o := &redis.Options{
		Network: "unix", Addr: s.Socket, Username: s.User, Protocol: 2, DisableIdentity: true, MaxRetries: -1,
		DialTimeout: redisTimeout, DialerRetries: 1, ReadTimeout: redisTimeout, WriteTimeout: redisTimeout, PoolSize: 2,
	}
	if s.PasswordFile != "" {
		text, err := os.ReadFile(s.PasswordFile)
		if err != nil {
			return nil, fmt.Errorf("redis.password_file: %w", err)
		}
		o.Password = strings.TrimSpace(string(text))
	}
	if s.Address != "" {
		var err error
		o.Network, o.Addr = "tcp", s.Address
		if o.TLSConfig, err = tlsOf(s); err != nil {
			return nil, err
		}
	}
	return o, nil
}

// tlsOf returns the TLS configuration of a connection to Redis: at least TLS 1.2, with the CA, certificate and key of
// the settings.
func tlsOf(s sonic.Redis) (*tls.Config, error) {
	host, _, err := net.SplitHostPort(s.Address)
	if err != nil {
		return nil, fmt.Errorf("redis.address: %w", err)
	}
	c := &tls.Config{ServerName: host, MinVersion: tls.VersionTLS12}
	if s.CA != "" {
		text, err := os.ReadFile(s.CA)
		if err != nil {
			return nil, fmt.Errorf("redis.ca: %w", err)
		}
		if c.RootCAs = x509.NewCertPool(); !c.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("redis.ca: %s has no certificate", s.CA)
		}
	}
	if s.Cert != "" {
		pair, err := tls.LoadX509KeyPair(s.Cert, s.Key)
		if err != nil {
			return nil, fmt.Errorf("redis.cert: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// close closes all connections to Redis.
func (d databases) close() {
	for _, c := range d {
		_ = c.Close() // the connections are not used any more
	}
}

// scanned is the number of keys that Redis looks at in one step of a scan (COUNT of SCAN).
const scanned = 1000

// readTries bounds how often read begins again because keys came or went meanwhile.
const readTries = 5

// read reads the rows of the given keys, and the rows of CONFIG_DB whose keys match patterns. Missing rows are left
// out. It reads again, up to readTries times, while keys that match patterns come or go: a row of LLR_PORT seen without
// the LLR_PROFILE written before it would switch LLR off.
func (d databases) read(ctx context.Context, keys []sonic.Key, patterns []string) (out sonic.Rows, err error) {
	found, err := d.scan(ctx, patterns)
	for try := 0; err == nil; try++ {
		out = sonic.Rows{}
		for _, db := range sonic.DBs() {
			if err := readRows(ctx, d[db], db, slices.Concat(keys, found), out); err != nil {
				return nil, err
			}
		}
		var repeat []sonic.Key
		if repeat, err = d.scan(ctx, patterns); err == nil && (slices.Equal(found, repeat) || try == readTries) {
			return out, nil
		}
		found = repeat
	}
	return nil, err
}

// scan returns the keys of CONFIG_DB that match one of the patterns, sorted.
func (d databases) scan(ctx context.Context, patterns []string) (found []sonic.Key, err error) {
	for _, pattern := range patterns {
		all := d[sonic.ConfigDB].Scan(ctx, 0, pattern, scanned).Iterator()
		for all.Next(ctx) {
			found = append(found, sonic.Key{DB: sonic.ConfigDB, Name: all.Val()})
		}
		if err := all.Err(); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(found, byKey)
	return slices.Compact(found), nil
}

// readRows reads the rows of database db among keys into out. A missing key gets no row, and a key that is no hash a
// nil row; only Initialized, which is no hash, gets an empty row.
func readRows(ctx context.Context, c *redis.Client, db sonic.DB, keys []sonic.Key, out sonic.Rows) error {
	answers := map[sonic.Key]*redis.MapStringStringCmd{}
	_, _ = c.Pipelined(ctx, func(p redis.Pipeliner) error { // each answer has its own error
		for _, k := range keys {
			if k.DB == db {
				answers[k] = p.HGetAll(ctx, k.Name)
			}
		}
		return nil
	})
	for k, a := range answers {
		row, err := a.Result()
		if err != nil && !strings.HasPrefix(err.Error(), "WRONGTYPE") {
			return err
		}
		switch {
		case err == nil && len(row) > 0:
			out[k] = row
		case err != nil && k == sonic.Initialized:
			out[k] = sonic.Row{}
		case err != nil:
			out[k] = nil
		}
	}
	return nil
}
