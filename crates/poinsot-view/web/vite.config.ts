// Builds the live page with relative paths, and the same page as one file for replays.
import { defineConfig, type Plugin } from "vite";

/** Code as it can stand inside a script element: nothing in it may look like the element's end or a comment. */
const insideScript = (code: string) => code.replaceAll("</script", "<\\/script").replaceAll("<!--", "<\\!--");

/** Writes replay.html: index.html with its code and style inside, and a mark where the recording goes. */
function replay(): Plugin {
  return {
    name: "replay",
    enforce: "post",
    generateBundle(_, bundle) {
      const files = Object.values(bundle);
      let page = "";
      let code = "";
      let style = "";
      for (const file of files) {
        if (file.type === "chunk") code += insideScript(file.code);
        else if (file.fileName.endsWith(".css")) style += file.source;
        else if (file.fileName === "index.html") page = String(file.source);
      }
      const bare = page
        .replace(/<script[^>]*src=[^>]*><\/script>/g, "")
        .replace(/<link[^>]*rel="stylesheet"[^>]*>/g, "");
      const inside = `<!--RECORDING-->\n<style>${style}</style>\n<script type="module">${code}</script>\n</head>`;
      this.emitFile({ type: "asset", fileName: "replay.html", source: bare.replace("</head>", () => inside) });
    },
  };
}

export default defineConfig({
  base: "./",
  // one chunk, so that the replay has all of it
  build: { target: "es2022", modulePreload: false, chunkSizeWarningLimit: 2000, assetsInlineLimit: 100000 },
  plugins: [replay()],
});
