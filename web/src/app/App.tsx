// Owns the frame: top bar, list of kernels, and the view that the route names.
import { useEffect } from "preact/hooks";
import { helpOpen, kernel, profile, route } from "../state";
import { onKey } from "../keys";
import { Help } from "./Help";
import { KernelView } from "./KernelView";
import { Sidebar } from "./Sidebar";
import { Summary } from "./Summary";
import { TopBar } from "./TopBar";

export function App() {
  useEffect(() => {
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  const index = route.value.kernel;
  return (
    <div class="app">
      <TopBar />
      <Sidebar />
      <main class="view" id="view">
        {index === null ? <Summary />
          : kernel.value ? <KernelView key={index} index={index} kernel={kernel.value} />
          : <p class="empty">There is no kernel {index} in this profile; it has {profile.value.kernels.length}.</p>}
      </main>
      {helpOpen.value && <Help />}
    </div>
  );
}
