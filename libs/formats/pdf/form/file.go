package form

import (
	"bytes"
	"errors"
	"regexp"
	"slices"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/model"
	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"

	"github.com/rectohq/recto/libs/formats/pdf/form/internal/revision"
)

// Bounds of what is read from a file.
const (
	maxStream  = 256 << 20
	maxObjects = 2_000_000
	// maxDepth is how deep the trees of pages and fields may be.
	maxDepth = 64
	// maxReferences is how many references to references are followed.
	maxReferences = 8
	// maxTexts is how much text is read, in bytes. Text that is read twice counts twice.
	maxTexts = 64 << 20
)

// file is an opened PDF file. Dictionaries are changed in place.
type file struct {
	raw []byte
	ctx *model.Context
	// sections is nil if the cross-reference sections are damaged.
	sections *revision.Sections
	// lost reports whether a file without sections has lost pages.
	lost bool
	root types.Dict
	// changed holds the numbers of changed and new objects.
	changed map[int]bool
	// next is the number of the next new object.
	next int
	// budget is how much text may still be read, in bytes.
	budget int
}

// node is a dictionary with the number of the indirect object that contains it.
type node struct {
	types.Dict
	owner int
}

// open reads the objects of a file. The error is a Refusal.
func open(raw []byte) (*file, error) {
	sections, err := revision.Parse(raw)
	if errors.Is(err, revision.ErrTooMany) {
		return nil, Damaged
	}
	readable := raw
	if err == nil {
		readable = sections.Unhide(raw)
	}
	ctx, err := read(readable)
	if err != nil {
		return nil, err
	}
	f := &file{raw: raw, ctx: ctx, sections: sections, changed: map[int]bool{}, budget: maxTexts}
	if ctx.Root == nil {
		return nil, Damaged
	}
	root, ok := f.dict(*ctx.Root, 0)
	if !ok {
		return nil, Damaged
	}
	if _, ok := f.sub(root, "Pages"); !ok {
		return nil, Damaged
	}
	f.root = root.Dict
	f.next = ctx.MaxObjNr + 1
	if !f.complete() {
		f.sections = nil
		f.lost = slices.ContainsFunc(f.pages(), func(p page) bool { return p.Dict == nil })
	} else {
		f.next = max(f.next, f.sections.Size)
	}
	return f, f.readable()
}

// read reads all objects. It does not validate them and writes nothing to disk.
func read(raw []byte) (ctx *model.Context, err error) {
	defer func() {
		if recover() != nil { // pdfcpu does not withstand every file
			ctx, err = nil, Damaged
		}
	}()
	limits := model.DefaultResourceLimits()
	limits.MaxStreamBytes, limits.MaxDecodeBytes = maxStream, maxStream
	limits.MaxObjectCount, limits.MaxXRefEntries = maxObjects, revision.Entries(len(raw))
	conf := &model.Configuration{Reader15: true, ValidationMode: model.ValidationRelaxed, Offline: true, Limits: limits}
	ctx, err = pdfcpu.Read(bytes.NewReader(raw), conf)
	switch {
	case err == nil:
		return ctx, nil
	case errors.Is(err, pdfcpu.ErrWrongPassword), errors.Is(err, pdfcpu.ErrEncrypted),
		errors.Is(err, pdfcpu.ErrUnsupportedEncryptionFeature), errors.Is(err, pdfcpu.ErrOwnerPasswordRequired):
		return nil, Encrypted
	}
	return nil, Damaged
}

// complete reports whether the cross-reference sections locate every object that pdfcpu has
// found.
func (f *file) complete() bool {
	if f.sections == nil {
		return false
	}
	for n, e := range f.ctx.Table {
		if e != nil && !e.Free && !f.sections.Has(f.raw, n) {
			return false
		}
	}
	return true
}

// directEncryption finds an encryption dictionary within a trailer.
var directEncryption = regexp.MustCompile(`/Encrypt\s*<<`)

// readable returns a Refusal if the strings of an encrypted file were not decrypted,
// because pdfcpu knows neither encryption dictionaries within the trailer nor files of
// which only a part is encrypted.
func (f *file) readable() error {
	if f.ctx.Encrypt == nil {
		if f.sections != nil && f.sections.Encrypted || f.sections == nil && directEncryption.Match(f.raw) {
			return Encrypted
		}
		return nil
	}
	d, ok := f.dict(*f.ctx.Encrypt, 0)
	if !ok || f.ctx.E == nil {
		return Encrypted
	}
	if f.ctx.E.V >= 4 && (f.name(d.Dict["StmF"]) == "" || f.name(d.Dict["StrF"]) == "" ||
		f.name(d.Dict["StmF"]) == "Identity" || f.name(d.Dict["StrF"]) == "Identity") {
		return Encrypted
	}
	return nil
}

// Permissions of an encrypted file: ISO 32000-1, table 22.
const (
	permitModify   = 1 << 3
	permitAnnotate = 1 << 5
	permitFill     = 1 << 8
)

// permits reports whether the owner of the file permits one of these operations.
func (f *file) permits(operations int) bool {
	if f.ctx.Encrypt == nil {
		return true
	}
	if f.ctx.E.R < 3 {
		operations &^= permitFill // which revision 2 does not know
	}
	return f.ctx.E.P&operations != 0
}

// cipher returns what encrypts changed objects, or nil.
func (f *file) cipher() *revision.Cipher {
	if f.ctx.Encrypt == nil {
		return nil
	}
	return &revision.Cipher{
		Key: f.ctx.EncKey, Revision: f.ctx.E.R, AESStrings: f.ctx.AES4Strings, AESStreams: f.ctx.AES4Streams,
		PlainMetadata: !f.ctx.E.Emd, Dictionary: int(f.ctx.Encrypt.ObjectNumber),
	}
}

// resolve follows references. It returns the object, or nil, and the number of the indirect
// object that contains it, which is owner if o is no reference.
func (f *file) resolve(o types.Object, owner int) (types.Object, int) {
	for range maxReferences {
		ref, ok := o.(types.IndirectRef)
		if !ok {
			return o, owner
		}
		owner = int(ref.ObjectNumber)
		var err error
		if o, err = f.ctx.Dereference(ref); err != nil {
			return nil, owner
		}
	}
	return nil, owner
}

// dict returns a dictionary or the dictionary of a stream.
func (f *file) dict(o types.Object, owner int) (node, bool) {
	o, owner = f.resolve(o, owner)
	switch o := o.(type) {
	case types.Dict:
		return node{o, owner}, o != nil
	case types.StreamDict:
		return node{o.Dict, owner}, true
	}
	return node{}, false
}

// sub returns the dictionary under a key of a node.
func (f *file) sub(n node, key string) (node, bool) { return f.dict(n.Dict[key], n.owner) }

// array returns an array and the number of the object that contains it.
func (f *file) array(o types.Object, owner int) (types.Array, int) {
	o, owner = f.resolve(o, owner)
	a, _ := o.(types.Array)
	return a, owner
}

func (f *file) name(o types.Object) string {
	o, _ = f.resolve(o, 0)
	n, _ := o.(types.Name)
	return string(n)
}

func (f *file) integer(o types.Object) int {
	o, _ = f.resolve(o, 0)
	switch n := o.(type) {
	case types.Integer:
		return int(n)
	case types.Float:
		return int(max(min(float64(n), 1<<31), -1<<31))
	}
	return 0
}

func (f *file) boolean(o types.Object) bool {
	o, _ = f.resolve(o, 0)
	b, _ := o.(types.Boolean)
	return bool(b)
}

// numbers returns at most the given number of elements of an array. Elements that are not
// numbers count as 0.
func (f *file) numbers(o types.Object, most int) []float64 {
	a, _ := f.array(o, 0)
	var out []float64
	for _, e := range a[:min(len(a), most)] {
		e, _ = f.resolve(e, 0)
		switch n := e.(type) {
		case types.Integer:
			out = append(out, float64(n))
		case types.Float:
			out = append(out, float64(n))
		default:
			out = append(out, 0)
		}
	}
	return out
}

// change marks the object that contains a node as changed.
func (f *file) change(n node) { f.changed[n.owner] = true }

// add adds a new indirect object.
func (f *file) add(o types.Object) types.IndirectRef {
	number := f.next
	f.next++
	f.ctx.Table[number] = model.NewXRefTableEntryGen0(o)
	f.changed[number] = true
	return *types.NewIndirectRef(number, 0)
}
