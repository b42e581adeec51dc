"""Embeddings in the process: all-MiniLM-L6-v2 from installed weights, without torch and without a model server.

Nothing here loads at import and nothing downloads by itself: `install` fetches when a person asks for it,
`encoder` reads what is there. onnxruntime is imported below this package alone (an import contract), because it has
to be told first that it must not report.
"""

import os

#: Read by onnxruntime 1.30 to 1.32 when it is imported. Otherwise it leaves an id of the device and a database in the
#: cache of the home and sends reports to mobile.events.data.microsoft.com; `disable_telemetry_events()` comes too late
#: for all three. Whatever the environment says: no setting of Signet allows them.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
