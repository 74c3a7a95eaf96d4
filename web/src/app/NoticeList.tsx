// Owns showing the notices.
import type { Profile } from "../profile";
import { notices } from "./notices";

export function Notices({ profile }: { profile: Profile }) {
  const list = notices(profile);
  if (!list.length) return null;
  return (
    <ul class="notices" data-testid="notices">
      {list.map(({ kind, id, text }) => (
        <li key={id} class={kind} data-testid={`notice-${id}`} role={kind === "warning" ? "alert" : undefined}>
          <span aria-hidden="true">{kind === "warning" ? "▲" : "ℹ"}</span> {text}
        </li>
      ))}
    </ul>
  );
}
