"""What a type checker has to say of a user's program: nothing, but where a line says otherwise. Not run."""
from typing import Any, Dict, List, Optional

import numpy as np

import crosslane

module: crosslane.Module = crosslane.load("x.cl", target="gfx906", clang=["-DN=16"])
kernel: crosslane.Kernel = module.vector_add
result: crosslane.Result = kernel[1000, 256](np.zeros(3), None, n=1000)
result = kernel.launch(1, grid=(64, 64), block=(8, 8), profile="all", timeout=10, progress=lambda p: p.workgroups_done)
profile: Optional[Dict[str, Any]] = result.profile
findings: Optional[List[Dict[str, Any]]] = result.findings
memory = crosslane.zeros((3, 4), np.uint32)
size: int = memory.nbytes + module.kernels[0].parameters[0].bytes
kernel.launch(1, grid="64")  # type: ignore[arg-type]
crosslane.load(5)  # type: ignore[arg-type]

try:
    kernel.prepare(grid=1).run()
except crosslane.KernelFault as error:
    lane: Optional[int] = error.fault.lane if error.fault else None
