package fields

import "github.com/rectohq/recto/libs/formats/picture"

// Picture is an image that was checked.
type Picture = picture.Picture
