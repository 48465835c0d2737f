package documentapi

import (
	"github.com/rectohq/recto/libs/contract"
	"github.com/rectohq/recto/libs/jsonbody"
	"github.com/rectohq/recto/libs/problem"
)

// UpdateRequest changes the fields of a document that are set.
type UpdateRequest struct {
	DocumentID string `json:"document_id"`
	// Name is the new name, or "" to keep the current one.
	Name string `json:"name,omitzero"`
	// State is the new state, or "" to keep the current one. An agreement cannot become a
	// draft.
	State State `json:"state,omitzero"`
	// ParseUpdate sets only the id of UpdatedBy, to "" if it was not sent. The
	// gateway completes it.
	UpdatedBy contract.User `json:"updated_by"`
}

// DeleteRequest deletes a document.
type DeleteRequest struct {
	DocumentID string `json:"document_id"`
}

// ParseUpdate parses the body of Update Document. The error is a *problem.Error that
// lists every problem of the body.
func ParseUpdate(documentID string, body []byte) (UpdateRequest, error) {
	r := UpdateRequest{DocumentID: documentID}
	err := jsonbody.Read(body, func(o *jsonbody.Object) {
		if _, ok := o.Optional("name"); ok {
			r.Name = readTrimmed(o, "name", checkName)
		}
		if v, text, ok := o.OptionalString("state"); ok {
			v.Check(checkState(State(text)))
			r.State = State(text)
		}
		r.UpdatedBy.ID = readUserID(o, "updated_by")
	})
	if err == nil && r.Name == "" && r.State == "" && r.UpdatedBy.ID == "" {
		err = problem.New(problem.InvalidRequest, "The body changes nothing. Send at least one of name, state and updated_by.")
	}
	return r, err
}

// Validate checks the rules of the fields again in the service.
func (r UpdateRequest) Validate() error {
	var problems problem.List
	if r.Name != "" {
		problems.Check("name", r.Name, checkName(r.Name))
	}
	if r.State != "" {
		problems.Check("state", string(r.State), checkState(r.State))
	}
	problems.Check("updated_by", r.UpdatedBy.ID, checkUserID(r.UpdatedBy.ID))
	return problems.Err()
}

// CheckTransition returns an error if a document cannot change from one state to the
// other. Only an agreement cannot: it stays an agreement.
func CheckTransition(from, to State) error {
	if from != Agreement || to != Draft {
		return nil
	}
	var problems problem.List
	problems.Check("state", string(to), &problem.Fault{
		Code: problem.CodeStateMismatch, Message: "cannot change to draft: the document is an agreement",
		Resolution: "Remove state. To change the content of an agreement, create a new document.",
	})
	return problems.Err()
}
