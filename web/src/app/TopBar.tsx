// Owns the top bar: name, command line, theme and help; at phone width also the choice of a kernel, in place of the sidebar.
import { dark, helpOpen, kernelNames, navigate, openKernel, profile, route, setTheme, theme, type Theme } from "../state";

const themes: { id: Theme; label: string; icon: string }[] = [
  { id: "auto", label: "As the system", icon: "◐" },
  { id: "light", label: "Light", icon: "☀" },
  { id: "dark", label: "Dark", icon: "☾" },
];

export function TopBar() {
  const { command, producer } = profile.value;
  return (
    <header class="topbar">
      <button type="button" class="brand" onClick={() => navigate({ kernel: null })} title={`${producer}: summary`}>
        <Logo />
        <span class="brand-name">crosslane</span>
      </button>
      <KernelChoice />
      <code class="command" title={command} data-testid="command">{command}</code>
      <div class="segmented" role="radiogroup" aria-label="Theme">
        {themes.map(({ id, label, icon }) => (
          <button type="button" key={id} role="radio" aria-checked={theme.value === id} aria-label={label} title={`${label} (t)`}
            data-testid={`theme-${id}`} onClick={() => setTheme(id)}>
            <span aria-hidden="true">{icon}</span>
          </button>
        ))}
      </div>
      <button type="button" class="quiet" aria-haspopup="dialog" data-testid="help-button" title="Keys (?)" aria-label="Keyboard help"
        onClick={() => (helpOpen.value = true)}>
        <kbd>?</kbd>
      </button>
      <span class="visually-hidden" data-testid="theme-now">{dark.value ? "dark" : "light"}</span>
    </header>
  );
}

function KernelChoice() {
  const here = route.value.kernel;
  return (
    <select class="kernel-choice" aria-label="Kernel" value={here === null ? "" : String(here)} data-testid="kernel-choice"
      onChange={(e) => goTo(e.currentTarget.value)}>
      <option value="">Summary</option>
      {kernelNames.value.map((name, index) => <option key={index} value={String(index)}>{name}</option>)}
    </select>
  );
}

function goTo(index: string) {
  if (index === "") navigate({ kernel: null, line: null, instruction: null, params: {} });
  else openKernel(Number(index), route.value.kernel === null ? "overview" : route.value.tab);
}

// Lanes that cross.
function Logo() {
  return (
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true" fill="none" stroke-width="2.4" stroke-linecap="round">
      <path d="M3 6h4c5 0 5 12 10 12h4" stroke="var(--accent)" />
      <path d="M3 18h4c5 0 5-12 10-12h4" stroke="var(--loss)" />
      <path d="M3 12h3M18 12h3" stroke="var(--faint)" />
    </svg>
  );
}
