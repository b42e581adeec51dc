"""Models behind Anthropic's Messages API.

No call is repeated here: a server that asks for patience opens the queue's breaker, which asks again after 1, 2, 4 s
without holding a worker (PIP-62 repeats inside the call).
"""

from collections.abc import Mapping

from signet.errors import ProviderDown, ProviderFailed
from signet.providers.exchange import REFUSED_SECONDS, Exchange
from signet.providers.ports import Completion, Shape

BASE_URL = "https://api.anthropic.com"
VERSION = "2023-06-01"
PROBE_SECONDS = 10.0


class AnthropicModel:
    """A language model behind `{url}/v1/messages`."""

    def __init__(self, url: str, model: str, *, api_key: str | None) -> None:
        self.name = f"anthropic:{model}"
        self._model = model
        self._has_key = bool(api_key)
        headers = {"anthropic-version": VERSION, **({"x-api-key": api_key} if api_key else {})}
        root = url.rstrip("/").removesuffix("/v1")
        self._exchange = Exchange(self.name, root, api_key=api_key, headers=headers)

    def generate(
        self, prompt: str, *, timeout_seconds: float, max_tokens: int, shape: Shape | None = None
    ) -> Completion:
        """Return the text blocks of the answer to one user message, joined."""
        if not self._has_key:
            raise ProviderDown(
                f"{self.name}: requires a key (api_key or ANTHROPIC_API_KEY)",
                retry_after_seconds=REFUSED_SECONDS,
                provider=self.name,
            )
        payload = {
            "model": self._model,
            "max_tokens": max_tokens,
            "messages": [{"role": "user", "content": prompt}],
        }
        answer = self._exchange.post(
            "/v1/messages",
            payload,
            timeout_seconds=timeout_seconds,
            # The prompt describes the shape, which these models keep to; a prefilled answer the newer ones refuse.
            wishes=[] if shape is None else [{"temperature": 0}],
        )
        usage = answer.get("usage")
        counts: Mapping[str, object] = usage if isinstance(usage, dict) else {}
        return self._exchange.completion(
            _text(answer.get("content")), counts.get("input_tokens"), counts.get("output_tokens")
        )

    def available(self) -> bool:
        """Return whether the server answers and takes the key; never raises."""
        if not self._has_key:
            return False
        try:
            self._exchange.get("/v1/models", timeout_seconds=PROBE_SECONDS)
        except (ProviderDown, ProviderFailed):
            return False
        return True

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        self._exchange.close()


def _text(content: object) -> str:
    blocks = content if isinstance(content, list) else []
    texts = (block.get("text") for block in blocks if _is_text(block))
    return "".join(text for text in texts if isinstance(text, str))


def _is_text(block: object) -> bool:
    return isinstance(block, dict) and block.get("type") == "text"
