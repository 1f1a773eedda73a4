"""
Every operation of the document by the client that openapi-python-client made, with what the
document's own examples say: every_operation.py ADDRESS KEY DOCUMENT. Prints what became of each.
"""

import importlib
import inspect
import io
import json
import re
import sys
import traceback

from dossier_client import AuthenticatedClient
from dossier_client import models
from dossier_client.types import File

address, key, document_file = sys.argv[1:]
with open(document_file) as file:
    document = json.load(file)
client = AuthenticatedClient(base_url=address, token=key)

# Ids of what was made, by the names of parameters and fields.
ids = {"section": "answers"}
# What makes records, in the order in which others need them.
first = ["createFolder", "createPrompt", "createDocument", "uploadDocument", "createChat"]
first += ["sendMessage", "createImport", "createImportSchedule", "createWebhook", "testWebhook"]
first += ["createTranscription", "importFolder"]
made = {
    "createFolder": "folderId",
    "createPrompt": "promptId",
    "createDocument": "documentId",
    "createChat": "sessionId",
    "sendMessage": "requestId",
    "createImport": "importId",
    "createImportSchedule": "scheduleId",
    "createWebhook": "webhookId",
    "testWebhook": "deliveryId",
    "createTranscription": "transcriptionId",
}
# Of these, a body that works here; of any other, the example of the document.
bodies = {
    "createWebhook": {"event_type": "import.finished", "url": "http://127.0.0.1:9/hook"},
    "changeSettings": {"imports.host_delay": "250ms"},
    "trySettings": {},
}
captions = b"WEBVTT\n\n00:00.000 --> 00:02.000\nThe tide turns.\n"


def snake(name):
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", name.replace("-", "_")).lower()


def record(operation):
    media = operation["requestBody"]["content"]["application/json"]
    body = bodies.get(operation["operationId"], media.get("example"))
    body = json.loads(json.dumps(body))
    for name in ["folder_id", "parentId"]:
        if name in body:
            body[name] = ids["folderId"] if name == "folder_id" else None
    for name in ["usedFolders", "folder_ids"]:
        if name in body:
            body[name] = [ids["folderId"]]
    for name in ["usedPrompts", "document_ids"]:
        if name in body:
            body[name] = []
    return body


def given(operation, call):
    """The arguments of this call, by their names."""
    arguments = {"client": client}
    for name, of in inspect.signature(call).parameters.items():
        if name == "client":
            continue
        if name == "body":
            types = str(of.annotation)
            form = next(iter(re.findall(r"\b\w*Body\b", types)), None)
            named = [one for one in re.findall(r"\b[A-Z]\w+\b", types) if hasattr(models, one)]
            if form and "multipart/form-data" in operation["requestBody"]["content"]:
                field = next(iter(form_fields(operation)))
                file = File(payload=io.BytesIO(captions), file_name="tide.vtt")
                many = field == "files"
                arguments["body"] = getattr(models, form)(**{field: [file] if many else file})
            else:
                arguments["body"] = first_fitting(named, record(operation))
        elif of.default is inspect.Parameter.empty or name == "folder_id":
            arguments[name] = ids[camel(name)]
    return arguments


def first_fitting(names, body):
    """The record of a union that the body is one of."""
    for name in names[:-1]:
        try:
            return getattr(models, name).from_dict(body)
        except (KeyError, ValueError):
            pass
    return getattr(models, names[-1]).from_dict(body)


def form_fields(operation):
    return operation["requestBody"]["content"]["multipart/form-data"]["schema"]["properties"]


def camel(name):
    if name == "folder_id":
        return "folderId"
    return re.sub(r"_([a-z])", lambda found: found[1].upper(), name)


def is_endless(operation):
    return "text/event-stream" in operation["responses"].get("200", {}).get("content", {})


operations = [
    operation
    for methods in document["paths"].values()
    for method, operation in methods.items()
]
rank = {"delete": 2}
methods = {
    operation["operationId"]: method
    for of in document["paths"].values()
    for method, operation in of.items()
}
operations.sort(
    key=lambda one: (
        first.index(one["operationId"]) - len(first) if one["operationId"] in first else 0,
        rank.get(methods[one["operationId"]], 1),
    )
)
results = {}
for operation in operations:
    name = operation["operationId"]
    tag = snake(operation["tags"][0].replace(" ", "_"))
    try:
        # Without an end of their own they are read as streams; the answer's events have one.
        if is_endless(operation) and name != "streamMessage":
            continue
        module = importlib.import_module(f"dossier_client.api.{tag}.{snake(name)}")
        ids.setdefault("userId", "usr_nobody")
        response = module.sync_detailed(**given(operation, module.sync_detailed))
        results[name] = [response.status_code.value, type(response.parsed).__name__]
        if response.status_code.value < 300 and name in made:
            ids[made[name]] = getattr(response.parsed, snake("requestId" if name == "sendMessage" else "id"))
    except Exception:
        results[name] = [0, traceback.format_exc(limit=-3)]
print(json.dumps(results))
