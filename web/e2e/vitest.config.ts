// The tests of the built report in a real browser: `npm run e2e`, or ctest -R web_e2e.
import { defineConfig } from "vitest/config";

export default defineConfig({
  cacheDir: "../node_modules/.vite-e2e",
  test: {
    root: __dirname,
    include: ["*.e2e.ts"],
    environment: "node",
    testTimeout: 180_000, // a busy machine; nothing here is about speed
    hookTimeout: 120_000,
    fileParallelism: false, // one browser at a time
  },
});
