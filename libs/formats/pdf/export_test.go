package pdf

import "context"

// StartIn sets the context in which idle processes are started.
func (r *Reader) StartIn(ctx context.Context) {
	r.close()
	r.ctx, r.close = context.WithCancel(ctx)
}

// Bounded reports whether the memory of processes is bounded. It is not with the race
// detector.
func Bounded() bool {
	data, _ := bounds(1)
	return data == 1
}

// Functions of the external tests of this package. Compiled returns the folder of the compiled
// PDFium, which all tests share. ManyPages, FormFile and
// Agreement make files.
var (
	Compiled  func() string
	ManyPages func(n int) []byte
	FormFile  func() []byte
	Agreement func(pages int) []byte
)
