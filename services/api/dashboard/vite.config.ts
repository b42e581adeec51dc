import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type Plugin } from "vite";

/** Where `npm run dev` finds a daemon. */
const DAEMON = process.env.SIGNET_DAEMON_URL ?? "http://127.0.0.1:3850";
const BUILT = "../signet_api/dashboard/static";
const SOURCES = ["index.html", "package-lock.json", "package.json", "public", "src", "tsconfig.json", "tsconfig.worker.json", "vite.config.ts"];

/** Write what the build was made of and what it made, so that a test without Node sees whether they belong together. */
function stamp(): Plugin {
  const hash = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex");
  const under = (folder: string, path = ""): string[] =>
    readdirSync(join(folder, path), { withFileTypes: true })
      .flatMap((entry) => (entry.isDirectory() ? under(folder, join(path, entry.name)) : [join(path, entry.name)]));
  const hashes = (folder: string, isMeant: (name: string) => boolean) =>
    Object.fromEntries(under(folder).filter(isMeant).sort().map((name) => [name, hash(join(folder, name))]));
  return {
    name: "stamp",
    apply: "build",
    closeBundle() {
      const sources = Object.fromEntries(SOURCES.flatMap((name) => {
        const isFile = name.includes(".");
        return isFile ? [[name, hash(name)]] : Object.entries(hashes(name, () => true)).map(([path, sum]) => [`${name}/${path}`, sum]);
      }));
      const built = hashes(BUILT, (name) => name !== "stamp.json");
      writeFileSync(join(BUILT, "stamp.json"), `${JSON.stringify({ sources, built }, null, 1)}\n`);
    },
  };
}

/** Elements are made by `h`, whose calls are shorter than those of the automatic runtime; and nothing is loaded ahead of a chunk. */
function small(): Plugin {
  return {
    name: "small",
    enforce: "pre",
    config: () => ({ oxc: { jsx: { runtime: "classic", pragma: "h", pragmaFrag: "Fragment" } } }),
    transform: (code, id) => (id.endsWith(".tsx") ? `import { Fragment, h } from "preact";${code}` : null),
    load: (id) => (id.includes("vite/preload-helper") ? "export const __vitePreload = (ask) => ask();" : null),
  };
}

export default defineConfig({
  plugins: [stamp(), small()],
  build: {
    target: "esnext",
    outDir: BUILT,
    emptyOutDir: true,
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    rollupOptions: {
      output: {
        entryFileNames: "assets/index-[hash].js",
        chunkFileNames: "assets/chunk-[hash].js",
        assetFileNames: "assets/chunk-[hash][extname]",
      },
    },
  },
  worker: { format: "es", rollupOptions: { output: { entryFileNames: "assets/chunk-[hash].js" } } },
  server: { proxy: { "/api": DAEMON, "/memory": DAEMON, "/health": DAEMON } },
});
