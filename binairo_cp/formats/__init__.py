"""Read and write files of puzzles."""

from binairo_cp.formats.blocks import Block, FileRange, LineBlock
from binairo_cp.formats.detection import sniff
from binairo_cp.formats.entry import Entry
from binairo_cp.formats.reading import (
    AUTO,
    Tally,
    read_blocks,
    read_bytes,
    read_sources,
)
from binairo_cp.formats.registry import FORMATS, Format, write
from binairo_cp.formats.sources import STDIN

__all__ = [
    "AUTO",
    "FORMATS",
    "STDIN",
    "Block",
    "Entry",
    "FileRange",
    "Format",
    "LineBlock",
    "Tally",
    "read_blocks",
    "read_bytes",
    "read_sources",
    "sniff",
    "write",
]
