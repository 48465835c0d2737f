package provider

import (
	"context"
	"net"
	"net/http"
	"time"
)

// SetDial makes a client connect as dial does, whatever the address.
func (c *Client) SetDial(dial func(ctx context.Context, network, address string) (net.Conn, error)) {
	c.web.DialContext = dial
}

// RetryAfter exports retryAfter.
func RetryAfter(h http.Header, now time.Time) time.Duration { return retryAfter(h, now) }

// MaxAfter exports maxAfter.
const MaxAfter = maxAfter

// ReadAnswer returns the JSON of what a model says, or what is wrong with it.
func ReadAnswer(s Schema, text string) (string, string) {
	c, err := newChecker(s)
	if err != nil {
		return "", err.Error()
	}
	found, violation := c.read(text)
	return string(found), violation
}
