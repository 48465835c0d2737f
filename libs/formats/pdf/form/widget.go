package form

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/pdfcpu/types"
)

// Flags of fields: ISO 32000-1, 12.7.4.
const (
	flagReadOnly       = 1 << 0
	flagMultiline      = 1 << 12
	flagPassword       = 1 << 13
	flagRadio          = 1 << 15
	flagPush           = 1 << 16
	flagCombo          = 1 << 17
	flagEdit           = 1 << 18
	flagFileSelect     = 1 << 20
	flagMultiSelect    = 1 << 21
	flagComb           = 1 << 24
	flagRadiosInUnison = 1 << 25 // of radio buttons
	flagRichText       = 1 << 25 // of texts
)

// Bounds of texts, in bytes. maxText is what package pdf takes, maxValue is for values that
// are only drawn.
const (
	maxName   = 2048
	maxText   = 32 << 10
	maxValue  = 1 << 20
	maxFormat = 300
	maxScript = 1 << 20
)

// kind is the type of a form field.
type kind byte

const (
	kindText kind = iota + 1
	kindChoice
	kindCheckbox
	kindRadio
	kindPush
	kindSignature
)

// widget is a widget annotation with its field.
type widget struct {
	node
	ref Ref
	// list contains the widget, in the object listOwner.
	list      types.Array
	listOwner int
	// chain holds the widget and its ancestors, the nearest first. field is the index of the
	// field itself.
	chain []node
	field int
	name  string
	kind  kind
	flags int
	// state is the on-state of a checkbox or radio button.
	state state
}

// form is the interactive form of a file.
type form struct {
	*file
	pages   []page
	widgets []*widget
	byRef   map[Ref]*widget
	// annotations is how many annotations have been read.
	annotations int
	// acro is the AcroForm dictionary, nil if there is none. Reachable holds the objects of
	// its tree of fields, and signatures the signed signature fields in it.
	acro       node
	reachable  map[int]bool
	signatures []signature
	// unread reports whether the tree has more fields than are read.
	unread bool
}

// readForm reads the widgets of all pages.
func (f *file) readForm() *form {
	m := &form{file: f, pages: f.pages(), byRef: map[Ref]*widget{}, reachable: map[int]bool{}}
	m.acro, _ = f.dict(f.root["AcroForm"], int(f.ctx.Root.ObjectNumber))
	for i, p := range m.pages {
		m.readPage(i+1, p)
	}
	m.readFields()
	m.readSignatures()
	m.chooseStates()
	return m
}

func (m *form) readPage(number int, p page) {
	if p.Dict == nil {
		return
	}
	list, owner := m.array(p.Dict["Annots"], p.owner)
	for i, o := range list[:min(len(list), maxAnnotations)] {
		if m.annotations++; m.annotations > maxAllAnnotations || len(m.widgets) >= maxWidgets {
			return
		}
		n, ok := m.dict(o, owner)
		if !ok || m.file.name(n.Dict["Subtype"]) != "Widget" {
			continue
		}
		w := &widget{node: n, ref: Ref{number, i}, list: list, listOwner: owner}
		m.readField(w)
		m.widgets = append(m.widgets, w)
		m.byRef[w.ref] = w
	}
}

// readField finds the field of a widget: the nearest ancestor that has a name, or else one
// that has a type.
func (m *form) readField(w *widget) {
	w.chain = []node{w.node}
	seen := map[int]bool{w.owner: true}
	for n := w.node; len(w.chain) < maxDepth; {
		parent, ok := m.sub(n, "Parent")
		if !ok || seen[parent.owner] {
			break
		}
		seen[parent.owner] = true
		w.chain = append(w.chain, parent)
		n = parent
	}
	has := func(key string) int {
		return slices.IndexFunc(w.chain, func(n node) bool { return n.Dict[key] != nil })
	}
	w.field = max(0, has("FT"))
	if i := has("T"); i >= 0 {
		w.field = i
	}
	w.name = m.qualifiedName(w.chain)
	w.flags = m.integer(w.inherited("Ff"))
	w.kind = m.kindOf(w)
}

// qualifiedName joins the names of a field and its ancestors. Like PDFium, it skips empty
// ones. It returns "" for a name that identify has given.
func (m *form) qualifiedName(chain []node) string {
	var parts []string
	for _, n := range slices.Backward(chain) {
		if part := m.text(n.Dict["T"], maxName); part != "" {
			parts = append(parts, part)
		}
	}
	name := strings.Join(parts, ".")
	if strings.HasPrefix(name, Unnamed) {
		return ""
	}
	return cut(name, maxName)
}

func (m *form) kindOf(w *widget) kind {
	switch m.file.name(w.inherited("FT")) {
	case "Tx":
		return kindText
	case "Ch":
		return kindChoice
	case "Sig":
		return kindSignature
	case "Btn":
		switch {
		case w.flags&flagPush != 0:
			return kindPush
		case w.flags&flagRadio != 0:
			return kindRadio
		}
		return kindCheckbox
	}
	return 0
}

// inherited returns an attribute of the widget or its ancestors, or nil.
func (w *widget) inherited(key string) types.Object {
	for _, n := range w.chain {
		if o := n.Dict[key]; o != nil {
			return o
		}
	}
	return nil
}

// fieldNode returns the dictionary of the field.
func (w *widget) fieldNode() node { return w.chain[w.field] }

// key identifies the field of a widget. Fields of one name and type are one field, and
// a field without a name is identified by its object.
func (w *widget) key() string {
	id := "n" + w.name
	if w.name == "" {
		id = "o" + strconv.Itoa(w.fieldNode().owner)
		if w.field == 0 && w.owner == w.listOwner {
			id = "w" + strconv.Itoa(w.ref.Page) + "." + strconv.Itoa(w.ref.Annotation)
		}
	}
	return string('0'+rune(w.kind)) + id
}

// groups returns the widgets of each field.
func (m *form) groups() map[string][]*widget {
	out := map[string][]*widget{}
	for _, w := range m.widgets {
		out[w.key()] = append(out[w.key()], w)
	}
	return out
}
