"""Models behind Anthropic's Messages API.

Calls are not retried here: a rate-limited server opens the queue's circuit breaker, which retries after 1, 2 and 4 s
without occupying a worker (PIP-62).
"""

from signet.net.http import host_of
from signet.providers.ports import Completion, Shape
from signet.providers.served import Served
from signet.text.json_text import as_object, text_of

VENDOR_HOST = "api.anthropic.com"
BASE_URL = f"https://{VENDOR_HOST}"
VERSION = "2023-06-01"
PROBE_SECONDS = 10.0


class AnthropicModel(Served):
    """A language model behind `{url}/v1/messages`."""

    LIST = "/v1/models"

    def __init__(self, url: str, model: str, *, api_key: str | None) -> None:
        super().__init__(
            "anthropic",
            url.rstrip("/").removesuffix("/v1"),
            model,
            api_key=api_key,
            headers={"anthropic-version": VERSION, **({"x-api-key": api_key} if api_key else {})},
            needs_key=f"requires a key (api_key{'' if host_of(url) != VENDOR_HOST else ' or ANTHROPIC_API_KEY'})",
        )

    def generate(
        self, prompt: str, *, timeout_seconds: float, max_tokens: int, shape: Shape | None = None
    ) -> Completion:
        """Return the joined text blocks of the answer to one user message."""
        answer = self.post(
            "/v1/messages",
            {
                "max_tokens": self.room(prompt, max_tokens),
                "messages": [{"role": "user", "content": prompt}],
            },
            timeout_seconds=timeout_seconds,
            silence_seconds=self.silence(prompt, max_tokens),
            # The prompt describes the shape, which these models follow; newer ones refuse a prefilled answer.
            wishes=[] if shape is None else [{"temperature": 0}],
        )
        counts = as_object(answer.get("usage"))
        return self.exchange.completion(
            text_of(answer.get("content")),
            counts.get("input_tokens"),
            counts.get("output_tokens"),
            end=answer.get("stop_reason"),
        )

    def probe(self) -> str | None:
        """Return None if the server answers and accepts the key."""
        self.exchange.get("/v1/models", timeout_seconds=PROBE_SECONDS)
        return None
