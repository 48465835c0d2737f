package training

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/rectohq/recto/libs/contract/insightapi"
	"github.com/rectohq/recto/libs/formats/layout"
	"github.com/rectohq/recto/services/insight/internal/evaluation"
	"github.com/rectohq/recto/services/insight/internal/learn"
	"github.com/rectohq/recto/services/insight/internal/learn/pairs"
	"github.com/rectohq/recto/services/insight/internal/rules/clauses"
	"github.com/rectohq/recto/services/insight/internal/rules/finding"
	"github.com/rectohq/recto/services/insight/internal/rules/passage"
	"github.com/rectohq/recto/services/insight/internal/rules/questions"
	"github.com/rectohq/recto/services/insight/internal/structure"
)

// questionSets are the sets of questions that are learned from: those that were asked for the sake
// of questions, and those about other sets.
var questionSets = []string{"questions-fit", "private-fit", "terms-fit", "clauses-fit", "usual-fit"}

// askedSets are the sets whose texts questions-fit asks about.
var askedSets = []string{"agreements-fit", "sections-fit", "filings-fit"}

// Asked is a contract with questions about it.
type Asked struct {
	evaluation.Written
	document  *structure.Document
	questions *questions.Questions
	fold      int
}

// Question is a question about a contract for which sentences are compared.
type Question struct {
	questions.Comparison
	Fold int
	// Right says which of the sentences answer it: none if Answered is false, or if the answer is
	// not among them.
	Right    []bool
	Answered bool
}

// Asked reads the contracts with questions. finder finds their clauses.
func (s Sources) Asked(finder *learn.Model) (all []Asked, err error) {
	for _, set := range questionSets {
		contracts, err := evaluation.ReadWritten(s.Written, set)
		if err != nil {
			return nil, err
		}
		for _, w := range contracts {
			all = append(all, askedAbout(w, finder))
		}
	}
	return all, nil
}

// askedAbout returns a contract with its questions.
func askedAbout(w evaluation.Written, finder *learn.Model) Asked {
	d := structure.Read(&layout.Document{Text: w.Text})
	q := questions.New(d, "")
	q.SetClauses(sync.OnceValue(func() []finding.Found[insightapi.Clause] {
		if chosen := clauses.Choose(finder, d, learn.WordsOf(d)); chosen != nil {
			return chosen.Clauses(d)
		}
		return clauses.Find(d)
	}))
	return Asked{w, d, q, foldOfWriter(w)}
}

// answer returns the place of the answer to a question, which is empty if there is none.
func (a *Asked) answer(q evaluation.WrittenQuestion) (s layout.Span) {
	if q.Quote != nil {
		s.Start = strings.Index(a.Text, *q.Quote)
		s.End = s.Start + len(*q.Quote)
	}
	return s
}

// compared returns the questions about a contract that are answered by comparing sentences.
func (a *Asked) compared() (all []Question) {
	for _, x := range a.Questions {
		c, compared := a.questions.Compare(x.Question)
		if !compared {
			continue
		}
		q := Question{Comparison: c, Fold: a.fold, Right: make([]bool, len(c.Sentences)), Answered: x.Quote != nil}
		for i, s := range c.Sentences {
			q.Right[i] = q.Answered && a.document.Sentences[s.Sentence].Overlaps(a.answer(x))
		}
		all = append(all, q)
	}
	return all
}

// The questions about other contracts that each contract gets: how many, how far these contracts are
// from each other in the list, which has several styles, and the least share of the words of such a
// question that the contract lacks, by weight.
const foreignQuestions, foreignDistance, leastLacking = 3, 97, 0.6

// foreign returns questions about other contracts. From them, the weights learn to say nothing: a
// contract that lacks most words of a question about another one rarely answers it.
func (a *Asked) foreign(contracts []Asked, at int) (all []Question) {
	for i := 1; i <= 4*foreignQuestions && len(all) < foreignQuestions; i++ {
		other := contracts[(at+i*foreignDistance)%len(contracts)]
		if len(other.Questions) == 0 {
			continue
		}
		x := other.Questions[at%len(other.Questions)]
		c, compared := a.questions.Compare(x.Question)
		if compared && c.Nothing[questions.Unknown] > leastLacking {
			all = append(all, Question{Comparison: c, Fold: a.fold, Right: make([]bool, len(c.Sentences))})
		}
	}
	return all
}

// FittedQuestions is what training with questions gives.
type FittedQuestions struct {
	// File holds the weights, and Pairs is the number of pairs in it.
	File  []byte
	Pairs int
	// Answers counts the first answers to the questions by folds, and Silent those without an answer that
	// get none.
	Answers, Silent evaluation.Score
	// YesOrNo counts the values of answers to yes-or-no questions, and Values those of other answers.
	YesOrNo, Values evaluation.Score
}

// FitQuestions fits the weights of pairs and of the other features to questions, those for yes, and those
// that choose values.
func FitQuestions(contracts []Asked, progress func(string)) (FittedQuestions, error) {
	var all []Question
	var verdicts []yesOrNo
	var values []valued
	for i := range contracts {
		all = append(all, contracts[i].compared()...)
		all = append(all, contracts[i].foreign(contracts, i)...)
		verdicts = append(verdicts, contracts[i].yesOrNo()...)
		values = append(values, contracts[i].valued()...)
	}
	for fold := range Folds {
		if len(learnable(all, fold)) == 0 {
			return FittedQuestions{}, fmt.Errorf("training: no question can be learned from without fold %d", fold)
		}
	}
	weights := judgeByFolds(all, progress)
	var models [Folds + 1]*pairs.Model
	var r FittedQuestions
	inParallel(len(weights), func(part int) {
		var w pairs.Weights
		w.Pairs, w.Step = inSteps(weights[part])
		w.Yes, w.YesStep = inSteps(fitYes(verdicts, foldOf(part)))
		w.Values, w.ValueStep = inSteps(fitValues(values, foldOf(part)))
		w.Sentence, w.Nothing = fitBeside(learnable(all, foldOf(part)))
		models[part] = pairs.New(w)
		if part == Folds {
			r.Pairs, r.File = len(w.Pairs), pairs.Encode(w)
		}
	})
	for i := range contracts {
		r.add(&contracts[i], models[contracts[i].fold])
	}
	return r, nil
}

// foldOf returns the fold whose questions a part of the fit leaves out. The last part leaves out none.
func foldOf(part int) int {
	if part == Folds {
		return none
	}
	return part
}

// judgeByFolds notes what pairs say of the sentences that were fitted to the questions of other
// folds, and returns the weights by the fold that they leave out, those that are fitted to all last.
func judgeByFolds(all []Question, progress func(string)) (weights [Folds + 1][]float32) {
	inParallel(len(weights), func(part int) {
		weights[part] = fitPairs(learnable(all, foldOf(part)), mostPairs)
		progress(fmt.Sprintf("the pairs of part %d of %d are fitted", part+1, len(weights)))
	})
	for part := range weights {
		inSteps(weights[part])
	}
	for i := range all {
		all[i].judge(weights[all[i].Fold])
	}
	return weights
}

// add counts the first answers to the questions about a contract.
func (r *FittedQuestions) add(a *Asked, m *pairs.Model) {
	a.questions.SetPairs(m)
	for _, x := range a.Questions {
		found := a.questions.Answers(x.Question)
		r.Answers.Add(len(found) > 0, x.Quote != nil, len(found) > 0 && found[0].Span.Overlaps(a.answer(x)))
		if x.Quote == nil {
			r.Silent.Add(len(found) == 0, true, true)
		}
		if x.Value == nil {
			continue
		}
		value := ""
		if len(found) > 0 && *found[0].Item.Value != passage.Text(a.document, found[0].Span) {
			value = *found[0].Item.Value
		}
		if *x.Value == "Yes" || *x.Value == "No" {
			r.YesOrNo.Add(value == "Yes" || value == "No", true, value == *x.Value)
		} else {
			r.Values.Add(value != "", true, evaluation.SameValue(value, *x.Value))
		}
	}
}

// WriteQuestions is Write for the weights of questions. The weights of clauses in the folder out find
// the clauses of the contracts.
func WriteQuestions(s Sources, out string, progress func(string)) error {
	file, err := os.ReadFile(filepath.Join(out, learn.WeightsName))
	if err != nil {
		return err
	}
	finder, err := learn.Decode(file)
	if err != nil {
		return err
	}
	contracts, err := s.Asked(finder)
	if err != nil {
		return err
	}
	r, err := FitQuestions(contracts, progress)
	if err != nil {
		return err
	}
	var names []string
	for _, set := range slices.Concat(questionSets, askedSets) {
		names = append(names, filepath.Join(s.Written, set+".jsonl"))
	}
	hash, err := hashOfFiles(names)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(r.File)
	m := learn.QuestionsManifest{
		Data:         "tests/bench/written: " + strings.Join(questionSets, ", "),
		Changes:      "The questions and the sentences that answer them were reduced to weights of hashed pairs of words. The weights contain no text.",
		LabelsSHA256: hash, WeightsSHA256: hex.EncodeToString(sum[:]), Documents: len(contracts), Questions: r.Answers.Gold + r.Silent.Gold, Pairs: r.Pairs, Folds: Folds,
		Answers: figures(r.Answers), Silent: rounded(r.Silent.Recall()), YesOrNo: figures(r.YesOrNo), Values: figures(r.Values),
	}
	progress(fmt.Sprintf("%d bytes; first answers by folds: %+v; silent if there is none: %v; yes or no: %+v; other values: %+v", len(r.File), m.Answers, m.Silent, m.YesOrNo, m.Values))
	return write(out, learn.QuestionsWeightsName, r.File, learn.QuestionsManifestName, m)
}
