package domain

import "github.com/rectohq/recto/libs/contract"

// Permission is what a user may do with a document. Edit includes View.
type Permission string

// The permissions.
const (
	None Permission = ""
	View Permission = "view"
	Edit Permission = "edit"
)

// Access says who may do what with a document. Its owner, who is its creator, may do
// everything.
type Access struct {
	// Organization is the permission of every user of the owning organization.
	Organization Permission `json:"organization"`
	// Users are exceptions, by user id.
	Users map[string]Permission `json:"users,omitempty"`
}

// Permits reports whether the principal has the permission what for d. It is the only
// place that decides. For other organizations the document does not exist.
func (d Document) Permits(p contract.Principal, what Permission) bool {
	if p.Organization != d.Organization {
		return false
	}
	granted, exception := d.Access.Users[p.User.ID]
	switch {
	case p.User.ID == d.CreatedBy.ID:
		granted = Edit
	case !exception:
		granted = d.Access.Organization
	}
	return granted == Edit || granted == what && what != None
}
