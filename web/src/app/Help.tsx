// Owns the dialog that lists the keys.
import { useEffect, useRef } from "preact/hooks";
import { helpOpen } from "../state";
import { bindings } from "../trace/keys";

const groups: { name: string; keys: [keys: string[], what: string][] }[] = [
  {
    name: "Anywhere",
    keys: [
      [["0"], "Summary"],
      [["[", "]"], "Previous, next kernel"],
      [["1", "…", "9"], "Tabs of the kernel"],
      [["f", "F"], "Next, previous finding"],
      [["/"], "Filter the table, or search source and disassembly"],
      [["Esc"], "Close, leave the text field, clear the selection"],
      [["t"], "Dark or light"],
      [["?"], "This help"],
    ],
  },
  {
    name: "Lists and tables",
    keys: [
      [["j", "k"], "Next, previous row (also ↓ ↑)"],
      [["g", "G"], "First, last row (also Home, End)"],
      [["PgUp", "PgDn"], "A page up or down"],
      [["Enter"], "Open the row"],
    ],
  },
  {
    name: "Code",
    keys: [
      [["j", "k"], "Next, previous line (also ↓ ↑)"],
      [["h", "l"], "Source, disassembly (also ← →)"],
      [["n", "p"], "Next, previous hot spot of the underlined column"],
      [["m"], "Underline the next column"],
      [["Enter"], "The linked line in the other pane"],
    ],
  },
  { name: "Trace", keys: bindings.map(({ show, says }) => [show, says]) },
];

const licences = () => (document.getElementById("licences") as HTMLTemplateElement | null)?.content.textContent ?? "";

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const close = () => (helpOpen.value = false);
  return (
    <dialog ref={dialog} class="help" aria-labelledby="help-title" data-testid="help" onClose={close}
      onClick={(event) => event.target === dialog.current && close()}>
      <div class="help-body">
        <header>
          <h2 id="help-title">Keys</h2>
          <button type="button" class="quiet" onClick={close} aria-label="Close">✕</button>
        </header>
        <div class="help-groups">
          {groups.map(({ name, keys }) => (
            <section key={name}>
              <h3>{name}</h3>
              <dl>
                {keys.map(([names, what]) => (
                  <div key={what}>
                    <dt>{names.map((k) => (k === "…" ? <span key={k}> … </span> : <kbd key={k}>{k}</kbd>))}</dt>
                    <dd>{what}</dd>
                  </div>
                ))}
              </dl>
            </section>
          ))}
        </div>
        <details class="licences" data-testid="licences">
          <summary>Licences of what this page is made with</summary>
          <pre tabIndex={0}>{licences()}</pre>
        </details>
      </div>
    </dialog>
  );
}
