"""What channels and stages of recall look at, in words. Pure."""

#: What each channel looks at.
CHANNELS = {
    "keyword": "keywords",
    "hint": "a question it answers (hint)",
    "vector": "meaning",
    "graph": "its entities",
}
#: What each stage looks at, when it raised a score and when it lowered it.
STAGES = {
    "blend": ("words and meaning together", "words and meaning together"),
    "neighbours": ("its neighbours fit too", "its neighbours fit less"),
    "graph": ("it is linked to what you asked about", "others are linked more closely"),
    "rehearsal": ("it was used recently", "it was used long ago"),
    "time": ("it is from the time you asked about", "it is from another time"),
    "hubs": ("its topic is rare", "its topic is common"),
    "questions": ("it is a statement", "it is only a question"),
    "expected": (
        "it contains the kind of answer you asked for",
        "others contain the kind of answer you asked for",
    ),
    "resolution": ("it states an outcome", "it states no outcome"),
    "rated": ("agents found it useful", "agents found it of no use"),
    "learned": ("it helped in earlier sessions", "it did not help in earlier sessions"),
    "superseded": ("it is current", "a later memory corrects it"),
}


def channel(name: str) -> str:
    """Return what a channel looks at."""
    return CHANNELS.get(name, name)


def stage(name: str, before: float, after: float) -> str:
    """Return why a stage changed a score so."""
    up, down = STAGES.get(name, (name, name))
    return up if after >= before else down
