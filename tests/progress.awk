# Reads the output of go test -v and shows one line for each test as it ends,
# so that who waits sees how far it is; of a test that fails or is skipped, all
# that it wrote.
/^=== RUN +[^\/]*$/ { held = ""; next }
/^=== |^PASS$/ { next }
/^--- PASS/ { sub(/^--- PASS: /, ""); print "  " $0; held = ""; fflush(); next }
/^--- (FAIL|SKIP)/ { printf "%s", held; held = "" }
/^--- |^ +--- FAIL|^(ok|FAIL|\?)/ { print; fflush(); next }
{ held = held $0 "\n" }
END { printf "%s", held } # a panic, or a test that did not end
