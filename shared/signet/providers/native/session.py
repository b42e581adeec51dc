"""Run an ONNX graph of an embedding model in onnxruntime: one thread, no spinning, no memory arena."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from signet.errors import ProviderFailed, SignetError
from signet.providers.native.graph import TOKEN_STATES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

#: From the ids of one text to its vector, and to the states of its tokens.
Run = Callable[[Sequence[int]], bytes]
States = Callable[[Sequence[int]], "NDArray[np.float32]"]
_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})


class Unusable(SignetError):
    """The folder contains no usable model."""

    code = "model_unusable"


class Passes(NamedTuple):
    """What a model makes of one text; `states` is None where it does not give the states of the tokens."""

    vector: Run
    states: States | None = None


def open_(graph: Path, *, provider: str, is_first: bool = False) -> Passes:
    """Return the passes of a graph, whose vectors have length one; Unusable with the reason when it cannot be loaded.

    Of a graph that gives token states it takes the mean, or with `is_first` the state of the first token.
    """
    # First and whole: onnxruntime asks for a part of NumPy, and when another thread imports NumPy meanwhile each waits
    # for the other. Python then hands out a half-made NumPy, and no later import in this process works.
    import numpy as np

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
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        session = onnxruntime.InferenceSession(
            str(graph), options, providers=["CPUExecutionProvider"]
        )
    except Exception as error:  # its failures have no common class but this one
        raise Unusable(f"onnxruntime cannot load its graph: {error}") from error
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

    def vector(ids: Sequence[int]) -> bytes:
        states = run(ids, output)
        if states.ndim == 3:
            states = states[:, 0] if is_first else states.mean(axis=1)
        if states.ndim != 2 or states.shape[0] != 1:
            raise ProviderFailed(provider=provider, reason=f"its output is {states.shape}")
        length = float(np.sqrt((states * states).sum())) or 1.0
        return bytes((states[0] / length).astype("<f4").tobytes())

    if TOKEN_STATES not in outputs:
        return Passes(vector)
    return Passes(vector, lambda ids: run(ids, TOKEN_STATES))
