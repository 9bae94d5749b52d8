"""What of Numba's inside do we use? This, which it may change with any version; `pyproject.toml` allows one of them.

Kernels need four things that Numba does not offer: to be called before they are compiled (`CPUDispatcher` asks a method
of its own for code), to keep their code where we say (`FunctionCache`), to be compiled as parts of others only
(`Compiler`, `Flags`, `FunctionCompiler`, `CodeLibrary`), and functions of one instruction that run as Python too
(`lower_builtin`, which is public; functions made with `intrinsic` cannot be called).
"""

from __future__ import annotations

from typing import Any

from numba import extending
from numba.core import caching, codegen, compiler, dispatcher, registry, serialize, typing
from numba.core.types import misc

CPUDispatcher: Any = registry.CPUDispatcher
CodeLibrary: Any = codegen.JITCodeLibrary
Compiler: Any = compiler.Compiler
CompileResult: Any = compiler.CompileResult
Flags: Any = compiler.Flags
FunctionCache: Any = caching.FunctionCache
FunctionCompiler: Any = vars(dispatcher)["_FunctionCompiler"]
OmittedArg: Any = vars(dispatcher)["OmittedArg"]
dumps: Any = serialize.dumps
lower_builtin: Any = extending.lower_builtin
signature: Any = vars(typing)["signature"]
type_callable: Any = extending.type_callable
unliteral: Any = misc.unliteral
