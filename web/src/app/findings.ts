// Owns which findings come first.
import type { Finding } from "../profile";

export interface KernelFinding {
  kernel: number;
  finding: Finding;
}

/** All kernels' findings; a share of a kernel's total weighs as much as the kernel does among all wave-instructions. */
export function topFindings(kernels: { findings?: Finding[] | null; wave_instructions: number }[]): KernelFinding[] {
  const total = kernels.reduce((sum, k) => sum + k.wave_instructions, 0) || 1;
  const weight = ({ kernel, finding }: KernelFinding) => (finding.share * kernels[kernel]!.wave_instructions) / total;
  return kernels
    .flatMap((k, kernel) => (k.findings ?? []).map((finding) => ({ kernel, finding })))
    .sort((a, b) => weight(b) - weight(a));
}
