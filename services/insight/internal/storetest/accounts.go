package storetest

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/services/insight/internal/llm/ledger"
)

// writers is the number of concurrent writers of one record.
const writers = 16

// account returns an account with all properties set. The names of its models have
// characters with a meaning in databases.
func account(organization, period string) ledger.Account {
	return ledger.Account{
		Organization: organization, Period: period, ExpiresAt: 1_700_000_000_002,
		Models: map[string]ledger.Use{
			"openai/gpt-4.1": {Tokens: insightapi.Tokens{Requests: 1, InputTokens: 2, CachedTokens: 3, OutputTokens: 4}, CostMicroUSD: 5},
			"ollama/$a.b:1b": {Tokens: insightapi.Tokens{InputTokens: 1 << 50}},
		},
		Open: map[string]int64{"a": 7},
	}
}

func put(t *testing.T, s Store, a ledger.Account) {
	t.Helper()
	if err := s.PutAccount(t.Context(), a); err != nil {
		t.Fatal(err)
	}
}

func list(t *testing.T, s Store, f ledger.Filter, limit int) []ledger.Account {
	t.Helper()
	accounts, err := s.Accounts(t.Context(), f, limit)
	if err != nil {
		t.Fatal(err)
	}
	return accounts
}

// accountIs checks a stored account, which must have the given properties.
func accountIs(t *testing.T, s Store, want ledger.Account) {
	t.Helper()
	got, err := s.Account(t.Context(), want.Organization, want.Period)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("the account is %+v, %v; want %+v", got, err, want)
	}
}

// testAccounts shows that Account returns what was put last, and that accounts of other
// organizations and periods are separate.
func testAccounts(t *testing.T, s Store) {
	accountIs(t, s, ledger.Account{Organization: "org_a", Period: "2026-11-01"})
	a := account("org_a", "2026-11-01")
	put(t, s, a)
	a.Revision = 1
	accountIs(t, s, a)
	a.Models, a.Open, a.ExpiresAt = map[string]ledger.Use{"x": {CostMicroUSD: 1}}, nil, 9
	put(t, s, a)
	a.Revision = 2
	accountIs(t, s, a)
	accountIs(t, s, ledger.Account{Organization: "org_b", Period: "2026-11-01"})
	accountIs(t, s, ledger.Account{Organization: "org_a", Period: "2026-11-02"})
	accountIs(t, s, ledger.Account{Period: "2026-11-01"})
}

// testAccountsConflict shows that only a write with the stored revision changes an
// account.
func testAccountsConflict(t *testing.T, s Store) {
	a := account(organization, "2026-11-01")
	put(t, s, a)
	put(t, s, ledger.Account{Organization: organization, Period: "2026-11-01", Revision: 1})
	stored := ledger.Account{Organization: organization, Period: "2026-11-01", Revision: 2}
	for _, revision := range []int64{0, 1, 3} {
		a.Revision = revision
		if err := s.PutAccount(t.Context(), a); !errors.Is(err, ledger.ErrConflict) {
			t.Errorf("revision %d over 2: %v, want ErrConflict", revision, err)
		}
		accountIs(t, s, stored)
	}
	a.Period, a.Revision = "2026-11-02", 1
	if err := s.PutAccount(t.Context(), a); !errors.Is(err, ledger.ErrConflict) {
		t.Errorf("revision 1 of no account: %v, want ErrConflict", err)
	}
	accountIs(t, s, ledger.Account{Organization: organization, Period: "2026-11-02"})
}

// testAccountsRace has 16 writers count in one account: nothing that one of them counted
// is lost.
func testAccountsRace(t *testing.T, s Store) {
	const each = 5
	var work sync.WaitGroup
	for n := range writers {
		work.Go(func() {
			for range each {
				if err := count(t, s, fmt.Sprint("model", n%3)); err != nil {
					t.Errorf("writer %d: %v", n, err)
				}
			}
		})
	}
	work.Wait()
	a, err := s.Account(t.Context(), organization, "2026-11-01")
	if err != nil || a.Used() != writers*each || a.Revision != writers*each || len(a.Models) != 3 {
		t.Errorf("after %d writes the account is %+v, %v", writers*each, a, err)
	}
}

// count counts one token, and tries again if another writer was faster.
func count(t *testing.T, s Store, model string) error {
	for {
		a, err := s.Account(t.Context(), organization, "2026-11-01")
		if err != nil {
			return err
		}
		if a.Models == nil {
			a.Models = map[string]ledger.Use{}
		}
		a.Models[model] = a.Models[model].Plus(ledger.Use{Tokens: insightapi.Tokens{InputTokens: 1}})
		if err := s.PutAccount(t.Context(), a); !errors.Is(err, ledger.ErrConflict) {
			return err
		}
	}
}

// testAccountsRaceToInsert has 16 writers insert the same account: one of them wins.
func testAccountsRaceToInsert(t *testing.T, s Store) {
	var work sync.WaitGroup
	errs := make([]error, writers)
	for n := range writers {
		work.Go(func() { errs[n] = s.PutAccount(t.Context(), account(organization, "2026-11-01")) })
	}
	work.Wait()
	won := 0
	for n, err := range errs {
		if err == nil {
			won++
		} else if !errors.Is(err, ledger.ErrConflict) {
			t.Errorf("writer %d: %v", n, err)
		}
	}
	if won != 1 {
		t.Errorf("%d writers have won", won)
	}
}

// testAccountsList shows which accounts are listed, and in which order. Accounts of
// minutes are not.
func testAccountsList(t *testing.T, s Store) {
	for _, day := range []string{"2026-11-09", "2026-11-30", "2026-12-01", "2026-11-10"} {
		put(t, s, account("org_b", day))
		put(t, s, account("org_a", day))
	}
	put(t, s, account("", "2026-11-10T10:05Z"))
	for name, c := range map[string]struct {
		filter ledger.Filter
		limit  int
		want   string
	}{
		"all":          {ledger.Filter{}, 100, "2026-12-01 a, 2026-12-01 b, 2026-11-30 a, 2026-11-30 b, 2026-11-10 a, 2026-11-10 b, 2026-11-09 a, 2026-11-09 b"},
		"limit":        {ledger.Filter{}, 3, "2026-12-01 a, 2026-12-01 b, 2026-11-30 a"},
		"organization": {ledger.Filter{Organization: "org_b"}, 100, "2026-12-01 b, 2026-11-30 b, 2026-11-10 b, 2026-11-09 b"},
		"since":        {ledger.Filter{Since: "2026-11-30"}, 100, "2026-12-01 a, 2026-12-01 b, 2026-11-30 a, 2026-11-30 b"},
		"until":        {ledger.Filter{Until: "2026-11-10"}, 100, "2026-11-10 a, 2026-11-10 b, 2026-11-09 a, 2026-11-09 b"},
		"everything":   {ledger.Filter{Organization: "org_a", Since: "2026-11-10", Until: "2026-11-30"}, 1, "2026-11-30 a"},
		"none":         {ledger.Filter{Organization: "org_c"}, 100, ""},
	} {
		var got []string
		for _, a := range list(t, s, c.filter, c.limit) {
			got = append(got, a.Period+" "+strings.TrimPrefix(a.Organization, "org_"))
			want := account(a.Organization, a.Period)
			if want.Revision = 1; !reflect.DeepEqual(a, want) {
				t.Errorf("%s: the account is %+v, want %+v", name, a, want)
			}
		}
		if strings.Join(got, ", ") != c.want {
			t.Errorf("%s: listed are %v, want %s", name, got, c.want)
		}
	}
}
