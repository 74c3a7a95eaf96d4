// Owns the colours of cache lines and banks in the lane picture: viridis, which keeps its order without colour vision.

const stops = [0x440154, 0x482878, 0x3e4989, 0x31688e, 0x26828e, 0x1f9e89, 0x35b779, 0x6ece58, 0xb5de2b, 0xfde725];

/** Ground and text of item `index` of `count`. */
export function laneColour(index: number, count: number): { background: string; color: string } {
  const at = count < 2 ? 0.35 : 0.08 + (0.87 * index) / (count - 1);
  const scaled = at * (stops.length - 1);
  const low = Math.min(stops.length - 2, Math.floor(scaled));
  const part = scaled - low;
  const channel = (shift: number) => Math.round(((stops[low]! >> shift) & 255) * (1 - part) + ((stops[low + 1]! >> shift) & 255) * part);
  return { background: `rgb(${channel(16)} ${channel(8)} ${channel(0)})`, color: at < 0.62 ? "#fff" : "#10151a" };
}
