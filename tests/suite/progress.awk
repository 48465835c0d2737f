# Reads the output of go test -v and prints one line for each test when it ends, to show
# progress. For a test that fails or is skipped it prints all output of the test.
# It appends one line for each failure to the file named by the variable "failed": the
# package without the variable "prefix", the test, and the variable "note".

# remember records a failed test of the current package.
function remember(name) {
	for (i = 1; i <= count; i++)
		if (names[i] == name)
			return
	names[++count] = name
}

# tell writes the failures of a package: its failed tests or, if there are none, the
# reason.
function tell(package, reason) {
	if (failed != "") {
		if (prefix != "" && index(package, prefix) == 1)
			package = substr(package, length(prefix) + 1)
		for (i = 1; i <= count; i++)
			print package "  " names[i] note >> failed
		if (count == 0)
			print package "  (" reason ")" note >> failed
	}
	forget()
}

function forget() {
	count = 0
	late = crash = ""
}

/^=== RUN +[^\/]*$/ { held = ""; next }
/^=== |^PASS$/ { next }
/^--- PASS/ { sub(/^--- PASS: /, ""); print "  " $0; held = ""; fflush(); next }
/^--- FAIL/ { remember($3) }
/^--- (FAIL|SKIP)/ { printf "%s", held; held = "" }
/^panic: test timed out/ { late = 1 }
/^(panic|fatal error): / && crash == "" { crash = $0 }
/^\t\tTest/ && late { remember($1 " (timed out)") }
/^FAIL\t/ {
	if ($0 ~ /\[.*\]$/) {
		reason = $0
		sub(/.*\[/, "", reason)
		sub(/\]$/, "", reason)
	} else
		reason = crash != "" ? crash : "failed outside its tests"
	if (held != "")
		printf "%s", held
	held = ""
	tell($2, reason)
}
/^ok/ { held = ""; forget() }
/^--- |^ +--- FAIL|^(ok|FAIL|\?)/ { print; fflush(); next }
{ held = held $0 "\n" }
END { # the run may have been cut off
	printf "%s", held
	if (count > 0)
		tell("?", "")
}
