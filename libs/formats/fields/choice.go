package fields

import "cmp"

// GenderOptions returns the options of a gender field that has none of its own.
func GenderOptions() []Option {
	return []Option{{Display: "Male"}, {Display: "Female"}, {Display: "Non-binary"}, {Display: "Other"}, {Display: "Prefer not to say"}}
}

// Choices returns the options that values of f are chosen from.
func (f Field) Choices() []Option {
	if f.Type == Gender && len(f.Options) == 0 {
		return GenderOptions()
	}
	return f.Options
}

// InFile returns what the file calls the option.
func (o Option) InFile() string { return cmp.Or(o.Box, o.Display) }

// Displayed returns what the options of those names in the file display.
func (f Field) Displayed(names []string) []string {
	shown := make([]string, 0, len(names))
	for _, name := range names {
		for _, o := range f.Options {
			if o.InFile() == name {
				name = o.Display
				break
			}
		}
		shown = append(shown, name)
	}
	return shown
}
