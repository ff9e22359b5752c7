"""CommonMark to HTML on GitHub's C parser (cmark-gfm through cmarkgfm), without its memory leak.

cmarkgfm never frees the trees and strings that cmark-gfm hands out: a few kilobytes a text, gigabytes for the
803,000 issues of NLBSE. Its own library is asked to free them here.
"""

from __future__ import annotations

import ctypes
from functools import cache
from typing import Any

from cmarkgfm import _cmark

_OPTIONS = _cmark.lib.CMARK_OPT_UNSAFE  # raw HTML is passed on: the HTML parser after it knows what is text
_EXTENSIONS = (b"table", b"strikethrough")


class _Allocator(ctypes.Structure):
    """`cmark_mem` of cmark-gfm.h."""

    _fields_ = (
        ("calloc", ctypes.c_void_p),
        ("realloc", ctypes.c_void_p),
        ("free", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
    )


def _keep(_: int) -> None:
    """Free nothing."""


@cache
def _library() -> tuple[Any, Any, tuple[Any, ...]]:
    """Find (free a tree, free a string, the extensions), once per process."""
    _cmark.lib.cmark_gfm_core_extensions_ensure_registered()
    extensions = tuple(_cmark.lib.cmark_find_syntax_extension(name) for name in _EXTENSIONS)
    try:
        shared = ctypes.CDLL(_cmark.__file__)
        shared.cmark_get_default_mem_allocator, shared.cmark_node_free  # noqa: B018
    except (OSError, AttributeError):  # a build that hides its symbols: it leaks, and gives the same text
        return _keep, _keep, extensions
    shared.cmark_node_free.argtypes = [ctypes.c_void_p]
    shared.cmark_node_free.restype = None
    shared.cmark_get_default_mem_allocator.argtypes = []
    shared.cmark_get_default_mem_allocator.restype = ctypes.POINTER(_Allocator)
    allocator = shared.cmark_get_default_mem_allocator().contents
    return shared.cmark_node_free, allocator.free, extensions


def to_html(markdown: bytes) -> bytes:
    """Convert a CommonMark text with tables and strikethrough to HTML.

    Args:
        markdown: valid UTF-8 without NUL.
    """
    lib, ffi = _cmark.lib, _cmark.ffi
    free_tree, free_string, extensions = _library()
    parser = lib.cmark_parser_new(_OPTIONS)
    for extension in extensions:
        lib.cmark_parser_attach_syntax_extension(parser, extension)
    lib.cmark_parser_feed(parser, markdown, len(markdown))
    tree = lib.cmark_parser_finish(parser)
    rendered = lib.cmark_render_html(tree, _OPTIONS, lib.cmark_parser_get_syntax_extensions(parser))
    html: bytes = ffi.string(rendered)
    free_string(int(ffi.cast("uintptr_t", rendered)))
    free_tree(int(ffi.cast("uintptr_t", tree)))
    lib.cmark_parser_free(parser)
    return html
