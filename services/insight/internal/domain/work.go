package domain

import (
	"context"
	"errors"
	"time"

	"github.com/go-json-experiment/json"
	"go.opentelemetry.io/otel/trace"

	"github.com/rectohq/recto/libs/blob"
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/job"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
)

// work does one try of an order: it lets the engine read, reports findings as they are
// made, and stores the result.
func (s *Service) work(ctx context.Context, r job.Record, o order, report func(progress float64)) (insightapi.Result, error) {
	o.Material.Principal, o.Material.Job = r.Principal, Job{ID: r.ID, Try: r.Tries}
	turn := turn{slots: s.slots}
	if err := turn.take(ctx); err != nil {
		return insightapi.Result{}, err
	}
	defer turn.end()
	if err := s.stillThere(ctx, o.Material); err != nil {
		return insightapi.Result{}, err
	}
	progress := &progressWriter{turn: &turn, ctx: ctx, service: s, record: r, events: insightapi.NewEventBuilder(o.Question.Requests), report: report}
	reading, span := telemetry.Child(ctx, "analyze document", trace.SpanKindInternal)
	analysis, err := s.Engine.Analyze(reading, o.Material, o.Question, progress)
	telemetry.End(span, err)
	if err != nil {
		return insightapi.Result{}, errors.Join(late(err), s.forgetInterrupted(ctx, r))
	}
	// From here on the work must not be interrupted: if the document was purged
	// meanwhile, its insights must be removed again.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	analysis.Answer = analysis.Answer.Select(o.Question.Requests)
	analysis.Answer.SignedURL = ""
	if err := s.keep(ctx, r, o.Material, analysis); err != nil {
		return insightapi.Result{}, err
	}
	if err := s.forgetPurged(ctx, r); err != nil {
		return insightapi.Result{}, err
	}
	s.forgetCompletions(ctx, r)
	return insightapi.Result{JobID: r.ID, DocumentID: o.Material.DocumentID}, nil
}

// turn is the right of a job to use the processor.
type turn struct {
	slots   *job.Slots
	release func()
}

// take waits for the turn.
func (t *turn) take(ctx context.Context) (err error) {
	t.release, err = t.slots.Acquire(ctx)
	return err
}

// end gives the turn to another job. It has no effect without a turn.
func (t *turn) end() {
	if t.release != nil {
		t.release()
		t.release = nil
	}
}

// keepTimeout limits how long storing the result of a job may take.
const keepTimeout = 30 * time.Second

// lateRetry is how long a client should wait after reading a document took too long.
const lateRetry = 5 * time.Second

// late returns the final error of a job whose engine exceeded its time. A retry would
// most likely exceed it too, at the expense of other documents; a client that asks again
// may find the machine less busy. late returns any other error unchanged.
func late(err error) error {
	var told *problem.Error
	if errors.As(err, &told) || !errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return problem.New(problem.InvalidRequest, "Reading the document took too long. Ask for fewer insights, or send a smaller document.").
		After(lateRetry).Because(err)
}

// forgetPurged removes the insight that was stored just now if the job was meanwhile
// removed with its document. Nothing remains: either the purge removed the job before it
// is looked up here, or it removes the insight after it was stored.
func (s *Service) forgetPurged(ctx context.Context, r job.Record) error {
	if r.Subject == "" {
		return nil
	}
	_, err := s.Jobs.Get(ctx, r.Principal.Organization, r.ID)
	if errors.Is(err, job.ErrNotFound) {
		return s.Forget(ctx, r.Principal.Organization, r.Subject, []string{r.ID})
	}
	return err
}

// forgetInterrupted is forgetPurged for a job that has no insight, but may have kept what a
// language model answered.
func (s *Service) forgetInterrupted(ctx context.Context, r job.Record) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), keepTimeout)
	defer cancel()
	return s.forgetPurged(ctx, r)
}

// forgetCompletions removes the completions of a job that has its result. If that fails,
// they expire.
func (s *Service) forgetCompletions(ctx context.Context, r job.Record) {
	if err := s.Kept.ForgetCompletions(ctx, r.Principal.Organization, r.ID); err != nil {
		s.Log.WarnContext(ctx, "the answers of the language model are kept until they expire", "job", r.ID, "error", err)
	}
}

// gone returns the final error of a job whose material no longer exists.
func gone(err error) error {
	return job.Final(problem.New(problem.Unavailable, "The document of this request has expired. Send the request again.").Because(err).After(time.Second))
}

// stillThere returns an error if the sent material of a job no longer exists.
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

// keep stores the result of a job, before the end of the job is announced.
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

// progressWriter is a Listener that writes the progress of the engine to the log in which
// clients follow the job.
type progressWriter struct {
	turn    *turn
	ctx     context.Context
	service *Service
	record  job.Record
	events  *insightapi.EventBuilder
	report  func(progress float64)
	silent  bool // after an event could not be written
}

// Idle implements Listener: another job has the turn while this one waits.
func (w *progressWriter) Idle(ctx context.Context, wait func() error) error {
	w.turn.end()
	err := wait()
	if lost := w.turn.take(ctx); lost != nil {
		return lost
	}
	return err
}

// Progressed implements Listener.
func (w *progressWriter) Progressed(share float64) { w.report(w.events.Within(share)) }

// Reached implements Listener.
func (w *progressWriter) Reached(stage string) { w.write(w.events.Stage(stage)) }

// Answered implements Listener.
func (w *progressWriter) Answered(key insightapi.Type, sofar *insightapi.Answer) {
	w.write(w.events.Key(key, sofar))
}

// write writes events, and reports the progress they show for the record of the job.
func (w *progressWriter) write(events []insightapi.Event) {
	for _, e := range events {
		w.append(e)
	}
	if len(events) == 0 {
		return
	}
	var p insightapi.Progress
	if last := events[len(events)-1]; last.Kind == insightapi.EventProgress && json.Unmarshal(last.Data, &p) == nil {
		w.report(p.Progress)
	}
}

// append writes one event. Once a write has failed it writes no more, so that followers
// see no gap: they get the rest with the result. The job continues.
func (w *progressWriter) append(e insightapi.Event) {
	if w.silent {
		return
	}
	data, err := json.Marshal(e, json.Deterministic(true))
	if err == nil {
		err = w.service.Progress.Append(w.ctx, w.record.Principal.Organization, w.record.ID, e.Sequence, data)
	}
	if err != nil {
		w.silent = true
		w.service.Log.WarnContext(w.ctx, "the progress of this job is no longer written; its result will be", "job", w.record.ID, "sequence", e.Sequence, "error", err)
	}
}
