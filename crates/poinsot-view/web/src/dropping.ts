// Sends files and folders that are dropped on the page, or chosen, to the server.
import { byId, clearToasts, toast } from "./dom";
import { drop } from "./live";
import type { Diagnostic } from "./protocol";

interface Named {
  path: string;
  file: File;
}

async function walk(entry: FileSystemEntry, found: Named[]): Promise<void> {
  if (entry.isFile) {
    const file = await new Promise<File>((take, fail) => (entry as FileSystemFileEntry).file(take, fail));
    found.push({ path: entry.fullPath.replace(/^\//, ""), file });
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  for (;;) {
    // a directory reader returns a hundred entries at a time
    const some = await new Promise<FileSystemEntry[]>((take, fail) => reader.readEntries(take, fail));
    if (some.length === 0) return;
    for (const inner of some) await walk(inner, found);
  }
}

/** Listens for files; `done` is told whether they were accepted, and of their diagnostics. */
export function listenForFiles(done: (ok: boolean, diagnostics: Diagnostic[]) => void): void {
  const send = async (files: Named[]) => {
    if (files.length === 0) return;
    document.body.classList.add("busy");
    try {
      const answer = await drop(files);
      clearToasts();
      // if there are diagnostics, the panel shows them
      if (!answer.ok && !answer.diagnostics?.length) toast(answer.message ?? "these files could not be opened");
      done(answer.ok, answer.diagnostics ?? []);
    } catch (error) {
      toast(`the files did not reach the server: ${(error as Error).message}`);
    } finally {
      document.body.classList.remove("busy");
    }
  };
  let inside = 0;
  const over = (by: number) => {
    inside = Math.max(0, inside + by);
    byId("drop-hint").hidden = inside === 0;
  };
  addEventListener("dragenter", () => over(1));
  addEventListener("dragleave", () => over(-1));
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", async (event) => {
    event.preventDefault();
    over(-inside);
    const items = [...(event.dataTransfer?.items ?? [])];
    const entries = items.map((item) => item.webkitGetAsEntry?.()).filter((e) => !!e);
    const found: Named[] = [];
    if (entries.length > 0) for (const entry of entries) await walk(entry, found);
    else for (const file of event.dataTransfer?.files ?? []) found.push({ path: file.name, file });
    send(found);
  });
  for (const [button, field] of [["open-file", "file"], ["open-folder", "folder"]]) {
    const input = byId<HTMLInputElement>(field);
    byId(button).addEventListener("click", () => input.click());
    input.addEventListener("change", () => {
      // files of a folder have paths relative to it
      send([...(input.files ?? [])].map((file) => ({ path: file.webkitRelativePath || file.name, file })));
      input.value = "";
    });
  }
}
