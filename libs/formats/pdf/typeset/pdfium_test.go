package typeset_test

import (
	"bytes"
	"context"
	"image/png"
	"io"
	"os"
	"sync"
	"testing"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
)

// startPDFium starts a PDFium that all tests share.
var startPDFium = sync.OnceValues(func() (pdfium.Pdfium, error) {
	config := wazero.NewRuntimeConfig()
	if dir := os.Getenv("RECTO_TEST_OUTPUT"); dir != "" {
		cache, err := wazero.NewCompilationCacheWithDir(dir + "/cache")
		if err != nil {
			return nil, err
		}
		config = config.WithCompilationCache(cache)
	}
	pool, err := webassembly.Init(webassembly.Config{
		MaxIdle: 1, MaxTotal: 1, FSConfig: wazero.NewFSConfig(), RuntimeConfig: config,
		Stdout: io.Discard, Stderr: io.Discard,
	})
	if err != nil {
		return nil, err
	}
	return pool.GetInstanceWithContext(context.Background())
})

// onPage calls a function with the first page of a file.
func onPage(t testing.TB, file []byte, use func(pdfium.Pdfium, requests.Page) error) {
	t.Helper()
	p, err := startPDFium()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := p.OpenDocument(&requests.OpenDocument{File: &file})
	if err != nil {
		t.Fatal(err)
	}
	defer p.FPDF_CloseDocument(&requests.FPDF_CloseDocument{Document: doc.Document})
	page := requests.Page{ByIndex: &requests.PageByIndex{Document: doc.Document}}
	if err := use(p, page); err != nil {
		t.Fatal(err)
	}
}

// pdfiumText returns the text of the first page.
func pdfiumText(t testing.TB, file []byte) (text string) {
	t.Helper()
	onPage(t, file, func(p pdfium.Pdfium, page requests.Page) error {
		got, err := p.GetPageText(&requests.GetPageText{Page: page})
		if err == nil {
			text = got.Text
		}
		return err
	})
	return text
}

// pdfiumPicture returns the first page as PNG, with 144 pixels per inch.
func pdfiumPicture(t testing.TB, file []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	onPage(t, file, func(p pdfium.Pdfium, page requests.Page) error {
		got, err := p.RenderPageInDPI(&requests.RenderPageInDPI{Page: page, DPI: 144})
		if err != nil {
			return err
		}
		defer got.Cleanup()
		return png.Encode(&out, got.Result.Image)
	})
	return out.Bytes()
}
