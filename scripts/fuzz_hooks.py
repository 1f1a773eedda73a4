"""Hooks of schemathesis: what a request needs that no schema can say."""

import os
from itertools import count
from pathlib import Path

import schemathesis
from hypothesis import strategies

# A body of application/zip is an archive of a folder, as the API exports it.
schemathesis.openapi.media_type(
    "application/zip", strategies.just(Path(os.environ["FOLDER_ARCHIVE"]).read_bytes())
)

registered = count()
url_length_max = 2048


@schemathesis.hook
def before_call(context, case, kwargs):
    operation = case.operation.definition.raw.get("operationId")
    if operation == "createWebhook":
        give_own_url(case.body)
    elif operation in ("changeSettings", "trySettings"):
        fit_tokens(case.body)


def give_own_url(body):
    """A URL may be registered once: each registration has its own, as far as there is room."""
    url = body.get("url") if isinstance(body, dict) else None
    if not isinstance(url, str) or not url.lower().startswith("http"):
        return
    own = f"{url}{'&' if '?' in url else '?'}n={next(registered)}"
    if len(own) <= url_length_max:
        body["url"] = own


def fit_tokens(body):
    """The longest answer is at most half of what the model reads and writes at once."""
    if not isinstance(body, dict):
        return
    try:
        if 2 * int(body["answers.answer_tokens"]) > int(body["answers.context_tokens"]):
            del body["answers.answer_tokens"]
    except (KeyError, TypeError, ValueError):
        pass
