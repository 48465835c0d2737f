package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/klippa-app/go-pdfium/requests"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/pdf/form"
	"github.com/rectohq/recto/libs/formats/pdf/form/scan"
	"github.com/rectohq/recto/libs/formats/pdf/typeset"
)

// Fill writes the PDF of size bytes in f with the values of o to w. The values refer to the
// pictures of o by index; Order.Pictures is not used.
//
// The error is an *Error if the file is at fault, and a *typeset.MissingError if no font has
// a character. Other errors are those of Read, of the pictures and of w. After an error, w
// may have received a part of the file. Config.Timeout includes the time that w takes. It
// applies twice if the file is damaged, because another process then fills a repaired copy.
func (r *Reader) Fill(ctx context.Context, f io.ReaderAt, size int64, o Filling, w io.Writer) (filled Filled, err error) {
	q := request{task: taskFill, parameters: parameters{Order: o.Order}, file: f, size: size, pictures: o.Pictures, begun: new(bool)}
	if q.parameters.Order.Pictures, err = r.describePictures(o); err != nil {
		return Filled{}, err
	}
	err = r.do(ctx, q, func(answer io.Reader) (err error) {
		filled, err = receiveFilled(answer, q, r.maxFilled(), sink{w, q.begun})
		return err
	})
	return filled, err
}

// maxFilled is the maximum size of a filled file that replaces the original, or of the
// update that is added to it, in bytes.
func (r *Reader) maxFilled() int64 { return int64(r.cfg.Memory / 4) }

// describePictures returns the pictures as a process expects them, and checks the values'
// references to them.
func (r *Reader) describePictures(o Filling) ([]form.Picture, error) {
	for i, v := range o.Values {
		for _, p := range v.Pictures {
			if p < 0 || p >= len(o.Pictures) {
				return nil, fmt.Errorf("value %d refers to picture %d of %d", i, p, len(o.Pictures))
			}
		}
	}
	described := make([]form.Picture, len(o.Pictures))
	var total int64
	for i, p := range o.Pictures {
		described[i] = describePicture(p)
		if total += p.Size; p.Size < 0 || p.Size > r.maxSize() || total > r.maxSize() {
			return nil, &Error{Reason: fmt.Sprintf("cannot take more than %d bytes of pictures; use smaller ones", r.maxSize())}
		}
	}
	return described, nil
}

func describePicture(p fields.Picture) form.Picture {
	return form.Picture{MediaType: p.MediaType, Width: p.Width, Height: p.Height, Orientation: p.Orientation, Size: p.Size}
}

// forms are the functions of package form, which tests replace.
type forms struct {
	describe func(file []byte) (*form.Description, error)
	fill     func(file []byte, o form.Order, pictures [][]byte) (*form.Result, error)
	adopt    func(file []byte) (*form.Result, error)
}

// realForms returns the functions of package form, which fill in these fonts.
func realForms(fonts *typeset.Fonts) forms {
	return forms{
		describe: form.Describe,
		fill: func(file []byte, o form.Order, pictures [][]byte) (*form.Result, error) {
			return form.Fill(file, o, pictures, fonts)
		},
		adopt: form.Adopt,
	}
}

// details describes the form of the file. It is empty if that fails: the content of the
// file can be read nonetheless.
func (f forms) details(file []byte) (d form.Description) {
	defer func() {
		if recover() != nil { // pdfcpu is not made for every damaged file
			d = form.Description{}
		}
	}()
	found, err := f.describe(file)
	if err != nil || found == nil {
		return form.Description{}
	}
	return *found
}

// adoption returns the update with which PDFium knows all widgets of the file. It is empty
// if that fails: PDFium can show the rest of the file nonetheless.
func (f forms) adoption(file []byte) (r form.Result) {
	defer func() {
		if recover() != nil { // pdfcpu is not made for every damaged file
			r = form.Result{}
		}
	}()
	update, err := f.adopt(file)
	if err != nil || update == nil {
		return form.Result{}
	}
	return *update
}

// fill sends the filled file, or the update that fills it. The error is an errRefused if the
// file is at fault.
func (w *worker) fill(j *job) error {
	result, err := w.filled(j.file, j.Order, j.pictures)
	if err != nil {
		return refusedByForm(err)
	}
	return w.sendFilled(result)
}

// sendFilled sends the outcome of filling.
func (w *worker) sendFilled(result *form.Result) error {
	if uint64(len(result.Update)) > w.Memory/4 {
		return errRefused(tooLarge)
	}
	m := filledMessage{Whole: result.Whole, Calculations: result.Calculations, Illegible: result.Illegible, Size: int64(len(result.Update))}
	if err := w.answer.send(message{Filled: &m}); err != nil {
		return err
	}
	blob := blobWriter{w.answer.w}
	if _, err := blob.Write(result.Update); err != nil {
		return err
	}
	return blob.Close()
}

// refusedByForm returns the errRefused for a refusal of package form, and err otherwise.
func refusedByForm(err error) error {
	var refused form.Refusal
	if errors.As(err, &refused) {
		return errRefused(refused)
	}
	return err
}

// filled fills the file. If its objects cannot be read, a copy that PDFium has repaired is
// filled.
func (w *worker) filled(file []byte, o form.Order, pictures [][]byte) (*form.Result, error) {
	result, err := w.forms.fill(file, o, pictures)
	if !errors.Is(err, form.Damaged) {
		return result, err
	}
	if len(file) > maxSaved(w.Memory) {
		return nil, err
	}
	if w.Bare {
		return nil, errRefused(unreadable)
	}
	d, _, err := w.open(file)
	if err != nil {
		return nil, err
	}
	repaired, err := d.saved(len(file))
	if err != nil {
		return nil, err
	}
	if result, err = w.forms.fill(repaired, o, pictures); err != nil {
		return nil, err
	}
	whole(result, repaired)
	return result, nil
}

// whole makes the result one that replaces the file.
func whole(result *form.Result, file []byte) {
	if !result.Whole {
		result.Update, result.Whole = append(file, result.Update...), true
	}
}

// maxSaved is the maximum size of a file that PDFium writes, in bytes. PDFium needs up to
// five times as much for a picture, and the file is in memory both before and after.
func maxSaved(memory uint64) int { return int(memory / 16) }

// saved returns the file as PDFium writes it, of about the size in bytes.
func (d *document) saved(size int) ([]byte, error) {
	debug.FreeOSMemory() // as PDFium grew, it left behind its earlier memory
	w := bytes.NewBuffer(make([]byte, 0, size+size/8))
	_, err := d.pdfium.FPDF_SaveAsCopy(&requests.FPDF_SaveAsCopy{Document: d.ref, FileWriter: w, Flags: requests.SaveFlagNoIncremental})
	if err != nil {
		return nil, fmt.Errorf("write the file: %w", err)
	}
	return w.Bytes(), nil
}

// Show writes a PDF to w that shows the picture of size bytes in f, of the media type
// image/jpeg, image/png or image/tiff. A TIFF may have several pages. The errors are those of
// Fill.
func (r *Reader) Show(ctx context.Context, f io.ReaderAt, size int64, mediaType string, w io.Writer) error {
	q := request{task: taskShow, parameters: parameters{Picture: mediaType}, file: f, size: size, begun: new(bool)}
	return r.do(ctx, q, func(answer io.Reader) error {
		_, err := receiveFilled(answer, q, r.maxFilled(), sink{w, q.begun})
		return err
	})
}

// show sends a PDF that shows the picture.
func (w *worker) show(j *job) error {
	file, err := scan.PDF(j.Picture, j.file)
	var fault scan.Fault
	switch {
	case errors.As(err, &fault):
		return errRefused(fault)
	case err != nil:
		return err
	}
	return w.sendFilled(&form.Result{Whole: true, Update: file})
}

// Flaws returns why the PDF of size bytes in f does not conform to a profile of package form,
// each as a clause such as "a font is not embedded". It does not replace a validator. The
// errors are those of Fill.
func (r *Reader) Flaws(ctx context.Context, f io.ReaderAt, size int64, profile string) (flaws []string, err error) {
	q := request{task: taskFlaws, parameters: parameters{Profile: profile}, file: f, size: size}
	err = r.do(ctx, q, func(answer io.Reader) (err error) {
		flaws, err = receiveFlaws(answer)
		return err
	})
	return flaws, err
}

// maxFlaws bounds the flaws of an answer.
const maxFlaws = 100

// receiveFlaws receives the answer to taskFlaws.
func receiveFlaws(r io.Reader) ([]string, error) {
	m, err := receiveOne(r)
	switch {
	case err != nil:
		return nil, err
	case m.Flaws == nil || len(*m.Flaws) > maxFlaws:
		return nil, errors.New("the answer is not a list of flaws")
	}
	for _, flaw := range *m.Flaws {
		if len(flaw) > maxString {
			return nil, fmt.Errorf("a flaw of %d bytes", len(flaw))
		}
	}
	return *m.Flaws, nil
}

// flaws sends why the file does not conform to a profile.
func (w *worker) flaws(j *job) error {
	flaws, err := form.Flaws(j.file, j.Profile)
	if err != nil {
		return refusedByForm(err)
	}
	if flaws == nil {
		flaws = []string{}
	}
	return w.answer.send(message{Flaws: &flaws})
}
