# Reads the output of go test -v and prints one line for each test when it ends, to show
# progress. For a test that fails or is skipped it prints all output of the test.
# It appends one line for each failure to the file named by the variable "failed": the
# package without the variable "prefix", the test, and the variable "note". The first
# messages of the test follow, because the end of a long log may be all that is kept of it.

# remember records a failed test of the current package, and the output of the test.
function remember(name, output) {
	for (i = 1; i <= count; i++)
		if (names[i] == name)
			return
	names[++count] = name
	messages[name] = firstMessages(output)
}

# firstMessages returns the first messages in the output of a test: lines that begin with a
# file and a line number, and those below with more indentation.
function firstMessages(output,    lines, n, i, inside, taken, text) {
	n = split(output, lines, "\n")
	for (i = 1; i <= n && taken < 8; i++) {
		inside = lines[i] ~ /^ +[^ ]+\.go:[0-9]+: / || inside && lines[i] ~ /^        /
		if (inside) {
			text = text "  " substr(lines[i], 1, 400) "\n"
			taken++
		}
	}
	return text
}

# tell writes the failures of a package: its failed tests or, if there are none, the
# reason.
function tell(package, reason) {
	if (failed != "") {
		if (prefix != "" && index(package, prefix) == 1)
			package = substr(package, length(prefix) + 1)
		for (i = 1; i <= count; i++)
			printf "%s  %s%s\n%s", package, names[i], note, messages[names[i]] >> failed
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
/^--- FAIL/ { remember($3, held) }
/^--- (FAIL|SKIP)/ { printf "%s", held; held = "" }
/^panic: test timed out/ { late = 1 }
/^(panic|fatal error): / && crash == "" { crash = $0 }
/^\t\tTest/ && late { remember($1 " (timed out)", held) }
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
