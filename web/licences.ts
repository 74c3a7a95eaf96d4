// Owns the notices of the packages that end up in the page: their licences ask that every copy brings them along. Which
// packages these are is read off the bundle, so that the list cannot be out of date.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

/** Puts the text into the element `licences` of the page; fails if a package has none. */
export function licences(): Plugin {
  return {
    name: "licences",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(html, context) {
        const folders = new Set<string>();
        for (const chunk of Object.values(context.bundle ?? {}))
          if (chunk.type === "chunk") for (const id of chunk.moduleIds) folders.add(packageFolder(id) ?? "");
        folders.delete("");
        const notices = [...folders].sort().map(notice).join("\n\n");
        return html.replace("@LICENCES@", () => notices.replaceAll("&", "&amp;").replaceAll("<", "&lt;"));
      },
    },
  };
}

// ".../node_modules/@codemirror/view/dist/index.js" -> ".../node_modules/@codemirror/view"
function packageFolder(id: string): string | null {
  return /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? null;
}

function notice(folder: string): string {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as Record<string, string>;
  const file = existsSync(folder) && readdirSync(folder).find((entry) => /^licen[cs]e(\.(md|txt))?$/i.test(entry));
  if (!file) throw new Error(`${name} has no licence file in ${folder}: the page must bring its notice along`);
  return `${name} ${version} (${license})\n\n${readFileSync(join(folder, file), "utf8").trim()}`;
}
