package bus

import (
	"bytes"
	"context"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"
	"github.com/nats-io/nats.go"

	"github.com/rectohq/recto/libs/contract"
)

// claimThreshold is the largest payload that travels inside a message.
const claimThreshold = 256 << 10

// putPayload sets the payload of m. The payload is a value to encode as JSON or a
// contract.Stream; a large one becomes a claim check for the part called receiver. It
// returns the name of the claim, or "".
func (c *Conn) putPayload(ctx context.Context, receiver string, m *nats.Msg, payload any) (claim string, err error) {
	body, ok := payload.(contract.Stream)
	if !ok {
		data, err := json.Marshal(payload)
		if err != nil {
			return "", fmt.Errorf("encode the payload: %w", err)
		}
		body = contract.Stream{Body: bytes.NewReader(data)}
	}
	head, err := io.ReadAll(io.LimitReader(body.Body, claimThreshold+1))
	if err != nil {
		return "", err
	}
	if len(head) <= claimThreshold {
		m.Data = head
		return "", nil
	}
	return c.putClaim(ctx, receiver, m, io.MultiReader(bytes.NewReader(head), body.Body))
}

// getPayload decodes the payload of m into v, a pointer to a JSON value or to a
// contract.Stream. The caller closes the stream.
func (c *Conn) getPayload(ctx context.Context, m *nats.Msg, v any) error {
	s, err := c.openPayload(ctx, m)
	if err != nil {
		return err
	}
	if out, ok := v.(*contract.Stream); ok {
		*out = s
		return nil
	}
	defer s.Close()
	if err := json.UnmarshalRead(s.Body, v); err != nil {
		return fmt.Errorf("decode the payload of %s: %w", m.Subject, err)
	}
	return nil
}

// openPayload returns the payload of a message, from the message itself or from its
// claim. The caller closes it.
func (c *Conn) openPayload(ctx context.Context, m *nats.Msg) (contract.Stream, error) {
	if m.Header.Get(headerClaim) != "" {
		return c.openClaim(ctx, m)
	}
	return contract.Stream{Body: bytes.NewReader(m.Data), Size: int64(len(m.Data))}, nil
}
