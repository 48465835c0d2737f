package contract_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rectohq/recto/libs/contract"
)

func TestDeriveID(t *testing.T) {
	at := time.UnixMilli(1_700_000_000_000)
	id := contract.DeriveID(contract.DocumentPrefix, at, "a")
	if again := contract.DeriveID(contract.DocumentPrefix, at, "a"); again != id {
		t.Errorf("derived %s, then %s", id, again)
	}
	if len(id) != len(contract.NewID(contract.DocumentPrefix)) || !strings.HasPrefix(id, "doc_01hf7yat00") {
		t.Errorf("derived %s", id)
	}
	ids := []string{id, contract.DeriveID(contract.DocumentPrefix, at, "b"), contract.DeriveID(contract.DocumentPrefix, at.Add(time.Millisecond), "a")}
	slices.Sort(ids)
	if len(slices.Compact(slices.Clone(ids))) != 3 || ids[2] != contract.DeriveID(contract.DocumentPrefix, at.Add(time.Millisecond), "a") {
		t.Errorf("ids of different seeds and times are %v", ids)
	}
}
