package datadir

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/gateway"
)

// Credentials is the file with everything that a client needs.
func (d Dir) Credentials() string { return filepath.Join(d.path, "credentials.json") }

// Credentials is the content of credentials.json: everything that a client needs.
type Credentials struct {
	BaseURL             string `json:"base_url"`
	CAFile              string `json:"ca_file"`
	gateway.Credentials `json:",inline"`
}

// pendingSuffix marks the credentials of a program that is not ready yet.
const pendingSuffix = ".pending"

// Deliver stores credentials until Publish moves them to where clients look.
func (d Dir) Deliver(c gateway.Credentials) error {
	return d.writeCredentials(d.Credentials()+pendingSuffix, Credentials{Credentials: c})
}

// Publish updates credentials.json with the delivered credentials, if there are any, and
// with the current addresses. It returns the credentials, which are empty if there is no
// credentials.json.
func (d Dir) Publish(baseURL, caFile string) (c Credentials, err error) {
	path := d.Credentials()
	if _, err := os.Stat(path + pendingSuffix); err == nil {
		path += pendingSuffix
	}
	content, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(content, &c); err != nil {
		return c, fmt.Errorf("read %s: %w", path, err)
	}
	c.BaseURL, c.CAFile = baseURL, caFile
	curl := fmt.Sprintf("# For curl -K: the certificate authority and the API key of Recto.\ncacert = %q\nheader = \"x-api-key: %s\"\n", caFile, c.APIKey)
	err = errors.Join(d.writeCredentials(d.Credentials(), c), writeFile(d.CurlConfig(), []byte(curl)))
	if err == nil {
		_ = os.Remove(d.Credentials() + pendingSuffix) // it may not exist
	}
	return c, err
}

// Published returns the credentials in credentials.json, which are empty if there is no
// such file.
func (d Dir) Published() (c Credentials, err error) {
	content, err := os.ReadFile(d.Credentials())
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err == nil {
		err = json.Unmarshal(content, &c)
	}
	if err != nil {
		err = fmt.Errorf("read %s: %w", d.Credentials(), err)
	}
	return c, err
}

// writeCredentials writes credentials atomically, as indented JSON that only the owner
// can read.
func (d Dir) writeCredentials(path string, c Credentials) error {
	content, err := json.Marshal(c, jsontext.Multiline(true))
	if err != nil {
		return err
	}
	return writeFile(path, append(content, '\n'))
}
