package ratelimit

import (
	"context"
	"fmt"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
)

// redisTimeout bounds each step of a question to Redis: a request must not wait
// for its limiter.
const redisTimeout = 50 * time.Millisecond

// Redis is a Limiter in Redis, by redis_rate.
type Redis struct {
	client  *redis.Client
	limiter *redis_rate.Limiter
}

// OpenRedis returns a Limiter in the Redis that the URL names. It does not
// dial: a Redis that is not there is an error of Allow.
func OpenRedis(url string) (*Redis, error) {
	options, err := redis.ParseURL(url)
	if err != nil {
		return nil, fmt.Errorf("GATEWAY_REDIS_URL: %w", err)
	}
	// With the defaults a dead Redis costs seconds for each request, and a lost
	// reply, retried, counts twice.
	options.MaxRetries = -1
	options.DialerRetries = 1
	options.DialTimeout, options.ReadTimeout, options.WriteTimeout, options.PoolTimeout =
		redisTimeout, redisTimeout, redisTimeout, redisTimeout
	options.ContextTimeoutEnabled = true
	client := redis.NewClient(options)
	return &Redis{client: client, limiter: redis_rate.NewLimiter(client)}, nil
}

// Close closes the connections to Redis.
func (r *Redis) Close() error { return r.client.Close() }

// Allow implements Limiter.
func (r *Redis) Allow(ctx context.Context, key string, l Limit) (Decision, error) {
	ctx, cancel := context.WithTimeout(ctx, redisTimeout)
	defer cancel()
	result, err := r.limiter.Allow(ctx, key, redis_rate.Limit{Rate: l.Requests, Burst: l.Requests, Period: l.Period})
	if err != nil {
		return Decision{}, fmt.Errorf("count in Redis: %w", err)
	}
	return Decision{
		Allowed: result.Allowed > 0, Remaining: result.Remaining,
		RetryAfter: max(result.RetryAfter, 0), ResetAfter: result.ResetAfter,
	}, nil
}
