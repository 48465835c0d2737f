package job

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/problem"
	"github.com/rectohq/recto/libs/telemetry"
)

// body holds the fields of a record that no query filters by.
type body struct {
	Principal contract.Principal `json:"principal"`
	Progress  float64            `json:"progress"`
	Request   jsontext.Value     `json:"request"`
	Result    jsontext.Value     `json:"result,omitzero"`
	Error     *problem.Error     `json:"error,omitzero"`
	Attempt   int                `json:"attempt"`
	Tries     int                `json:"tries"`
	Owner     string             `json:"owner,omitzero"`
	Origin    telemetry.Origin   `json:"origin,omitzero"`
}

// Body encodes, as JSON, the fields of the record that no query filters by. Every Store
// keeps this JSON next to the other fields.
func (r Record) Body() ([]byte, error) {
	data, err := json.Marshal(body{r.Principal, r.Progress, r.Request, r.Result, r.Error, r.Attempt, r.Tries, r.Owner, r.Origin})
	if err != nil {
		return nil, fmt.Errorf("encode job %s: %w", r.ID, err)
	}
	return data, nil
}

// SetBody sets the fields that Body encoded for a record of the organization.
func (r *Record) SetBody(organization string, data []byte) error {
	var b body
	if err := json.Unmarshal(data, &b); err != nil {
		return fmt.Errorf("decode job %s: %w", r.ID, err)
	}
	r.Principal, r.Progress, r.Request, r.Result = b.Principal, b.Progress, b.Request, b.Result
	r.Error, r.Attempt, r.Tries, r.Owner, r.Origin = b.Error, b.Attempt, b.Tries, b.Owner, b.Origin
	r.Principal.Organization = organization
	return nil
}
