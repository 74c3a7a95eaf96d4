// Builds the report: everything in one HTML file that opens from file://.
import { defineConfig } from "vitest/config";
import { viteSingleFile } from "vite-plugin-singlefile";
import { licences } from "./licences";

export default defineConfig({
  base: "./",
  plugins: [licences(), viteSingleFile({ removeViteModuleLoader: true })],
  esbuild: { jsx: "automatic", jsxImportSource: "preact", legalComments: "none" },
  build: { target: "es2022", reportCompressedSize: false, chunkSizeWarningLimit: 4000 },
  test: { include: ["test/**/*.test.ts", "test/**/*.test.tsx", "src/**/*.test.ts"], environment: "node" },
});
