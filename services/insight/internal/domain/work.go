package domain

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/problem"
)

// work does one try of an order: it lets the engine read, tells what is found as it is
// found, and keeps it.
func (s *Service) work(ctx context.Context, r job.Record, o order, report func(progress float64)) (insightapi.Result, error) {
	o.Material.Principal = r.Principal
	release, err := s.slots.Acquire(ctx)
	if err != nil {
		return insightapi.Result{}, err
	}
	defer release()
	if err := s.stillThere(ctx, o.Material); err != nil {
		return insightapi.Result{}, err
	}
	told := &teller{ctx: ctx, service: s, record: r, events: insightapi.NewTeller(o.Question.Requests), report: report}
	analysis, err := s.Engine.Analyze(ctx, o.Material, o.Question, told)
	if err != nil {
		return insightapi.Result{}, late(err)
	}
	// From here on the work is not stopped in the middle: what is kept of a document
	// that is purged meanwhile has to be forgotten again.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	analysis.Answer = analysis.Answer.Select(o.Question.Requests)
	analysis.Answer.SignedURL = ""
	if err := s.keep(ctx, r, o.Material, analysis); err != nil {
		return insightapi.Result{}, err
	}
	if err := s.unkeep(ctx, r); err != nil {
		return insightapi.Result{}, err
	}
	return insightapi.Result{JobID: r.ID, DocumentID: o.Material.DocumentID}, nil
}

// keepTimeout bounds the keeping of what a job has found.
const keepTimeout = 30 * time.Second

// lateRetry is what a caller is told to wait whose document took too long.
const lateRetry = 5 * time.Second

// late is the end of a job whose engine has used up its time: most likely it would so
// again, and workers are not to be kept from the documents of others for one. Whoever
// asks again may find the machine less busy. Any other error it returns as it is.
func late(err error) error {
	var told *problem.Error
	if errors.As(err, &told) || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return problem.New(problem.InvalidRequest, "Reading the document took too long. Ask for fewer insights, or send a smaller document.").
		After(lateRetry).Because(err)
}

// unkeep forgets what was kept just now if the job was forgotten before, with its
// document: whoever forgets does so before the job is looked for, or after it was kept.
func (s *Service) unkeep(ctx context.Context, r job.Record) error {
	if r.Subject == "" {
		return nil
	}
	_, err := s.Jobs.Get(ctx, r.Principal.Organization, r.ID)
	if errors.Is(err, job.ErrNotFound) {
		return s.Forget(ctx, r.Principal.Organization, r.Subject, []string{r.ID})
	}
	return err
}

// gone is the end of a job whose material is not there any more.
func gone(err error) error {
	return job.Final(problem.New(problem.Unavailable, "The document of this request has expired. Send the request again.").Because(err).After(time.Second))
}

// stillThere reports whether what was sent for a job is there to be read.
func (s *Service) stillThere(ctx context.Context, m Material) error {
	if m.DocumentID != "" {
		return nil
	}
	_, err := s.Objects.Stat(ctx, m.Files[0].Key)
	switch {
	case errors.Is(err, blob.ErrNotFound):
		return gone(err)
	case err != nil:
		return blob.Unavailable(err)
	}
	return nil
}

// keep keeps what a job has found, before anybody is told that it has ended.
func (s *Service) keep(ctx context.Context, r job.Record, m Material, analysis Analysis) error {
	keep := s.cfg.Keep
	if m.DocumentID == "" {
		keep = s.cfg.DownloadTTL
	}
	now := s.now()
	err := s.Store.Keep(ctx, r.Principal.Organization, r.ID, Insight{
		DocumentID: m.DocumentID, Analysis: analysis, CreatedAt: now.UnixMilli(), ExpiresAt: now.Add(keep).UnixMilli(),
	})
	if errors.Is(err, ErrTooLarge) {
		return problem.New(problem.InvalidRequest,
			"The insights exceed the limit of %d MiB. Ask for fewer insights, or send a smaller document.", MaxSize>>20).Because(err)
	}
	return err
}

// teller tells whoever follows a job of what its engine does. It is a Listener.
type teller struct {
	ctx     context.Context
	service *Service
	record  job.Record
	events  *insightapi.Teller
	report  func(progress float64)
	silent  bool // after something was not told
}

// Reached implements Listener.
func (t *teller) Reached(stage string) { t.tell(t.events.Stage(stage)) }

// Answered implements Listener.
func (t *teller) Answered(key insightapi.Type, sofar *insightapi.Answer) {
	t.tell(t.events.Key(key, sofar))
}

// tell tells of events, and notes in the record of the job how far that is.
func (t *teller) tell(events []insightapi.Event) {
	for _, e := range events {
		t.append(e)
	}
	if len(events) == 0 {
		return
	}
	var p insightapi.Progress
	if last := events[len(events)-1]; last.Kind == insightapi.EventProgress && json.Unmarshal(last.Data, &p) == nil {
		t.report(p.Progress)
	}
}

// append tells of one event. Who is not told of one is told of none that follows,
// but of the result; the job goes on.
func (t *teller) append(e insightapi.Event) {
	if t.silent {
		return
	}
	data, err := json.Marshal(e, json.Deterministic(true))
	if err == nil {
		err = t.service.Progress.Append(t.ctx, t.record.Principal.Organization, t.record.ID, e.Sequence, data)
	}
	if err != nil {
		t.silent = true
		t.service.Log.WarnContext(t.ctx, "the progress of a job is not told any more, only its end", "job", t.record.ID, "sequence", e.Sequence, "error", err)
	}
}
