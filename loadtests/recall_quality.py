"""How much of the known evidence recall brings back, beside what simpler rankings bring back.

Every conversation of the evaluation data is a project of a workspace (one workspace for each set and store: turns,
facts, sessions …), filled and asked through the HTTP API of the product's own programs, with native embeddings. The
other rankings read the same database in this process. Printed per set and store, and per type of question with
`--types`: R@k (mean share of a question's evidence found in the first k), MRR (of the first evidence), nDCG@10, in
percent. For the floor each question is asked with an ordinary page on its own conversation and on another one:
`kept` is the share of the evidence of an uncut page that is still there, `noise` what the other one returns; the row
`by words` says the same for recall without vectors.

    python loadtests/recall_quality.py --data ../shared/data [--sets locomo beam-100k lme-mini] [--json FILE]

An item is one memory, however long, and nothing is extracted from it; `--as-shipped` leaves the settings alone, so
that long items are saved in pieces (a result counts for the item it is of). Filled workspaces and vectors of
questions are kept under `--cache` and used again.
"""

import importlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "shared")]
    sys.exit(importlib.import_module("loadtests.quality").main(__doc__))
