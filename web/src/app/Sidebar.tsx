// Owns the list of kernels at the left, most wave-instructions first within reach: the bar behind a name is its share.
import { kernelNames, navigate, openKernel, profile, route } from "../state";
import { short } from "../format";

export function Sidebar() {
  const { kernels } = profile.value;
  const most = kernels.reduce((m, k) => Math.max(m, k.wave_instructions), 0);
  const here = route.value.kernel;
  return (
    <nav class="sidebar" aria-label="Kernels" data-testid="sidebar">
      <a href="#/" class="nav-item" aria-current={here === null ? "page" : undefined} data-testid="nav-summary"
        onClick={(e) => { e.preventDefault(); navigate({ kernel: null, line: null, instruction: null, params: {} }); }}>
        <span class="nav-name">Summary</span>
      </a>
      <h2 class="nav-head">Kernels <span class="count">{kernels.length}</span></h2>
      <ol>
        {kernels.map((k, index) => (
          <li key={index}>
            <a href={`#/${index}/overview`} class="nav-item" aria-current={here === index ? "page" : undefined} title={k.readable}
              data-testid={`nav-kernel-${index}`}
              onClick={(e) => { e.preventDefault(); openKernel(index, here === null ? "overview" : route.value.tab); }}>
              <span class="nav-bar" style={{ width: `${most ? (100 * k.wave_instructions) / most : 0}%` }} />
              <span class="nav-name">{kernelNames.value[index]}</span>
              <span class="nav-value" title="wave-instructions">{short(k.wave_instructions)}</span>
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
