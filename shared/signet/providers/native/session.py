"""Run an embedding model's ONNX graph in onnxruntime: one thread, no spinning, no memory arena."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from signet.errors import ProviderFailed, SignetError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from onnxruntime import InferenceSession

#: From one text's token IDs to numbers.
Run = Callable[[Sequence[int]], "NDArray[np.float32]"]
#: Name of the token-state output.
TOKEN_STATES = "token_states"
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})


class Unusable(SignetError, code="model_unusable"):
    """The folder contains no usable model."""


class Passes(NamedTuple):
    """A model's runs for one text: its vector of length one, and its token states if the graph outputs them."""

    vector: Run
    states: Run | None = None


def open_(
    graph: Path | bytes, *, provider: str, weights: Path | None = None, is_first: bool = False
) -> Passes:
    """Return the runs of a graph; raises Unusable with the reason.

    `weights` is the folder of a graph that is not a file. For a graph with token states the vector is their mean, or
    with `is_first` the state of the first token.
    """
    import numpy as np

    session = _loaded(graph, weights=weights)
    wanted = [one.name for one in session.get_inputs()]
    if "input_ids" not in wanted or not _INPUTS.issuperset(wanted):
        raise Unusable(
            f"its graph requires {', '.join(wanted)}; supported are {', '.join(sorted(_INPUTS))}"
        )
    outputs = [one.name for one in session.get_outputs()]
    output = "sentence_embedding" if "sentence_embedding" in outputs else outputs[0]

    def run(ids: Sequence[int], output: str) -> "NDArray[np.float32]":
        tokens = np.array([ids], dtype=np.int64)
        fed = {
            name: tokens
            if name == "input_ids"
            else np.full_like(tokens, int(name == "attention_mask"))
            for name in wanted
        }
        try:
            found = session.run([output], fed)[0]
        except Exception as error:
            raise ProviderFailed(provider=provider, reason=str(error)) from error
        return np.asarray(found, dtype=np.float32)

    def vector(ids: Sequence[int]) -> "NDArray[np.float32]":
        states = run(ids, output)
        if states.ndim == 3:
            states = states[:, 0] if is_first else states.mean(axis=1)
        if states.ndim != 2 or states.shape[0] != 1:
            raise ProviderFailed(provider=provider, reason=f"its output is {states.shape}")
        return unit(states[0])

    if TOKEN_STATES not in outputs:
        return Passes(vector)
    return Passes(vector, lambda ids: run(ids, TOKEN_STATES))


def store(graph: Path, target: Path) -> None:
    """Write a graph, and its weights to a second file that the system maps into memory; raises Unusable."""
    _loaded(graph, stored=target)


def _loaded(
    graph: Path | bytes, *, weights: Path | None = None, stored: Path | None = None
) -> "InferenceSession":
    # Import NumPy first and completely: onnxruntime requests part of it, and if another thread imports NumPy
    # meanwhile, each waits for the other. Python then returns a partial NumPy, and every later import in this process
    # fails.
    import numpy as np  # noqa: F401

    try:
        import onnxruntime
    except ImportError as error:
        raise Unusable(
            "onnxruntime is not installed, and it is required to run this model"
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    options.enable_cpu_mem_arena = False
    options.enable_mem_pattern = False
    options.log_severity_level = 3
    settings = {"session.intra_op.allow_spinning": "0"}
    if weights is not None:
        settings["session.model_external_initializers_file_folder_path"] = str(weights)
    if stored is not None:
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
        options.optimized_model_filepath = str(stored)
        prefix = "session.optimized_model_external_initializers"
        settings |= {
            f"{prefix}_file_name": f"{stored.name}.data",
            f"{prefix}_min_size_in_bytes": "1024",
        }
    for name, value in settings.items():
        options.add_session_config_entry(name, value)
    try:
        return onnxruntime.InferenceSession(
            graph if isinstance(graph, bytes) else str(graph),
            options,
            providers=["CPUExecutionProvider"],
        )
    except Exception as error:  # its errors have no other common class
        raise Unusable(f"onnxruntime cannot load its graph: {error}") from error


def unit(vector: "NDArray[np.float32]") -> "NDArray[np.float32]":
    """Return a vector of length one in its direction, or zeros."""
    import numpy as np

    length = float(np.sqrt(np.einsum("i,i->", vector, vector))) or 1.0
    return (vector / length).astype("<f4")
