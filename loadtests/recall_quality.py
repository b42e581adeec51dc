"""Measure how much of the known evidence recall finds, compared with simpler rankings.

Every conversation of the evaluation data is a project of a workspace (one workspace per set and store: turns, facts,
sessions …), filled and queried over the HTTP API of the product's programs, with native embeddings. The other
rankings read the same database in this process. Prints per set and store, and per question type with `--types`: R@k
(mean share of a question's evidence in the first k), MRR (of the first evidence), nDCG@10, in percent. For the floor,
each question asks for an ordinary page of its conversation and of another one: `kept` is the share of an uncut page's
evidence that remains, `noise` the results of the other one; the row `by words` is the same for recall without
vectors.

    python loadtests/recall_quality.py --data ../shared/data [--sets locomo beam-100k lme-mini] [--json FILE]

An item is one memory of any length, without extraction. `--as-shipped` uses default settings, which save long items
in pieces (a result counts for its item). Filled workspaces and question vectors are cached under `--cache`.
"""

import importlib
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

if __name__ == "__main__":
    sys.path[:0] = [str(ROOT), str(ROOT / "shared")]
    sys.exit(importlib.import_module("loadtests.quality").main(__doc__))
