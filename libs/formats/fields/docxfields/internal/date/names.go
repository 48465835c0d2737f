package date

import "strings"

// dayNames holds the names of days and months in a language, and their abbreviations. The
// week begins with Sunday.
type dayNames struct {
	days, shortDays     []string
	months, shortMonths []string
	// lone holds the month names to use without a day, in languages that decline them;
	// nil in others.
	lone []string
}

// month returns the name of a month; 0 is January. beside reports whether the date
// contains a day.
func (n dayNames) month(i int, beside bool) string {
	if n.lone != nil && !beside {
		return n.lone[i]
	}
	return n.months[i]
}

// namesOf returns the names for a language tag such as "de-AT", or the English ones if
// there is no tag.
func namesOf(language string) (dayNames, bool) {
	language, _, _ = strings.Cut(strings.ToLower(language), "-")
	if language == "" {
		language = "en"
	}
	lists, known := nameLists[language]
	if !known {
		return dayNames{}, false
	}
	n := dayNames{
		days: strings.Fields(lists.days), shortDays: strings.Fields(lists.shortDays),
		months: strings.Fields(lists.months), shortMonths: strings.Fields(lists.shortMonths),
	}
	if lists.lone != "" {
		n.lone = strings.Fields(lists.lone)
	}
	return n, true
}

// nameList holds the names of dayNames, separated by spaces.
type nameList struct{ days, shortDays, months, shortMonths, lone string }

// nameLists maps languages to names from the Unicode CLDR. Abbreviations end with a dot
// where Word writes one. The map is never changed.
var nameLists = map[string]nameList{
	"en": {
		"Sunday Monday Tuesday Wednesday Thursday Friday Saturday", "Sun Mon Tue Wed Thu Fri Sat",
		"January February March April May June July August September October November December",
		"Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec", "",
	},
	"de": {
		"Sonntag Montag Dienstag Mittwoch Donnerstag Freitag Samstag", "So Mo Di Mi Do Fr Sa",
		"Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
		"Jan Feb Mär Apr Mai Jun Jul Aug Sep Okt Nov Dez", "",
	},
	"fr": {
		"dimanche lundi mardi mercredi jeudi vendredi samedi", "dim. lun. mar. mer. jeu. ven. sam.",
		"janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
		"janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.", "",
	},
	"es": {
		"domingo lunes martes miércoles jueves viernes sábado", "dom lun mar mié jue vie sáb",
		"enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
		"ene feb mar abr may jun jul ago sep oct nov dic", "",
	},
	"it": {
		"domenica lunedì martedì mercoledì giovedì venerdì sabato", "dom lun mar mer gio ven sab",
		"gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
		"gen feb mar apr mag giu lug ago set ott nov dic", "",
	},
	"nl": {
		"zondag maandag dinsdag woensdag donderdag vrijdag zaterdag", "zo ma di wo do vr za",
		"januari februari maart april mei juni juli augustus september oktober november december",
		"jan feb mrt apr mei jun jul aug sep okt nov dec", "",
	},
	"pt": {
		"domingo segunda-feira terça-feira quarta-feira quinta-feira sexta-feira sábado", "dom seg ter qua qui sex sáb",
		"janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
		"jan fev mar abr mai jun jul ago set out nov dez", "",
	},
	"sv": {
		"söndag måndag tisdag onsdag torsdag fredag lördag", "sön mån tis ons tors fre lör",
		"januari februari mars april maj juni juli augusti september oktober november december",
		"jan. feb. mars apr. maj juni juli aug. sep. okt. nov. dec.", "",
	},
	"da": {
		"søndag mandag tirsdag onsdag torsdag fredag lørdag", "søn. man. tirs. ons. tors. fre. lør.",
		"januar februar marts april maj juni juli august september oktober november december",
		"jan. feb. mar. apr. maj jun. jul. aug. sep. okt. nov. dec.", "",
	},
	"nb": norwegian,
	"no": norwegian,
	"fi": {
		"sunnuntai maanantai tiistai keskiviikko torstai perjantai lauantai", "su ma ti ke to pe la",
		"tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta",
		"tammik. helmik. maalisk. huhtik. toukok. kesäk. heinäk. elok. syysk. lokak. marrask. jouluk.",
		"tammikuu helmikuu maaliskuu huhtikuu toukokuu kesäkuu heinäkuu elokuu syyskuu lokakuu marraskuu joulukuu",
	},
	"pl": {
		"niedziela poniedziałek wtorek środa czwartek piątek sobota", "niedz. pon. wt. śr. czw. pt. sob.",
		"stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
		"sty lut mar kwi maj cze lip sie wrz paź lis gru",
		"styczeń luty marzec kwiecień maj czerwiec lipiec sierpień wrzesień październik listopad grudzień",
	},
	"cs": {
		"neděle pondělí úterý středa čtvrtek pátek sobota", "ne po út st čt pá so",
		"ledna února března dubna května června července srpna září října listopadu prosince",
		"led úno bře dub kvě čvn čvc srp zář říj lis pro",
		"leden únor březen duben květen červen červenec srpen září říjen listopad prosinec",
	},
	"sk": {
		"nedeľa pondelok utorok streda štvrtok piatok sobota", "ne po ut st št pi so",
		"januára februára marca apríla mája júna júla augusta septembra októbra novembra decembra",
		"jan feb mar apr máj jún júl aug sep okt nov dec",
		"január február marec apríl máj jún júl august september október november december",
	},
	"hr": {
		"nedjelja ponedjeljak utorak srijeda četvrtak petak subota", "ned pon uto sri čet pet sub",
		"siječnja veljače ožujka travnja svibnja lipnja srpnja kolovoza rujna listopada studenoga prosinca",
		"sij velj ožu tra svi lip srp kol ruj lis stu pro",
		"siječanj veljača ožujak travanj svibanj lipanj srpanj kolovoz rujan listopad studeni prosinac",
	},
	"sl": {
		"nedelja ponedeljek torek sreda četrtek petek sobota", "ned. pon. tor. sre. čet. pet. sob.",
		"januar februar marec april maj junij julij avgust september oktober november december",
		"jan. feb. mar. apr. maj jun. jul. avg. sep. okt. nov. dec.", "",
	},
	"hu": {
		"vasárnap hétfő kedd szerda csütörtök péntek szombat", "V H K Sze Cs P Szo",
		"január február március április május június július augusztus szeptember október november december",
		"jan. febr. márc. ápr. máj. jún. júl. aug. szept. okt. nov. dec.", "",
	},
	"ro": {
		"duminică luni marți miercuri joi vineri sâmbătă", "dum. lun. mar. mie. joi vin. sâm.",
		"ianuarie februarie martie aprilie mai iunie iulie august septembrie octombrie noiembrie decembrie",
		"ian. feb. mar. apr. mai iun. iul. aug. sept. oct. nov. dec.", "",
	},
	"bg": {
		"неделя понеделник вторник сряда четвъртък петък събота", "нд пн вт ср чт пт сб",
		"януари февруари март април май юни юли август септември октомври ноември декември",
		"яну фев март апр май юни юли авг сеп окт ное дек", "",
	},
	"uk": {
		"неділя понеділок вівторок середа четвер пʼятниця субота", "нд пн вт ср чт пт сб",
		"січня лютого березня квітня травня червня липня серпня вересня жовтня листопада грудня",
		"січ. лют. бер. квіт. трав. черв. лип. серп. вер. жовт. лист. груд.",
		"січень лютий березень квітень травень червень липень серпень вересень жовтень листопад грудень",
	},
	"tr": {
		"Pazar Pazartesi Salı Çarşamba Perşembe Cuma Cumartesi", "Paz Pzt Sal Çar Per Cum Cmt",
		"Ocak Şubat Mart Nisan Mayıs Haziran Temmuz Ağustos Eylül Ekim Kasım Aralık",
		"Oca Şub Mar Nis May Haz Tem Ağu Eyl Eki Kas Ara", "",
	},
	"et": {
		"pühapäev esmaspäev teisipäev kolmapäev neljapäev reede laupäev", "P E T K N R L",
		"jaanuar veebruar märts aprill mai juuni juuli august september oktoober november detsember",
		"jaan veebr märts apr mai juuni juuli aug sept okt nov dets", "",
	},
	"ru": {
		"воскресенье понедельник вторник среда четверг пятница суббота", "вс пн вт ср чт пт сб",
		"января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
		"янв. февр. мар. апр. мая июн. июл. авг. сент. окт. нояб. дек.",
		"январь февраль март апрель май июнь июль август сентябрь октябрь ноябрь декабрь",
	},
	"el": {
		"Κυριακή Δευτέρα Τρίτη Τετάρτη Πέμπτη Παρασκευή Σάββατο", "Κυρ Δευ Τρί Τετ Πέμ Παρ Σάβ",
		"Ιανουαρίου Φεβρουαρίου Μαρτίου Απριλίου Μαΐου Ιουνίου Ιουλίου Αυγούστου Σεπτεμβρίου Οκτωβρίου Νοεμβρίου Δεκεμβρίου",
		"Ιαν Φεβ Μαρ Απρ Μαΐ Ιουν Ιουλ Αυγ Σεπ Οκτ Νοε Δεκ",
		"Ιανουάριος Φεβρουάριος Μάρτιος Απρίλιος Μάιος Ιούνιος Ιούλιος Αύγουστος Σεπτέμβριος Οκτώβριος Νοέμβριος Δεκέμβριος",
	},
}

// norwegian holds the names in Bokmål, which has two language codes.
var norwegian = nameList{
	"søndag mandag tirsdag onsdag torsdag fredag lørdag", "søn. man. tir. ons. tor. fre. lør.",
	"januar februar mars april mai juni juli august september oktober november desember",
	"jan. feb. mars apr. mai juni juli aug. sep. okt. nov. des.", "",
}
