"""The main job by the official Python clients of OpenAI and MCP: official.py ADDRESS KEY FILE."""

import asyncio
import json
import sys
import time

from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from openai import NotFoundError, OpenAI

address, key, path = sys.argv[1:]
question = "How often is the ceramic filter replaced?"


def by_openai():
    client = OpenAI(base_url=f"{address}/v1", api_key=key, max_retries=0)
    store = client.vector_stores.create(name="By OpenAI")
    with open(path, "rb") as content:
        file = client.files.create(file=("handbook.pdf", content), purpose="assistants")
    client.vector_stores.files.create(store.id, file_id=file.id)
    while client.files.retrieve(file.id).status == "uploaded":
        time.sleep(0.1)
    found = client.vector_stores.search(store.id, query="ceramic filter")
    messages = [{"role": "user", "content": question}]
    answer = client.chat.completions.create(model=store.id, messages=messages)
    stream = client.chat.completions.create(model=store.id, messages=messages, stream=True)
    pieces = "".join(part.choices[0].delta.content or "" for part in stream if part.choices)
    message = answer.choices[0].message
    cited = message.annotations[0].url_citation
    quoted = answer.model_extra["dossier"]["citations"][0]["quote"]
    names = [one.filename for one in client.files.list()]
    client.files.delete(file.id)
    client.vector_stores.delete(store.id)
    try:
        client.files.retrieve(file.id)
        gone = None
    except NotFoundError as error:
        gone = [error.status_code, error.code]
    return {
        "found": len(found.data) > 0,
        "answer": message.content,
        "streamed": pieces == message.content,
        "marker": message.content[cited.start_index : cited.end_index],
        "quoted": quoted,
        "names": names,
        "gone": gone,
    }


async def by_mcp(folder):
    async with session() as client:
        await client.initialize()
        tools = (await client.list_tools()).tools

        async def say(tool, /, **arguments):
            result = await client.call_tool(tool, arguments)
            return result.content[0].text

        added = await say("add_text", folder=folder, name="Pump", text="The pump is oiled in May.")
        for _ in range(100):
            found = await say("search", query="pump oiled", folders=[folder])
            if "in May" in found:
                break
            await asyncio.sleep(0.1)
        return {
            "tools": [tool.name for tool in tools],
            "added": added,
            "found": found,
            "answer": await say("ask", question="When is the pump oiled?", folders=[folder]),
            "listed": await say("list_documents", folder=folder),
        }


def session():
    from contextlib import asynccontextmanager

    import httpx2

    @asynccontextmanager
    async def opened():
        headers = {"Authorization": f"Bearer {key}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as http:
            async with streamable_http_client(f"{address}/mcp", http_client=http) as streams:
                async with ClientSession(streams[0], streams[1]) as client:
                    yield client

    return opened()


openai = by_openai()
keeper = OpenAI(base_url=f"{address}/v1", api_key=key).vector_stores.create(name="By MCP")
print(json.dumps({"openai": openai, "mcp": asyncio.run(by_mcp(keeper.id))}))
