package ratelimit

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
)

// redisTimeout bounds each step of a call to Redis, so that a Redis outage adds little
// latency to requests.
const redisTimeout = 50 * time.Millisecond

// redisIdle is how long a connection may be idle. While the circuit is open, all
// connections are idle. Closing them soon keeps the trial requests, one a second, from
// each picking another connection that a firewall has forgotten.
const redisIdle = 5 * time.Second

// Redis is a Limiter that counts in Redis, with redis_rate.
type Redis struct {
	client  redis.UniversalClient
	limiter *redis_rate.Limiter
}

// OpenRedis returns a Limiter for the Redis at a URL in the syntax of go-redis: one server,
// redis://host:6379; the nodes of a cluster, redis://host1:6379?addr=host2:6379; or the
// sentinels of a master, redis://host1:26379?master_name=name&addr=host2:26379. It does not
// dial: if Redis is unavailable, Allow fails. Errors do not contain the URL, which may
// include a password.
func OpenRedis(address string) (*Redis, error) {
	client, err := newClient(address)
	if err != nil {
		return nil, fmt.Errorf("GATEWAY_REDIS_URL: %w", err)
	}
	return &Redis{client: client, limiter: redis_rate.NewLimiter(client)}, nil
}

// newClient returns a client that fails fast and does not retry. With the defaults, a dead
// Redis delays each request by seconds, and a retry after a lost reply counts twice.
func newClient(address string) (redis.UniversalClient, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("must be a URL such as redis://:password@host:6379, with special characters in the password encoded as %XX")
	}
	switch query := u.Query(); {
	case query.Has("master_name"):
		o, err := redis.ParseFailoverURL(address)
		if err != nil {
			return nil, err
		}
		o.MaxRetries, o.DialerRetries, o.ContextTimeoutEnabled, o.ConnMaxIdleTime = -1, 1, true, redisIdle
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = redisTimeout, redisTimeout, redisTimeout, redisTimeout
		return redis.NewFailoverClient(o), nil
	case query.Has("addr"):
		o, err := redis.ParseClusterURL(address)
		if err != nil {
			return nil, err
		}
		o.MaxRetries, o.DialerRetries, o.ContextTimeoutEnabled, o.ConnMaxIdleTime = -1, 1, true, redisIdle
		o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = redisTimeout, redisTimeout, redisTimeout, redisTimeout
		return redis.NewClusterClient(o), nil
	}
	o, err := redis.ParseURL(address)
	if err != nil {
		return nil, err
	}
	o.MaxRetries, o.DialerRetries, o.ContextTimeoutEnabled, o.ConnMaxIdleTime = -1, 1, true, redisIdle
	o.DialTimeout, o.ReadTimeout, o.WriteTimeout, o.PoolTimeout = redisTimeout, redisTimeout, redisTimeout, redisTimeout
	return redis.NewClient(o), nil
}

// Close closes the connections to Redis.
func (r *Redis) Close() error { return r.client.Close() }

// Allow implements Limiter.
func (r *Redis) Allow(ctx context.Context, key string, l Limit) (Decision, error) {
	_, d, err := r.Take(ctx, key, l, 1)
	return d, err
}

// Take implements Shared.
func (r *Redis) Take(ctx context.Context, key string, l Limit, n int) (int, Decision, error) {
	ctx, cancel := context.WithTimeout(ctx, redisTimeout)
	defer cancel()
	result, err := r.limiter.AllowAtMost(ctx, key, redis_rate.Limit{Rate: l.Requests, Burst: l.Requests, Period: l.Period}, n)
	if err != nil {
		return 0, Decision{}, fmt.Errorf("count in Redis: %w", err)
	}
	return result.Allowed, Decision{
		Allowed: result.Allowed > 0, Remaining: result.Remaining,
		RetryAfter: max(result.RetryAfter, 0), ResetAfter: result.ResetAfter,
	}, nil
}
