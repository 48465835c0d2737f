package filetype

// MIME returns the media type of files of type t, or "application/octet-stream" if it has
// none.
func (t Type) MIME() string {
	if m, ok := mimes[t]; ok {
		return m
	}
	return "application/octet-stream"
}

const office = "application/vnd.openxmlformats-officedocument."

// mimes holds the media types registered with IANA, and Microsoft's own for files with
// macros.
var mimes = map[Type]string{
	PDF:  "application/pdf",
	DOCX: office + "wordprocessingml.document",
	DOTX: office + "wordprocessingml.template",
	DOCM: "application/vnd.ms-word.document.macroEnabled.12",
	DOTM: "application/vnd.ms-word.template.macroEnabled.12",
	DOC:  "application/msword",
	ODT:  "application/vnd.oasis.opendocument.text",
	RTF:  "application/rtf",
	Text: "text/plain",
	HTML: "text/html",
	XML:  "application/xml",
	XLSX: office + "spreadsheetml.sheet",
	XLS:  "application/vnd.ms-excel",
	ODS:  "application/vnd.oasis.opendocument.spreadsheet",
	CSV:  "text/csv",
	PPTX: office + "presentationml.presentation",
	PPT:  "application/vnd.ms-powerpoint",
	ODP:  "application/vnd.oasis.opendocument.presentation",
	ODG:  "application/vnd.oasis.opendocument.graphics",
	ZIP:  "application/zip",
	PNG:  "image/png",
	JPEG: "image/jpeg",
	GIF:  "image/gif",
	TIFF: "image/tiff",
	SVG:  "image/svg+xml",
}
