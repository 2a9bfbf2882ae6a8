"""Join the modules of a kernel to one source, since C compilers inline only within a file.

A kernel is a module of ``binairo_cp/kernels``, or a package whose ``__init__`` imports what Python
code uses. The modules that it imports from there are joined to it. Imports between them disappear,
and constants are replaced by their values: for Cython, they would be variables, which C compilers
can't fold.

Cython has no name for several decorators at once. `nogil_noexcept` and `inline_nogil_noexcept` of
`cython_stub` are replaced by what they say.
"""

from __future__ import annotations

import ast
import hashlib
from pathlib import Path

FOLDER = Path(__file__).resolve().parent.parent / "binairo_cp" / "kernels"

_PACKAGE = "binairo_cp.kernels"
_STUB = "cython_stub"
_DIRECTIVES = {
    "language_level": "3",
    "binding": "True",
    "boundscheck": "False",
    "wraparound": "False",
    "initializedcheck": "False",
    "cdivision": "True",
    "infer_types": "True",
    "freethreading_compatible": "True",
    "show_performance_hints": "False",
    "auto_pickle": "False",  # it would take a fifth of the code
}
_CHECKS = {"boundscheck": "True", "initializedcheck": "True"}
_FUNCTION_OF_C = ("cfunc", "nogil", "exceptval(check=False)")
_MARKS = {
    "nogil_noexcept": _FUNCTION_OF_C,
    "inline_nogil_noexcept": ("inline", *_FUNCTION_OF_C),
}


class JoinError(Exception):
    """The modules of a kernel can't be joined."""


def joined(kernel: str, *, checked: bool = False) -> str:
    """The source of a kernel with all its modules.

    Args:
        kernel: its name in ``binairo_cp/kernels``.
        checked: whether the compiled code checks the bounds of each index.

    Raises:
        JoinError: two modules define the same name, or one imports in a way that is lost.
    """
    files = _files(kernel)
    constants = _Constants()
    body: list[ast.stmt] = []
    owners: dict[str, Path] = {}
    for file in files:
        for node in ast.parse(file.read_text("utf-8"), str(file)).body:
            for name in _names(node):
                if owners.setdefault(name, file) != file and name not in constants.values:
                    raise JoinError(f"{file}: {name} is defined in {owners[name]} too")
            body += _kept(node, constants)
    exported = [
        ast.parse(f"{name} = {value!r}").body[0]
        for name, value in constants.values.items()
        if not name.startswith("_")
    ]
    module = ast.fix_missing_locations(ast.Module(body + exported, []))
    directives = _DIRECTIVES | (_CHECKS if checked else {})
    comment = ", ".join(f"{name}={value}" for name, value in directives.items())
    digest = f"SOURCES = {digest_of(kernel)!r}"
    return f"# cython: {comment}\nimport cython\n\n{digest}\n{ast.unparse(module)}\n"


def digest_of(kernel: str) -> str:
    """A hash of the sources of a kernel, which the compiled module has as ``SOURCES``."""
    contents = (file.read_bytes() for file in [*_files(kernel), *sorted(FOLDER.glob("*.pxd"))])
    return hashlib.sha256(b"\0".join(contents)).hexdigest()


def _files(kernel: str) -> list[Path]:
    """The files of a kernel, each after those that it imports."""
    files: list[Path] = []

    def add(module: str) -> None:
        path = FOLDER.joinpath(*module.split("."))
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if file in files:
            return
        for node in ast.walk(ast.parse(file.read_text("utf-8"), str(file))):
            if isinstance(node, ast.ImportFrom) and _is_ours(node):
                for module in _modules(node):
                    add(module)
        files.append(file)

    add(kernel)
    return files


def _is_ours(node: ast.ImportFrom) -> bool:
    return node.module == _PACKAGE or str(node.module).startswith(f"{_PACKAGE}.")


def _modules(node: ast.ImportFrom) -> list[str]:
    """The modules that an import names, in `FOLDER`."""
    if node.module == _PACKAGE:
        if [(alias.name, alias.asname) for alias in node.names] != [(_STUB, "cython")]:
            raise JoinError(f"import names from a module of {_PACKAGE}: {ast.unparse(node)}")
        return []
    if any(alias.asname for alias in node.names):
        raise JoinError(f"import without new names: {ast.unparse(node)}")
    return [str(node.module).removeprefix(f"{_PACKAGE}.")]


class _Constants(ast.NodeTransformer):
    """Replaces the names of constants by their values."""

    def __init__(self) -> None:
        self.values: dict[str, int | float] = {}

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if not isinstance(node.ctx, ast.Load) or node.id not in self.values:
            return node
        value = self.values[node.id]
        # Larger literals would be Python integers.
        is_word = isinstance(value, int) and value >= 1 << 31
        text = f"cython.cast(cython.ulonglong, {value})" if is_word else repr(value)
        return ast.parse(text, mode="eval").body

    def value_of(self, node: ast.expr) -> int | float | None:
        """The value of an expression of numbers and constants; None for any other expression."""
        try:
            code = compile(ast.Expression(node), "", "eval")
            value = eval(code, {"__builtins__": {}}, dict(self.values))
        except Exception:
            return None
        return value if isinstance(value, int | float) else None


def _kept(node: ast.stmt, constants: _Constants) -> list[ast.stmt]:
    """What remains of a statement at the top of a module."""
    match node:
        case ast.ImportFrom() if node.module == "__future__" or _is_ours(node):
            return []
        case (
            ast.Expr(value=ast.Constant(value=str())) | ast.Assign(targets=[ast.Name(id="__all__")])
        ):
            return []
        case ast.Assign(targets=[ast.Name(id=str(name))], value=value) if (
            name.isupper() and (number := constants.value_of(value)) is not None
        ):
            constants.values[name] = number
            return []
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=values)) if all(
            isinstance(name, ast.Name) and name.id.isupper() for name in names
        ):
            pairs = zip(names, values, strict=True)
            assigned = (ast.Assign([name], value, lineno=0) for name, value in pairs)
            return [kept for single in assigned for kept in _kept(single, constants)]
        case ast.If(test=ast.Attribute(value=ast.Name(id="cython"), attr="compiled")):
            return list(node.body)
        case ast.FunctionDef(decorator_list=marks) if marks:
            (name,) = (ast.unparse(mark).removeprefix("cython.") for mark in marks)
            node.decorator_list = [
                ast.parse(f"cython.{mark}", mode="eval").body for mark in _MARKS[name]
            ]
            # Without it, `None` would be an object of Python.
            if isinstance(node.returns, ast.Constant) and node.returns.value is None:
                node.returns = ast.parse("cython.void", mode="eval").body
    return [constants.visit(node)]


def _names(node: ast.stmt) -> list[str]:
    match node:
        case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
            return [name]
        case ast.Assign(targets=[ast.Name(id=str(name))]) if name != "__all__":
            return [name]
        case ast.Assign(targets=[ast.Tuple(elts=names)]):
            return [ast.unparse(name) for name in names]
    return []
