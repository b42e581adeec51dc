"""Embeddings in the process: all-MiniLM-L6-v2 from installed weights, without torch or a model server.

Nothing loads at import and nothing downloads automatically: `install` downloads on request, `encoder` uses the
installed files. Only this package imports onnxruntime (an import contract), because its reporting must be disabled
first.
"""

import os

#: onnxruntime 1.30 to 1.32 reads this at import. Without it, it stores a device ID and a database in the home's cache
#: and sends reports to mobile.events.data.microsoft.com; `disable_telemetry_events()` is too late for all three. Set
#: regardless of the environment, because no setting of Signet allows them.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
