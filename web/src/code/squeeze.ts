// Owns squeezing a text's heat into the pixels of the strip beside it.

/** The hottest level of the lines that fall on each of `pixels` rows. */
export function squeeze(levels: readonly number[], pixels: number): Uint8Array {
  const hottest = new Uint8Array(pixels);
  const scale = Math.min(1, pixels / Math.max(1, levels.length));
  levels.forEach((level, line) => {
    const at = Math.min(pixels - 1, Math.floor(line * scale));
    if (level > hottest[at]!) hottest[at] = level;
  });
  return hottest;
}
