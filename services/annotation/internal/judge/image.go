package judge

import (
	"context"
	"errors"
	"fmt"

	"github.com/rectohq/recto/libs/formats/fields"
	"github.com/rectohq/recto/libs/formats/picture"
	"github.com/rectohq/recto/libs/problem"
)

// maxImages is how many images one field may have.
const maxImages = 100

// holdsImages reports whether v is meant as images: a string that begins like a data URL,
// or an array of such strings.
func (v Value) holdsImages() bool {
	for _, item := range v.Items {
		if !item.hasPrefix("data:") {
			return false
		}
	}
	return v.List || len(v.Items) > 0
}

// checkImages validates the images of a field. "" and [] clear the field.
func (c *Checker) checkImages(ctx context.Context, f fields.Field, v Value) (fields.Filling, []problem.Fault, error) {
	filling := fields.Filling{Type: f.Type}
	if v.cleared() {
		return filling, nil, nil
	}
	if n := len(v.Items); n > maxImages {
		return fields.Filling{}, []problem.Fault{{
			Code: problem.CodeTooLong, Message: fmt.Sprintf("must have at most %d images, not %d", maxImages, n),
			Resolution: fmt.Sprintf("Send at most %d images.", maxImages),
		}}, nil
	}
	var faults []problem.Fault
	if f.Multiple != nil && !*f.Multiple && len(v.Items) > 1 {
		faults = append(faults, problem.Fault{
			Code: problem.CodeImageMultipleNotAllowed, Message: fmt.Sprintf("must have one image, not %d", len(v.Items)),
			Resolution: "Send one image.",
		})
	}
	for i, item := range v.Items {
		p, err := c.pictures.Check(ctx, item.Reader)
		var flaw *picture.Error
		switch {
		case errors.As(err, &flaw):
			faults = append(faults, imageFault(flaw, i, len(v.Items)))
		case err != nil:
			return fields.Filling{}, nil, err
		default:
			filling.Pictures = append(filling.Pictures, fields.Picture(p))
		}
	}
	if len(faults) > 0 {
		return fields.Filling{}, faults, nil
	}
	return filling, nil, nil
}

// imageFault returns the fault for the image at index i of n.
func imageFault(flaw *picture.Error, i, n int) problem.Fault {
	f := problem.Fault{Message: flaw.Reason}
	if n > 1 {
		f.Message = fmt.Sprintf("contains an invalid image (%d of %d): it %s", i+1, n, flaw.Reason)
	}
	switch flaw.Kind {
	case picture.InvalidHeader:
		f.Code, f.Resolution = problem.CodeImageInvalidHeader, `Send the image as "data:image/png;base64,…" or "data:image/jpeg;base64,…".`
	case picture.UnsupportedType:
		f.Code, f.Resolution = problem.CodeImageUnsupportedType, "Send the image as JPG or PNG."
	case picture.InvalidBase64:
		f.Code, f.Resolution = problem.CodeImageInvalidBase64, "Encode the file in standard base64 (A-Z, a-z, 0-9, + and /), with padding and without spaces."
	case picture.TooLarge:
		f.Code, f.Resolution = problem.CodeImageTooLarge, fmt.Sprintf("Send an image of at most %d MiB and %d megapixels.", picture.MaxSize>>20, picture.MaxPixels/1_000_000)
	default:
		f.Code, f.Resolution = problem.CodeImageCorrupt, "Save the image again as JPG or PNG, and send it with the header of that type."
	}
	return f
}
