package domain

import "github.com/rectohq/recto/libs/contract"

// Permission is what somebody may do with a document. Edit includes View.
type Permission string

// The permissions.
const (
	None Permission = ""
	View Permission = "view"
	Edit Permission = "edit"
)

// Access says who may do what with a document. Its owner, who is its creator,
// may do all.
type Access struct {
	// Organization is what every user of the owning organization may do.
	Organization Permission `json:"organization"`
	// Users are exceptions by user id.
	Users map[string]Permission `json:"users,omitempty"`
}

// Permits reports whether the principal may do what with d. It is the one place
// that decides. To another organization a document is not there at all.
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
