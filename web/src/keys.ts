// Owns the keyboard: one listener, and a stack of what the views on screen do with keys. The last view that came gets a key
// first; what none wants is the page's own. Keys typed into a text field stay there, but for Escape.
import { useEffect, useRef } from "preact/hooks";
import { helpOpen, kernel, navigate, openKernel, profile, route, setTheme, dark } from "./state";
import { tabs } from "./route";
import { tabAvailable } from "./model/tabs";

/** Returns whether the key was used. Names are those of KeyboardEvent.key. */
export type KeyHandler = (key: string, event: KeyboardEvent) => boolean;

const handlers: { current: KeyHandler }[] = [];

/** Gives the component keys while it is on screen. */
export function useKeys(handler: KeyHandler): void {
  const latest = useRef(handler);
  latest.current = handler;
  useEffect(() => {
    handlers.push(latest);
    return () => void handlers.splice(handlers.indexOf(latest), 1);
  }, []);
}

export function onKey(event: KeyboardEvent): void {
  if (helpOpen.value) return; // the dialog's own
  if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
  const target = event.target as HTMLElement;
  const typing = target.closest("input:not([type=checkbox],[type=range]), textarea, select") !== null;
  if (typing && event.key !== "Escape") return;
  if (typing) target.blur();
  for (let i = handlers.length - 1; i >= 0; i--)
    if (handlers[i]!.current(event.key, event)) return event.preventDefault();
  if (!typing && pageKey(event.key)) event.preventDefault();
}

function focusNext(selector: string, by: number): boolean {
  const all = [...document.querySelectorAll<HTMLElement>(selector)];
  const at = all.indexOf(document.activeElement as HTMLElement);
  const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : Math.max(0, Math.min(all.length - 1, at + by))];
  next?.focus();
  return next !== undefined;
}

function pageKey(key: string): boolean {
  const count = profile.value.kernels.length;
  const index = route.value.kernel;
  switch (key) {
    case "?":
      helpOpen.value = true;
      return true;
    case "t":
      setTheme(dark.value ? "light" : "dark");
      return true;
    case "0":
    case "u":
      navigate({ kernel: null, tab: "overview", line: null, instruction: null, params: {} });
      return true;
    case "]":
      if (count) openKernel(index === null ? 0 : Math.min(count - 1, index + 1), route.value.tab);
      return true;
    case "[":
      if (index !== null) openKernel(Math.max(0, index - 1), route.value.tab);
      return true;
    case "f":
    case "F":
      return focusNext("main .finding-open", key === "f" ? 1 : -1);
    case "PageDown":
    case "PageUp": {
      const scroller = document.querySelector(".tabpanel") ?? document.getElementById("view")!;
      scroller.scrollBy({ top: (key === "PageDown" ? 0.85 : -0.85) * scroller.clientHeight });
      return true;
    }
    case "/": {
      const box = document.querySelector<HTMLInputElement>("main input[type=search]");
      box?.focus();
      box?.select();
      return box !== null;
    }
  }
  const number = Number(key);
  const tab = number >= 1 ? tabs[number - 1] : undefined;
  if (tab && kernel.value && tabAvailable(profile.value, index!, tab)) {
    navigate({ tab, params: {} });
    return true;
  }
  return false;
}
