"""The constants of ranking and selection, each with its reason or measurement; fitted weights are in `weights.json`.

`loadtests/fit.py` fits the weights for these values. Sizes of texts stay in the file that writes the text."""

# Candidates (`run.py`)
#: Candidates of each channel: cutting to the page size before the later stages loses good rows. For a page of ten, 40
#: by words, hints and vectors suffice, and from the graph 8 besides its constraints, because most of its 50 only
#: mention a frequent name. Measured as shipped (`loadtests/run.py shipped`) with 24 and 40: recall@5 of chat 50.1 and
#: 52.2 %, @10 59.7 and 60.1; of turns 74.9 and 75.3, 83.0 and 83.1. With 32, 48 and 60, recall@5 of chat is 50.4, 51.9
#: and 52.3. Fifty places need four for each (with three, recall@50 of turns is 93.1 instead of 93.8 %).
PAGE_POOL, PAGE_GRAPH_POOL = 40, 8
POOL_PER_RESULT, MAX_POOL = 4, 500
#: A larger limit means that the caller wants depth.
PAGE_PLACES = 10
#: Factor for the candidates of each channel if a page stays short because pieces of long texts share places.
WIDER = 8

# Times and events (`gather.py`)
#: A question with no more words is mainly about its time: "what happened yesterday".
FEW_WORDS = 2
#: Memories searched for an event that the question names, and words of it that all must occur.
EVENT_MEMORIES, EVENT_WORDS = 20, 4

# Passages (`said.py`)
#: Passages compared: the best by words, and as many by meaning.
PASSAGES = 24
#: Greatest distance in worth (`brief.worth`) of further exchanges that a result shows from its session's best one. Of
#: 316 questions of six developers (`ownday`, without times) 198 are answered in three results without them, 206 with
#: two passages that are candidates, 209 with two exchanges of the whole session, 215 with four, 218 without the
#: distance. Three results then have 980, 1,190, 1,280, 1,610 and 1,950 characters.
MORE_WITHIN = 3.0

# Meaning (`vector.py`)
#: If a smaller share of the nearest vectors passes, comparing all that pass is cheaper than more from the index
#: (measured: 3.5 µs per compared vector, 0.6 to 1 µs per vector from the index).
FEW_PASS = 0.3
#: The share of their mean that is subtracted from the cosines of the nearest candidates, and their number: this part of
#: all, within these bounds. Bounds up to 100 and shares of 0.5 to 0.8 give the same results. In 140 stores of 60
#: memories recall@5 is 0.6 % higher with the nearer part than with all.
COMMON_SHARE = 0.6
COMMON_PART, COMMON_LEAST, COMMON_MOST = 0.4, 10, 50

# Features (`features.py`)
#: A hint guesses a future question, so its words count this much relative to words of the text.
HINT_SHARE = 0.75
#: Results per place on the page whose text is read.
TEXTS_PER_PLACE = 3
#: The feature `words` is 1 - exp(-sum of idf / 10): ten rare words count hardly more than five.
WORDS_SATURATE = 10.0

# The fitted model (`rank.py`)
#: The setting `search.alpha` for which the weights are fitted.
BALANCE = 0.7
#: Sources that a prompt may be about, and the lead of one that is alone.
FEW_SOURCES, ALONE_LEAD = 3, 3.0
#: Weight of a factor from learning or ratings: 1.15, the learned maximum, adds 0.6.
FACTOR_WEIGHT = 4.0
#: Distance at which a superseded memory stays below its successor.
BEHIND_SUCCESSOR = 0.05
#: The place of the cosine that the best is compared with: the tenth is seldom an answer.
BACKGROUND_PLACE = 10
#: Least number of rows assumed: in a small store, a word in one of three memories counts as rare, too.
LEAST_ROWS = 1_000

# Corrections (`correct.py`)
#: A memory found only by the graph has this share of its importance as relevance, and ranks below all others.
GRAPH_SHARE, BELOW_PAGE = 0.6, 0.01
#: Log-odds subtracted from a superseded memory, and from a passage of a session in which people only ask.
SUPERSEDED, ONLY_ASKS = 1.0, 2.0
#: Log-odds added to the newest passage of sessions and commits, among those within 1.5 of the best.
NEWEST, NEWEST_WITHIN = 0.75, 1.5

# Topics (`topics.py`)
#: Candidates compared, best first, and those among them that may be replaced.
TOPICS_COMPARED, TOPICS_OLDER = 30, 12
#: The best two candidates are also compared with later memories that share one of their first eight words (for a
#: passage, one of its names): the newest six, for words that at most 24 memories contain.
FOLLOWED, FOLLOWED_WORDS, FOLLOWERS, FOLLOWED_RARE = 2, 8, 6, 24
#: A source longer than this multiple of the shown text does not represent its facts: the shown part would probably not
#: contain them.
LONG_SOURCE = 2

# Pages (`page.py`)
#: With fewer candidates the floor is lower, and 0 for one, because the best of few rarely scores high by chance.
FEW_CANDIDATES = 20
#: An otherwise empty page shows a candidate if this is the probability that it answers by its meaning
#: (`rank.Model.answered`), and up to two others with 0.8 of its cosine.
LEAST_MEANT, MOST_MEANT, MEANT_COSINE_SHARE = 0.1, 3, 0.8
#: A page with fewer results than MOST_MEANT, none of which is sure (1 - LEAST_MEANT), also shows candidates of this
#: relevance. Questions answered in three results of `ownday` 84 → 89 of 154, natural ones of `everyday` 96 → 100 %.
WEAK = 0.03
#: Candidates per place that are grouped into sayings; lower ranks follow only if these are too few. Grouping all is no
#: better.
GROUPED_PER_PLACE = 9

# Kinds of question (`answer_type.py`)
#: Weight of a memory's type relative to its words: a decision was classified as one.
TYPED = 3.0
#: A prompt with fewer search words is short.
MANY_WORDS = 8

# Prompts (`prompt.py`)
#: Minimum probability that a prompt needs its best candidate; higher without vectors, because words alone prove less.
NEEDED, NEEDED_BY_WORDS = 0.15, 0.8
#: Score of another selected source, as a share of the best one's lead over the fourth, which is unrelated.
SELECTED_LEAD_SHARE = 0.5
#: Cosine of two chunks about one subject, and the minimum cosine of such a chunk to the prompt. Conversations about one
#: rule had 0.62 to 0.82, those about other rules of the same code at most 0.55.
SAME_MATTER, SAME_MATTER_COSINE = 0.6, 0.2
#: Sources named if nothing, or nothing more, is needed.
MOST_FAR = 3

# Single messages in prompts (`turns.py`)
#: Weight of the share of query words that a turn contains, added to its chunk's score, and of the better of its
#: neighbours' shares.
TURN_WORDS, TURN_NEIGHBOUR = 3.0, 1.5
#: Maximum distance of a message's score from the best.
TURN_WITHIN = 6.0
#: Bonus of a person's turn, and penalty of a later part of a turn cut into chunks, if an agent says everything; both
#: fall to 0 if people say half.
TURN_PERSON, TURN_LATER_PART = 3.0, -2.0
#: Chunks that are read.
TURN_CHUNKS = 48
#: Weight of a sentence that states an outcome, in query words.
TURN_OUTCOME = 3
