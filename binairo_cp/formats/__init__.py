"""Read and write files of puzzles."""

from binairo_cp.formats.blocks import Block, LineBlock
from binairo_cp.formats.entry import AUTO, Choices, Entry
from binairo_cp.formats.reading import (
    FormatLike,
    Tally,
    files_of,
    read_blocks,
    read_bytes,
    read_one,
    read_sources,
    sniff,
    stated,
)
from binairo_cp.formats.registry import FORMATS, Format, write
from binairo_cp.formats.sources import STDIN

__all__ = ["AUTO", "FORMATS", "STDIN", "Block", "Choices", "Entry", "Format", "FormatLike"]
__all__ += ["LineBlock", "Tally", "files_of", "read_blocks", "read_bytes", "read_one"]
__all__ += ["read_sources", "sniff", "stated", "write"]
