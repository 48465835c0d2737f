package fields

import "cmp"

// GenderOptions returns the default options of a gender field.
func GenderOptions() []Option {
	return []Option{{Display: "Male"}, {Display: "Female"}, {Display: "Non-binary"}, {Display: "Other"}, {Display: "Prefer not to say"}}
}

// Choices returns the options from which values of f are chosen.
func (f Field) Choices() []Option {
	if f.Type == Gender && len(f.Options) == 0 {
		return GenderOptions()
	}
	return f.Options
}

// InFile returns the file's name for the option.
func (o Option) InFile() string { return cmp.Or(o.Box, o.Display) }

// Displayed returns the display texts of the options with the given names in the file.
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
