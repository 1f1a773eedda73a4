"""The main job by the client that openapi-python-client made: main_job.py ADDRESS KEY FILE."""

import json
import sys
import time

from dossier_client import AuthenticatedClient
from dossier_client.api.chats import create_chat, poll_message, send_message
from dossier_client.api.documents import (
    get_document,
    list_documents,
    read_document_text,
    upload_document,
)
from dossier_client.api.folders import create_folder, delete_folder, get_folder
from dossier_client.api.search import search
from dossier_client.models import (
    ChatInput,
    CompletedAnswer,
    DocumentStatus,
    ErrorCode,
    NewFolder,
    NewMessage,
    Problem,
    SearchQuery,
    UploadDocumentBody,
)
from dossier_client.types import File

address, key, path = sys.argv[1:]
client = AuthenticatedClient(base_url=address, token=key)

folder = create_folder.sync(client=client, body=NewFolder(name="By Python"))
with open(path, "rb") as payload:
    body = UploadDocumentBody(file=File(payload=payload, file_name="handbook.pdf"))
    document = upload_document.sync(client=client, body=body, folder_id=folder.id)
while document.status == DocumentStatus.SYNCING:
    time.sleep(0.1)
    document = get_document.sync(document.id, client=client, content=False)
found = search.sync(
    client=client, body=SearchQuery(query="ceramic filter", folder_ids=[folder.id])
)
chat = create_chat.sync(client=client, body=ChatInput(used_folders=[folder.id]))
text = "How often is the ceramic filter replaced?"
message = send_message.sync(chat.id, client=client, body=NewMessage(text=text))
polled = None
while not isinstance(polled, CompletedAnswer):
    polled = poll_message.sync(chat.id, message.request_id, client=client, prefer="wait=20")
answer = polled.result
cited = answer.citations[0]
read = read_document_text.sync(
    cited.document_id, client=client, start=cited.start, length=cited.end - cited.start
)
names = [one.name for one in list_documents.sync(client=client, folder_id=folder.id).data]
delete_folder.sync_detailed(folder.id, client=client)
gone = get_folder.sync_detailed(folder.id, client=client)
assert isinstance(gone.parsed, Problem) and gone.parsed.code == ErrorCode.NOT_FOUND
print(
    json.dumps(
        {
            "status": document.status.value,
            "found": len(found.data) > 0,
            "answer": answer.answer,
            "quote_is_text": read.text == cited.quote,
            "names": names,
            "gone": [gone.status_code.value, gone.parsed.code.value],
        }
    )
)
