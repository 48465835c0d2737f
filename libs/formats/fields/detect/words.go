package detect

import (
	"strings"

	"github.com/rectohq/recto/libs/formats/fields"
)

// set is a set of lower-case words. The lists below never change.
type set map[string]bool

func setOf(words string) set {
	s := make(set)
	for _, w := range strings.Fields(words) {
		s[w] = true
	}
	return s
}

// nounTypes maps the nouns that determine the type of a blank's values.
var nounTypes = typesOf(map[fields.Type]string{
	fields.Name: `name names firstname lastname surname fullname signatory signer witness attention attn officer
		director person individual vorname nachname nom prénom prenom nombre apellido apellidos nome cognome`,
	fields.Company: `company corporation employer entity firm organization organisation business unternehmen
		gesellschaft société societe entreprise empresa compañía compania società societa azienda corp`,
	fields.Address: `address addresses residence domicile anschrift adresse dirección direccion domicilio indirizzo`,
	fields.Phone: `phone telephone tel mobile cell cellphone fax facsimile telefon mobil handy téléphone telephone
		teléfono telefono móvil movil cellulare`,
	fields.Email:     `email emails courriel correo`,
	fields.URL:       `url website homepage webseite`,
	fields.SSN:       `ssn`,
	fields.Gender:    `gender geschlecht`,
	fields.Date:      `date dates birthdate birthday datum geburtsdatum fecha`,
	fields.Signature: `signature signatures unterschrift firma assinatura`,
	fields.Number:    `number amount quantity betrag anzahl montant importe cantidad importo`,
	fields.Image:     `logo photo photograph picture`,
})

func typesOf(words map[fields.Type]string) map[string]fields.Type {
	types := make(map[string]fields.Type)
	for t, list := range words {
		for w := range setOf(list) {
			types[w] = t
		}
	}
	return types
}

// plainNouns name values that are plain text.
var plainNouns = setOf(`title position role occupation city town state province county country zip postcode postal
	code jurisdiction street nationality citizenship party parties customer client vendor supplier provider seller
	buyer purchaser landlord tenant lessor lessee borrower lender employee founder stockholder shareholder investor
	contractor consultant licensor licensee recipient discloser assignor assignee grantor grantee guarantor member
	manager partner description details reference percentage percent purpose currency price fee rate salary
	compensation year month day time age initials location place department project product invoice account iban bic
	swift tin ein vat passport license licence id identifier text value detail specify blank tbd tba placeholder
	data representative contact names titles numbers addresses disposition explanation reason reasons deadline period duration
	certificate protocol counterparty spouse applicant patient student parent guardian beneficiary trustee
	ort straße strasse plz land stadt beruf titel ville pays rue lugar ciudad país pais calle luogo città citta paese
	via titre fonction fonctions cargo titolo qualifica`)

// organizations distinguish the name of a company from that of a person.
var organizations = setOf(`company corporation corp employer entity firm organization organisation business llc inc
	ltd gmbh bank issuer institution agency subsidiary affiliate association university vendor supplier
	unternehmen gesellschaft société societe entreprise empresa compañía compania società societa azienda`)

// imperatives begin prompts that are instructions.
var imperatives = setOf(`insert enter specify describe fill add provide list identify complete indicate type input
	give choose select write attach click put set include state define explain customize customise tbd einfügen
	eintragen eingeben ergänzen insérer inserer saisir indiquer préciser compléter insertar indicar especificar
	completar inserire indicare specificare please bitte`)

// functionWords begin phrases that are part of a sentence and not the name of a value.
var functionWords = setOf(`and or but nor if unless until except provided subject notwithstanding in on at by for from to
	with without within upon under over of as than then that this these those such any no each all either neither both
	its their his her our your it they he she we you i not also including include includes which shall may will must is
	are was were be been being has have had do does did so per pursuant during after before between among through
	other otherwise only e.g eg ie et see cf`)

// verbs make the words around them a sentence.
var verbs = setOf(`shall will must may can could should would is are was were be has have had does do agrees agree
	hereby represents warrants acknowledges means includes applies apply remains remain cannot`)

// noteWords begin notes to drafters or readers, and remarks about the document.
var noteWords = setOf(`note notes nb drafting draft drafter drafter's drafters reserved redacted omitted intentionally
	remainder rest balance confidential continued end instructions comment comments footnote illegible blank deleted
	sic example examples beispiel source warning caution tip guidance hint reminder seal graphic
	signatures execution stamp signed unreadable amended restated repealed emphasis internal`)

// units follow numbers that a bracket suggests: "[30] days".
var units = setOf(`day days business calendar week weeks month months year years hour hours minute minutes percent
	shares dollars euros usd eur times miles kilometers kilometres employees units basis consecutive`)

// numerals are numbers written as words.
var numerals = setOf(`one two three four five six seven eight nine ten eleven twelve fifteen twenty thirty forty
	forty-five fifty sixty ninety hundred thousand million`)

// months are the months of dates in brackets.
var months = setOf(`january february march april may june july august september october november december jan feb mar
	apr jun jul aug sep sept oct nov dec`)

// commands begin statements of template languages.
var commands = setOf(`for end if else elseif endif endfor foreach each unless exec ins image html link alias query
	include set while switch case default macro block extends import`)

// functionWord reports whether w begins part of a sentence.
func functionWord(w string) bool { return functionWords[w] && !interrogative(w) && w != "include" }

func determiner(w string) bool {
	switch w {
	case "the", "a", "an", "each", "every", "all", "any", "this", "that", "these", "those", "my", "your", "our", "its",
		"their", "his", "her", "der", "die", "das", "le", "la", "les", "el", "los", "il", "lo":
		return true
	}
	return false
}

func preposition(w string) bool {
	switch w {
	case "of", "for", "from", "to", "in", "on", "at", "by", "with", "as", "under", "between", "after", "before", "until",
		"during", "per", "via", "and/or", "if", "is", "was", "are", "has", "used", "representing", "appointed",
		"including", "such", "des", "de", "du", "del", "della", "di", "von", "und", "et", "y", "pour", "für":
		return true
	}
	return false
}

func interrogative(w string) bool {
	switch w {
	case "where", "how", "when", "who", "whom", "whose", "what", "which", "whether", "why", "that":
		return true
	}
	return false
}
