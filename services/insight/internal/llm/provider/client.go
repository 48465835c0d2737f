package provider

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/tmc/langchaingo/llms"

	"github.com/rectohq/recto/libs/contract/insightapi"
)

// Client sends prompts to the configured language model. It is safe for concurrent use.
//
// langchaingo builds the requests and reads the answers. What it does not tell, or gets
// wrong, comes from the HTTP exchange beneath it: see exchange.
type Client struct {
	cfg   Config
	api   api
	web   *http.Transport
	gate  gate
	slots chan struct{}
}

// maxHeader bounds the header of a response.
const maxHeader = 64 << 10

// New returns a client, or an error with the problems of cfg. It sends nothing.
func New(cfg Config) (*Client, error) {
	if problems := cfg.Validate(); len(problems) > 0 {
		return nil, errors.Join(problems...)
	}
	if !cfg.Enabled() {
		return nil, errors.New("no language model is configured")
	}
	if strings.ContainsFunc(cfg.Key, func(r rune) bool { return r < ' ' || r > '~' }) {
		return nil, errors.New("INSIGHT_MODEL_KEY must consist of printable ASCII characters")
	}
	return &Client{cfg: cfg, api: newAPI(cfg), web: newTransport(), slots: make(chan struct{}, cfg.Concurrency)}, nil
}

// newTransport returns the connections of a client. They ignore the proxies of the
// environment, so that documents go nowhere but to the configured address. They speak
// HTTP/1.1: an answer that hangs or is cancelled then affects no other, and nothing is
// sent again unless the server has received none of it. Nothing is compressed, so that the
// bounds hold for what a server really sends.
func newTransport() *http.Transport {
	var protocols http.Protocols
	protocols.SetHTTP1(true)
	return &http.Transport{
		Protocols: &protocols, DisableCompression: true, MaxResponseHeaderBytes: maxHeader,
		MaxIdleConns: 16, MaxIdleConnsPerHost: 16, IdleConnTimeout: 30 * time.Second,
	}
}

// Close closes idle connections. No Complete may be running.
func (c *Client) Close() { c.web.CloseIdleConnections() }

// Complete sends a prompt and returns an answer that matches its schema. If the first answer
// does not match, Complete asks the model once to correct it; it retries nothing else. The
// error is an *Error, or the cause of ctx. Each wait for the provider ends after Config.Timeout; ctx
// should bound all of them together.
func (c *Client) Complete(ctx context.Context, p Prompt) (Completion, error) {
	check, err := newChecker(p.Schema)
	if err != nil {
		return Completion{}, &Error{Kind: Invalid, Reason: "the schema of the prompt is not valid"}
	}
	if err := c.enter(ctx); err != nil {
		return Completion{}, err
	}
	defer func() { <-c.slots }()
	talk := c.conversation(p)
	var used insightapi.Tokens
	for repaired := false; ; repaired = true {
		text, tokens, err := c.ask(ctx, p.Schema, talk)
		used = used.Plus(tokens)
		if err != nil {
			return Completion{}, charge(err, used)
		}
		answer, violation := check.read(text)
		switch {
		case violation == "":
			return Completion{JSON: answer, Tokens: used}, nil
		case repaired:
			return Completion{}, &Error{Kind: Invalid, Status: http.StatusOK, Tokens: used, Reason: "its answer is not of the required form"}
		}
		talk = append(talk, repair(text, violation)...)
	}
}

// Check reports whether the model answers at all. It sends no document.
func (c *Client) Check(ctx context.Context) error {
	_, err := c.Complete(ctx, Prompt{
		System: "You check a connection. Answer in JSON.",
		Task:   `Answer with the JSON object {"ready": true}.`,
		Schema: Schema{Name: "connection", Document: jsontext.Value(
			`{"type":"object","properties":{"ready":{"type":"boolean"}},"required":["ready"],"additionalProperties":false}`)},
	})
	return err
}

// enter waits until another request may be sent.
func (c *Client) enter(ctx context.Context) error {
	if err := c.gate.check(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case c.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// ask sends one request and returns what the model says. The tokens are those of the
// request, even if it fails.
func (c *Client) ask(ctx context.Context, s Schema, talk []llms.MessageContent) (string, insightapi.Tokens, error) {
	if err := c.gate.check(); err != nil {
		return "", insightapi.Tokens{}, err
	}
	x := &exchange{
		api: c.api, schema: s, web: c.web, timeout: c.cfg.Timeout,
		limit: maxAnswer + bytesPerToken*int64(c.cfg.Output), most: textPerToken * c.cfg.Output,
	}
	text, err := c.generate(ctx, x, talk)
	if ctx.Err() != nil { // langchaingo may have returned a part of the answer without an error
		return "", x.tokens(), context.Cause(ctx)
	}
	if failure := x.failure(err); failure != nil {
		c.gate.close(failure)
		return "", x.tokens(), failure
	}
	switch {
	case x.report.answer != nil:
		text = string(x.report.answer)
	case x.report.said > 0 && x.report.said != len(text):
		return "", x.tokens(), &Error{Kind: Invalid, Status: x.status, Reason: unknownParts}
	}
	if strings.TrimSpace(text) == "" {
		return "", x.tokens(), &Error{Kind: Refused, Status: x.status, Reason: "its answer is empty"}
	}
	return text, x.tokens(), nil
}

// errPanic is the error of a call during which langchaingo panicked.
var errPanic = errors.New("langchaingo panicked")

// generate calls langchaingo, which panics at some answers: for example, if a choice is
// null, or ends with a function call that it does not have.
func (c *Client) generate(ctx context.Context, x *exchange, talk []llms.MessageContent) (text string, err error) {
	defer func() {
		if p := recover(); p != nil {
			text, err = "", errPanic
		}
	}()
	model, err := c.api.model(&http.Client{Transport: x})
	if err != nil {
		return "", fmt.Errorf("langchaingo: %w", err)
	}
	response, err := model.GenerateContent(ctx, talk, c.api.options(x.schema)...)
	if err != nil {
		return "", fmt.Errorf("langchaingo: %w", err)
	}
	return saidBy(response), nil
}

// saidBy returns the first text of an answer.
func saidBy(r *llms.ContentResponse) string {
	if r == nil {
		return ""
	}
	for _, c := range r.Choices {
		if c != nil && c.Content != "" {
			return c.Content
		}
	}
	return ""
}

// conversation returns the messages of a prompt.
func (c *Client) conversation(p Prompt) []llms.MessageContent {
	return []llms.MessageContent{
		llms.TextParts(llms.ChatMessageTypeSystem, p.System),
		{Role: llms.ChatMessageTypeHuman, Parts: c.api.parts(p)},
	}
}

// charge adds what was used to an error of this package. Others are ctx's.
func charge(err error, used insightapi.Tokens) error {
	var failed *Error
	if !errors.As(err, &failed) {
		return err
	}
	failed.Tokens = used
	return failed
}
