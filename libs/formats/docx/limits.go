package docx

// Limits bounds what Open admits and what reading it costs. No limit can be turned off: a
// field that is zero admits nothing of its kind.
type Limits struct {
	// Entries is the maximum number of entries in the ZIP container, including folders.
	Entries int
	// DirectoryBytes is the maximum size of the container's directory, in bytes. The
	// whole directory is read into memory.
	DirectoryBytes int64
	// PartBytes is the maximum uncompressed size of a part, in bytes.
	PartBytes int64
	// TotalBytes is the maximum uncompressed size of all parts together, in bytes.
	TotalBytes int64
	// XMLBytes is the maximum uncompressed size of an XML part, in bytes, before UTF-16
	// is converted to UTF-8.
	XMLBytes int64
	// IndexBytes is the maximum uncompressed size of [Content_Types].xml, and of the
	// relationships of one part, in bytes. Parsing them is the slowest step of Open; 1
	// MiB holds about 6000 relationships.
	IndexBytes int64
	// Ratio is the maximum ratio of uncompressed to compressed bytes. It applies to each
	// part, and to all parts together, where they are larger than RatioFrom.
	Ratio int64
	// RatioFrom is the uncompressed size, in bytes, up to which Ratio is not checked.
	RatioFrom int64
	// Depth is the maximum nesting depth of elements; the root element has depth 1.
	Depth int
	// Attributes is the maximum number of attributes of an element, including namespace
	// declarations.
	Attributes int
	// NameBytes is the maximum length, in bytes, of the name of an entry, an element or
	// an attribute, and of the target of a processing instruction.
	NameBytes int
}

// DefaultLimits returns limits that real documents stay far below.
//
// On the ratio: Word's own XML compresses 1:5 to 1:40, but a form of thousands of
// identical empty paragraphs reaches 1:290 and a white bitmap 1:1000, which is the most
// that Deflate can do. Below 16 MiB such a part is harmless; above, it was built to
// exhaust the program that unpacks it.
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

// inflates reports whether size exceeds what packed bytes may unpack to. The division
// rounds down so that no product can overflow.
func (l Limits) inflates(size, packed int64) bool {
	return size > l.RatioFrom && (packed == 0 || l.Ratio == 0 || (size-1)/packed >= l.Ratio)
}
