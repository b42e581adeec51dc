"""What channels and stages of recall look at, in words. Pure."""

#: What each channel looks at.
CHANNELS = {
    "keyword": "keywords",
    "hint": "a question it answers (hint)",
    "vector": "meaning",
    "graph": "its entities",
}
#: Why each feature of the model, and each stage after it, raised the relevance, and why it lowered it.
STAGES = {
    "page": ("similar questions have answers", "similar questions often have no answer"),
    "words": ("it contains rare words of the question", "it contains few words of the question"),
    "share": ("it contains most words of the question", "it contains few words of the question"),
    "exact": ("it contains the words as you wrote them", "it contains other forms of the words"),
    "beside": (
        "the texts before and after it contain more of the words",
        "its neighbours lack the words",
    ),
    "cosine": ("its meaning is similar", "its meaning is similar to everything"),
    "apart": ("its meaning is more similar than others'", "its meaning is not similar"),
    "apart_beside": (
        "its neighbours have a similar meaning",
        "its neighbours have another meaning",
    ),
    "source_share": ("its session contains the words", "its session lacks the words"),
    "source_apart": ("its session is about this", "its session is about other things"),
    "time": ("it is from the time you asked about", "it is from another time"),
    "answer": ("it contains the kind of answer you asked for", "it contains no such answer"),
    "length": ("it is short", "in a long text, words meet by chance"),
    "asks": ("it is a statement", "it only asks"),
    "both": ("words and meaning agree", "words and meaning repeat each other"),
    "community": ("its topic is what you asked about", "its topic is another"),
    "graph": ("it is linked to what you asked about", "others are linked more closely"),
    "rated": ("agents found it useful", "agents found it of no use"),
    "learned": ("it helped in earlier sessions", "it did not help in earlier sessions"),
    "superseded": ("it is current", "a later memory corrects it"),
    "topics": ("it replaces an earlier statement", "a later statement replaces it"),
}


def channel(name: str) -> str:
    """Return what a channel looks at."""
    return CHANNELS.get(name, name)


def stage(name: str, before: float, after: float) -> str:
    """Return why a stage changed a score so."""
    up, down = STAGES.get(name, (name, name))
    return up if after >= before else down
