// Owns what the filter box of a table means: every word occurs, in any case.

export function matches(text: string, filter: string): boolean {
  const lower = text.toLowerCase();
  return filter.toLowerCase().split(/\s+/).every((word) => lower.includes(word));
}
