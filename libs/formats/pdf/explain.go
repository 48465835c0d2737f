package pdf

import (
	"context"
	"fmt"
	"strings"

	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/formats/pdf/form/scan"
)

// idle determines the least processor time, a fraction 1/idle of the timeout, that a
// process gets unless something other than the file holds it up.
const idle = 10

// explainTimeout returns the reason why a process did not finish in time.
func (r *Reader) explainTimeout(p *process, err error) error {
	p.end()
	if took := p.took() - p.worked; took < r.cfg.Timeout/idle {
		return fmt.Errorf("a process that reads PDFs got only %s of processor time in %s: %w", took, r.cfg.Timeout, err)
	}
	return &Error{Reason: fmt.Sprintf("takes longer than %s to read; save it again with another program, or split it", r.cfg.Timeout), Err: err}
}

// explainEnd returns the reason why a process ended early or sent an invalid answer.
func (r *Reader) explainEnd(ctx context.Context, p *process, err error) error {
	killed := p.killed(ctx, err)
	p.end()
	if killed { // as the kernel does when the machine runs out of memory
		return fmt.Errorf("a process that reads PDFs was killed: %w", err)
	}
	reason := "is damaged: reading it failed; save it again with another program"
	// The messages of the Go runtime.
	if said := p.said(); strings.Contains(said, "out of memory") || strings.Contains(said, "cannot allocate") {
		reason = "needs more memory than the limit for one file; save it again with another program, or split it"
	}
	return &Error{Reason: reason, Err: fmt.Errorf("%w; the process ended with %v: %s", err, p.state(), p.said())}
}

// refuse returns the error for a refusal.
func (r *Reader) refuse(why refusal) error {
	switch why {
	case noPage:
		return ErrNoPage
	case tooMany:
		return &Error{Reason: fmt.Sprintf("has more than %d pages; split it", r.cfg.Pages)}
	case tooLarge:
		return &Error{Reason: fmt.Sprintf("has more than %d bytes when it is filled; use smaller pictures", r.maxFilled())}
	}
	return &Error{Reason: reason(why)}
}

// reason returns the reason for a refusal that no configuration bears on.
func reason(why refusal) string {
	switch why {
	case encrypted:
		return "is encrypted; remove its password first"
	case tooLong:
		return "has more text than can be read; split it"
	case noPages:
		return "has no pages; export it again from the program that made it"
	case lostPage:
		return "is damaged: some of its pages are missing; export it again from the program that made it, or upload the whole file"
	case noText:
		return "has no text; if it is a scan, send a copy with a text layer"
	case damaged:
		return "is damaged or not a PDF: it cannot be opened; export it again from the program that made it"
	}
	switch scan.Fault(why) {
	case scan.Damaged:
		return "is a damaged picture; export it again from the program that made it"
	case scan.TooLarge:
		return "is a picture with too many pixels or pages; scan it with a lower resolution, or split it"
	case scan.Unsupported:
		return "is a picture with a compression or colors that cannot be read; save it as PNG, baseline JPEG, or TIFF without JPEG compression"
	}
	return fillingReason(why)
}

// fillingReason returns the reason why a file cannot be filled.
func fillingReason(why refusal) string {
	switch form.Refusal(why) {
	case form.Forbidden:
		return "permits no filling: its security settings forbid it; ask its owner for a copy without restrictions"
	case form.XFA:
		return "is an XFA form, which only Adobe software fills; save it as an AcroForm"
	case form.SignedDamaged:
		return "is damaged and signed: to repair it would break the signature; ask for an undamaged copy, or fill one without the signature"
	case form.Certified:
		return "is certified: its signature permits no changes to form fields; fill a copy without the signature"
	case form.Locked:
		return "has a signature that locks one of the fields; leave the field out, or fill a copy without the signature"
	case form.SignedPage:
		return "is signed, and a value outside of its form fields would break the signature; fill form fields only, or a copy without the signature"
	case form.Missing:
		return "has no such page or form field; list its fields again"
	case form.Signed:
		return "is signed, and flattening would break the signature; fill it without flattening"
	case form.Fixed:
		return "permits no flattening: its security settings forbid changes of pages; fill it without flattening, or ask its owner for a copy without restrictions"
	case form.Crowded:
		return "has too many form fields to flatten; fill it without flattening, or split it"
	}
	return "cannot be read: " + string(damaged) + "; export it again from the program that made it"
}
