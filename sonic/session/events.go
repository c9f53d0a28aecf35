package session

import (
	"context"
	"fmt"
	"strings"

	"github.com/redis/go-redis/v9"
	"go.uber.org/zap"

	"uelink/sonic"
)

// notifySetting is the setting of Redis for reports of changed keys. The session needs the flags of notifyNeeds: K: by
// the name of the key, E: by the name of the event, A: all kinds of changes.
const (
	notifySetting = "notify-keyspace-events"
	notifyNeeds   = "KEA"
)

// requireEvents makes Redis send notifications of changed keys, if this user is allowed to configure that. Else it
// returns a text, unheard, that says what to change; the session then relies on reading all rows each second.
func (d databases) requireEvents(ctx context.Context, log *zap.Logger) (unheard string) {
	c := d[sonic.ConfigDB]
	answer, err := c.ConfigGet(ctx, notifySetting).Result()
	if err != nil {
		return "allow the Redis user of this process the command CONFIG|GET: " + err.Error()
	}
	enabled := answer[notifySetting]
	missing := ""
	for _, flag := range notifyNeeds {
		if !strings.ContainsRune(enabled, flag) {
			missing += string(flag)
		}
	}
	if missing == "" {
		return ""
	}
	if err := c.ConfigSet(ctx, notifySetting, enabled+missing).Err(); err != nil {
		return "set " + notifySetting + " " + notifyNeeds + ": " + err.Error()
	}
	log.Info("Redis reports changes of keys from now on", zap.String(notifySetting, enabled+missing))
	return ""
}

// The channels with reports of changed rows.
const (
	configEvents = "__keyspace@4__:*"
	stateEvents  = "__keyspace@6__:PORT_TABLE|*"
)

// subscribe calls changed after each notification of Redis that a key which Pass reads has changed. It returns when
// the connection breaks or ctx ends.
func (d databases) subscribe(ctx context.Context, changed func()) error {
	sub := d[sonic.ConfigDB].PSubscribe(ctx, configEvents, stateEvents)
	defer context.AfterFunc(ctx, func() { _ = sub.Close() })() // Receive does not end with ctx
	defer sub.Close()
	for {
		message, err := sub.Receive(ctx)
		switch m := message.(type) {
		case nil:
			return err
		case *redis.Subscription, *redis.Message:
			changed()
		default:
			return fmt.Errorf("a subscription has received an unexpected message: %v", m)
		}
	}
}
