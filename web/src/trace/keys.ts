// The keys of the lane viewer: one table that the keyboard handler and the help read.

export type Command =
  | { do: "move"; by: number }
  | { do: "start" | "end" | "next-change" | "previous-change" | "search" | "goto" | "play" | "format" | "unfollow" };

interface Binding {
  keys: string[]; // KeyboardEvent.key; "Shift+" only where it matters
  show: string[];
  says: string;
  command: Command;
}

export const bindings: readonly Binding[] = [
  { keys: ["ArrowRight", "ArrowDown", "j"], show: ["→", "↓", "j"], says: "One step forwards", command: { do: "move", by: 1 } },
  { keys: ["ArrowLeft", "ArrowUp", "k"], show: ["←", "↑", "k"], says: "One step backwards", command: { do: "move", by: -1 } },
  {
    keys: ["Shift+ArrowRight", "Shift+ArrowDown", "Shift+J", "PageDown"],
    show: ["⇧→", "⇧j", "PgDn"],
    says: "Ten steps forwards",
    command: { do: "move", by: 10 },
  },
  {
    keys: ["Shift+ArrowLeft", "Shift+ArrowUp", "Shift+K", "PageUp"],
    show: ["⇧←", "⇧k", "PgUp"],
    says: "Ten steps backwards",
    command: { do: "move", by: -10 },
  },
  { keys: ["Home"], show: ["Home"], says: "Before the first step", command: { do: "start" } },
  { keys: ["End"], show: ["End"], says: "After the last step", command: { do: "end" } },
  { keys: ["n"], show: ["n"], says: "Next change of the followed register or lane", command: { do: "next-change" } },
  { keys: ["p"], show: ["p"], says: "Previous change of it", command: { do: "previous-change" } },
  { keys: ["f"], show: ["f"], says: "Next format of the followed register, or of all", command: { do: "format" } },
  { keys: ["/"], show: ["/"], says: "Search instructions and source; Enter: next, ⇧Enter: previous", command: { do: "search" } },
  { keys: ["g"], show: ["g"], says: "Go to a step (17, +100, 50%)", command: { do: "goto" } },
  { keys: [" "], show: ["Space"], says: "Play and pause", command: { do: "play" } },
  { keys: ["Escape"], show: ["Esc"], says: "Follow nothing", command: { do: "unfollow" } },
];

interface KeyPress {
  key: string;
  shiftKey: boolean;
  ctrlKey: boolean;
  altKey: boolean;
  metaKey: boolean;
}

/** What a key press means; null: nothing of ours. */
export function commandOf(press: KeyPress): Command | null {
  if (press.ctrlKey || press.altKey || press.metaKey) return null;
  const named = press.key.length > 1 || /[a-z]/i.test(press.key); // "/" may need Shift on a keyboard
  const key = press.shiftKey && named ? `Shift+${press.key}` : press.key;
  return bindings.find((binding) => binding.keys.includes(key))?.command ?? null;
}
