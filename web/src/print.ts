// Owns printing: while the browser makes its pages the view is light and has all its rows and lines, not only those on
// screen. The browser does not wait after `beforeprint`, so what changes then is drawn at once, effects included.
import { options } from "preact";
import { printing } from "./state";

// Which the types of Preact leave out: who calls effects, a frame later if nobody.
const hooks = options as typeof options & { requestAnimationFrame?: ((effects: () => void) => void) | undefined };

function now(change: () => void): void {
  const { debounceRendering, requestAnimationFrame } = hooks;
  const effects: (() => void)[] = [];
  hooks.debounceRendering = (render) => render();
  hooks.requestAnimationFrame = (run) => effects.push(run);
  try {
    change();
    for (let run; (run = effects.shift()); ) run();
  } finally {
    if (debounceRendering) hooks.debounceRendering = debounceRendering;
    else delete hooks.debounceRendering;
    hooks.requestAnimationFrame = requestAnimationFrame;
  }
}

export function followPrinting(): void {
  addEventListener("beforeprint", () => now(() => (printing.value = true)));
  addEventListener("afterprint", () => now(() => (printing.value = false)));
}
