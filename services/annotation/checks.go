package annotation

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/rectohq/recto/libs/formats/pdf/typeset"
	"github.com/rectohq/recto/libs/runner"
)

// fontsCheck returns the check that the folders have fonts for every script in which forms
// are usually filled.
func fontsCheck(dirs []string) runner.Check {
	return runner.Check{Name: "form fonts", Run: func(context.Context) (string, error) { return checkFonts(dirs) }}
}

// checkFonts looks for a font of each script. Without one, values in this script are refused
// for PDFs and accepted for Word documents.
func checkFonts(dirs []string) (string, error) {
	var found, missing, packages []string
	for _, s := range typeset.NewFonts(dirs...).Scripts() {
		if s.Found {
			found = append(found, s.Name)
			continue
		}
		missing = append(missing, s.Name)
		if !slices.Contains(packages, s.Package) {
			packages = append(packages, s.Package)
		}
	}
	if len(missing) > 0 {
		return "", &runner.Advice{
			Err:      fmt.Errorf("no font for %s is installed: PDFs cannot be filled with such text", strings.Join(missing, ", ")),
			Fix:      "apt-get install -y --no-install-recommends " + strings.Join(packages, " "),
			Optional: true,
		}
	}
	return "for " + strings.Join(found, ", "), nil
}
