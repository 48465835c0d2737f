package merge

import (
	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/parties"
)

// number gives signers without an index and an id the next ones. Those of the rules have
// theirs, and fields refer to them.
func number(signers []finding.Found[insightapi.Signer]) {
	for i := range signers {
		if s := &signers[i].Item; s.SignerIndex == nil {
			s.SignerIndex, s.SignerID = parties.Numbered(i)
		}
	}
}
