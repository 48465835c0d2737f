package wording

import "strings"

// abbreviations never end a sentence. They are in lower case, without the last period.
var abbreviations = map[string]bool{
	"no": true, "nos": true, "sec": true, "secs": true, "sect": true, "art": true, "arts": true, "para": true, "pars": true,
	"cl": true, "ch": true, "fig": true, "vol": true, "pp": true, "ed": true, "st": true, "ste": true, "rm": true,
	"vs": true, "v": true, "e.g": true, "i.e": true, "eg": true, "cf": true, "viz": true, "al": true, "approx": true,
	"mr": true, "mrs": true, "ms": true, "dr": true, "prof": true, "hon": true, "rev": true, "messrs": true, "gen": true,
	"dept": true, "div": true, "attn": true, "tel": true, "ext": true, "reg": true, "ref": true, "rd": true, "ave": true,
	"blvd": true, "hwy": true, "bldg": true, "fl": true, "p.o": true, "c.f.r": true, "u.s.c": true, "stat": true,
	"jan": true, "feb": true, "mar": true, "apr": true, "jun": true, "jul": true, "aug": true, "sept": true, "sep": true,
	"oct": true, "nov": true, "dec": true, "int'l": true, "nat'l": true, "ass'n": true, "assn": true, "mfg": true,
	"exh": true, "sched": true, "amt": true, "est": true, "min": true, "max": true, "incl": true, "excl": true, "resp": true,
	"f/k/a": true, "n": true, "s": true, "e": true, "w": true, "n.w": true, "s.w": true, "n.e": true, "s.e": true,
}

// currencies are abbreviations of currencies, which do not end a sentence if a number follows: "Rs. 500".
var currencies = map[string]bool{
	"rs": true, "ksh": true, "kshs": true, "ush": true, "tsh": true, "sh": true, "shs": true, "tk": true, "rp": true,
	"fr": true, "sfr": true, "frs": true, "dhs": true, "dh": true,
}

// closers are abbreviations that may also end a sentence. They do if the next word begins
// one.
var closers = map[string]bool{
	"inc": true, "corp": true, "co": true, "cos": true, "ltd": true, "llc": true, "l.l.c": true, "lp": true, "l.p": true,
	"llp": true, "l.l.p": true, "plc": true, "p.l.c": true, "s.a": true, "n.a": true, "n.v": true, "b.v": true, "a.g": true,
	"s.p.a": true, "s.r.l": true, "s.a.r.l": true, "s.r.o": true, "sp. z o.o": true, "pty": true, "pte": true, "gmbh": true, "bros": true, "p.c": true,
	"u.s": true, "u.s.a": true, "u.k": true, "d.c": true, "n.y": true, "a.m": true, "p.m": true, "etc": true, "jr": true,
	"sr": true, "ph.d": true, "m.d": true, "esq": true, "et seq": true, "seq": true, "del": true, "cal": true,
	"mass": true, "pa": true, "tex": true, "va": true, "wash": true, "calif": true, "lbs": true, "ft": true, "hrs": true,
	"e.s.t": true, "e.t": true, "p.s.t": true, "c.v": true, "k.k": true, "a.s": true, "a/s": true, "s.c": true,
}

// starters are words that begin sentences in contracts, but not names.
var starters = map[string]bool{
	"the": true, "this": true, "these": true, "those": true, "that": true, "in": true, "if": true, "each": true, "any": true,
	"all": true, "no": true, "neither": true, "either": true, "both": true, "it": true, "its": true, "such": true, "an": true,
	"upon": true, "unless": true, "except": true, "notwithstanding": true, "subject": true, "for": true, "to": true,
	"as": true, "at": true, "on": true, "when": true, "where": true, "within": true, "without": true, "should": true,
	"however": true, "further": true, "furthermore": true, "provided": true, "during": true, "after": true, "before": true,
	"by": true, "nothing": true, "there": true, "they": true, "we": true, "you": true, "he": true, "she": true, "a": true,
	"with": true, "whereas": true, "now": true, "other": true, "every": true, "his": true, "her": true, "our": true,
	"your": true, "their": true, "until": true, "under": true, "from": true, "additionally": true, "accordingly": true,
	"therefore": true, "once": true, "while": true, "because": true, "since": true, "here": true, "thereafter": true,
}

// BeginsSentence reports whether a word begins sentences in contracts, but not names.
func BeginsSentence(word string) bool { return starters[strings.ToLower(word)] }

// numberedWords may be followed by a single letter or number, after which a period ends the
// sentence: "as set out in Exhibit A."
var numberedWords = map[string]bool{
	"exhibit": true, "schedule": true, "annex": true, "appendix": true, "attachment": true, "section": true, "sections": true,
	"article": true, "articles": true, "part": true, "class": true, "series": true, "phase": true, "party": true, "item": true,
	"clause": true, "paragraph": true, "tier": true, "type": true, "level": true, "category": true, "group": true, "annexes": true,
	"exhibits": true, "schedules": true, "option": true, "company": true, "grade": true, "vitamin": true, "and": true, "or": true,
}
