package fonts

import (
	"archive/zip"
	"cmp"
	"errors"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/docx"
)

// container reads parts of a ZIP container until they exceed a bound together.
type container struct {
	parts []part
	// left is how many bytes may still be unpacked.
	left int64
}

// part is a file in a container. Its name is in lower case, without a leading slash.
type part struct {
	name string
	file *zip.File
}

// openContainer opens the container, or an empty one if it is damaged.
func openContainer(r io.ReaderAt, size int64) *container {
	c := &container{left: maxUnpacked}
	// archive/zip reads the whole directory before its entries can be counted, so check
	// it first.
	if docx.CheckDirectory(r, size, docx.DefaultLimits()) != nil {
		return c
	}
	z, err := zip.NewReader(r, size)
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		return c
	}
	for _, f := range z.File {
		c.parts = append(c.parts, part{strings.ToLower(strings.TrimLeft(f.Name, "/")), f})
	}
	// Small parts come first, so that a long text does not keep the styles from being read.
	slices.SortStableFunc(c.parts, func(a, b part) int {
		return cmp.Compare(a.file.UncompressedSize64, b.file.UncompressedSize64)
	})
	return c
}

// each calls visit for the tags of every part that is wanted.
func (c *container) each(wanted func(name string) bool, visit func(p part, tag []byte)) {
	for _, p := range c.parts {
		if !wanted(p.name) || c.left <= 0 {
			continue
		}
		body, err := p.file.Open()
		if err != nil {
			continue // an unknown compression method
		}
		limited := &io.LimitedReader{R: body, N: c.left}
		for m := newMarkup(limited); ; {
			tag, ok := m.next()
			if !ok {
				break
			}
			visit(p, tag)
		}
		c.left = limited.N
		_ = body.Close()
	}
}

// inFolder reports whether one of the folders that contain the part has the name.
func inFolder(part, name string) bool {
	return slices.Contains(strings.Split(path.Dir(part), "/"), name)
}
