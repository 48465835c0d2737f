package questions_test

import "testing"

// milled is a contract with the clauses that most contracts have.
const milled = `MILLING AGREEMENT

This Milling Agreement is made on 4 May 2021 between Alder Mills Ltd (the "Miller") and Birch Bakers plc (the "Baker").

1. Milling

1.1 The Miller grinds the wheat of the Baker and keeps the flour dry.

2. Termination

2.1 Either party may terminate this Agreement if the other commits a material breach and does not cure it within thirty days.

3. Force Majeure

3.1 Neither party is liable for a failure to perform that is caused by an event beyond its reasonable control.

4. Indemnity

4.1 The Miller shall indemnify and hold harmless the Baker from all claims that arise from spoiled flour.

5. Data Protection

5.1 Each party shall process personal data of the customers only in accordance with the applicable data protection laws.

6. General

6.1 All notices under this Agreement shall be in writing and sent by registered post to the address above.

6.2 This Agreement may be amended only in writing signed by both parties.

6.3 This Agreement is the entire agreement between the parties and supersedes all prior agreements.

6.4 If any provision of this Agreement is held invalid, the other provisions remain in force.

6.5 Sections 4 and 5 survive the termination of this Agreement.

6.6 This Agreement may be executed in two counterparts.

6.7 This Agreement is governed by the laws of Scotland.

6.8 The Baker may terminate this Agreement for convenience on sixty days' written notice to the Miller.

6.9 A change of control of the Miller requires the consent of the Baker to the continuation of this Agreement.

6.10 The fair takes place at the Leith market hall, which is the venue of the event.
`

// TestBoilerplate shows that questions about the usual clauses are answered from them.
func TestBoilerplate(t *testing.T) {
	const disputed = milled + "\n6.11 All disputes arising from this Agreement shall be finally settled by arbitration in Oslo under the Rules of the ICC.\n"
	const tried = milled + "\n6.11 The courts of Perth have exclusive jurisdiction over all disputes arising from this Agreement.\n"
	for _, tt := range []struct{ text, question, want string }{
		{milled, "How can the agreement be terminated?", "Either party may terminate this Agreement if the other commits a material breach and does not cure it within thirty days."},
		{milled, "Is there a right to terminate for breach?", "Yes"},
		{milled, "When can the Miller terminate for breach?", "Either party may terminate this Agreement if the other commits a material breach and does not cure it within thirty days."},
		{milled, "When may the Baker terminate?", "The Baker may terminate this Agreement for convenience on sixty days' written notice to the Miller."},
		{milled, "How much notice must be given to terminate the agreement?", "sixty days"},
		{milled, "What does a change of control of the Miller mean for this agreement?", "A change of control of the Miller requires the consent of the Baker to the continuation of this Agreement."},
		{tried, "What is the venue of the event?", "at the Leith market hall"},
		{milled, "What happens in case of force majeure?", "Neither party is liable for a failure to perform that is caused by an event beyond its reasonable control."},
		{milled, "Who indemnifies whom?", "The Miller shall indemnify and hold harmless the Baker from all claims that arise from spoiled flour."},
		{milled, "How is personal data protected?", "Each party shall process personal data of the customers only in accordance with the applicable data protection laws."},
		{milled, "How must notices be given?", "All notices under this Agreement shall be in writing and sent by registered post to the address above."},
		{milled, "How can this contract be changed?", "This Agreement may be amended only in writing signed by both parties."},
		{milled, "Is there an entire agreement clause?", "Yes"},
		{milled, "What if a provision is invalid?", "If any provision of this Agreement is held invalid, the other provisions remain in force."},
		{milled, "Which provisions survive termination?", "Sections 4 and 5 survive the termination of this Agreement."},
		{milled, "Does the agreement provide for counterparts?", "Yes"},
		{milled, "What is the jurisdiction?", "Scotland"},
		{milled, "Which courts are competent?", ""},
		{milled, "Which courts have jurisdiction?", ""},
		{tried, "Which courts have jurisdiction?", "Perth"},
		{milled, "How are disputes resolved?", ""},
		{disputed, "Is there an arbitration clause?", "Yes"},
		{disputed, "Where are disputes resolved?", "Oslo"},
		{tried, "How are disputes resolved?", "The courts of Perth have exclusive jurisdiction over all disputes arising from this Agreement."},
		{tried, "What is the jurisdiction?", "Perth"},
		{tried, "What is the venue?", "Perth"},
	} {
		if got := first(tt.text, tt.question); got != tt.want {
			t.Errorf("%q: got %q, want %q", tt.question, got, tt.want)
		}
	}
}
