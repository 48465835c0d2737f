package docx

// Limits bounds what Open admits and what reading it costs. Nothing is
// unlimited: a field that is zero admits nothing of its kind.
type Limits struct {
	// Entries is how many entries the ZIP container may have, folders included.
	Entries int
	// DirectoryBytes is how large the directory of the container may be, in
	// bytes. It is read into memory as a whole.
	DirectoryBytes int64
	// PartBytes is how large a part may be when unpacked, in bytes.
	PartBytes int64
	// TotalBytes is how large all parts together may be when unpacked, in bytes.
	TotalBytes int64
	// XMLBytes is how large a part of XML may be when unpacked, in bytes, and
	// before UTF-16 becomes UTF-8.
	XMLBytes int64
	// IndexBytes is how large [Content_Types].xml and the relationships of one
	// part may be when unpacked, in bytes. Open parses them, which is the
	// slowest thing that it does; 1 MiB holds about 6000 relationships.
	IndexBytes int64
	// Ratio is how many bytes may become of one packed byte, in each part and
	// in all of them together, where these are larger than RatioFrom.
	Ratio int64
	// RatioFrom is the size in unpacked bytes up to which the ratio is not
	// looked at.
	RatioFrom int64
	// Depth is how deep elements may be nested; the root element has depth 1.
	Depth int
	// Attributes is how many attributes an element may have, with the
	// declarations of namespaces.
	Attributes int
	// NameBytes is how long the name of an entry may be, and that of an
	// element, an attribute, or the target of a processing instruction, in bytes.
	NameBytes int
}

// DefaultLimits returns bounds that real documents stay far below.
//
// On the ratio: Word's own XML packs 1:5 to 1:40, but a form of thousands of
// alike empty paragraphs reaches 1:290 and a white bitmap 1:1000, which is all
// that Deflate can do. Below 16 MiB such a part does no harm; above, it was made
// to exhaust whoever unpacks it.
func DefaultLimits() Limits {
	return Limits{
		Entries:        10_000,
		DirectoryBytes: 8 << 20,
		PartBytes:      256 << 20,
		TotalBytes:     1 << 30,
		XMLBytes:       128 << 20,
		IndexBytes:     8 << 20,
		Ratio:          200,
		RatioFrom:      16 << 20,
		Depth:          256,
		Attributes:     256,
		NameBytes:      1024,
	}
}

// inflates reports whether size bytes are more than packed bytes may become.
// The division rounds down so that no product can overflow.
func (l Limits) inflates(size, packed int64) bool {
	return size > l.RatioFrom && (packed == 0 || l.Ratio == 0 || (size-1)/packed >= l.Ratio)
}
