"""The wire APIs that fake_model.py speaks, one module each.

A module has
    owns(path)              whether a POST to this path belongs to the API
    read(path, body)        the request as a Request (see common.py)
    answer(turn, request)   the complete answer of a turn, as one JSON value
    stream(turn, request)   the same answer as SSE: pairs (event name or None, data)
    error(err)              the body of an error answer
    ID                      prefix of its tool call ids

The tools of a turn carry "name", "input" and, from the server, an "id".
"""
from . import messages

ALL = (messages,)


def for_path(path):
    """The module whose API the path belongs to, or None."""
    return next((api for api in ALL if api.owns(path)), None)
