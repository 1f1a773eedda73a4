"""Hooks of schemathesis: a body of application/zip is an archive of a folder, as the API exports it."""

import os
from pathlib import Path

import schemathesis
from hypothesis import strategies

schemathesis.openapi.media_type(
    "application/zip", strategies.just(Path(os.environ["FOLDER_ARCHIVE"]).read_bytes())
)
