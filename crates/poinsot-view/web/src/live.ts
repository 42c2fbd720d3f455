// The connection to the server: a socket that reconnects by itself, meshes, the gallery and dropped files.
import { kindOf } from "./frame";
import type { Command, Diagnostic, Exhibit, Listener, Source } from "./protocol";

const token = new URLSearchParams(location.search).get("token");

/** The address of a resource on the server, with the token if there is one. */
export function address(path: string): string {
  const url = new URL(path, location.href.replace(/[?#].*$/, ""));
  if (token) url.searchParams.set("token", token);
  return url.href;
}

async function get(path: string): Promise<Response> {
  const answer = await fetch(address(path));
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${answer.statusText}`);
  return answer;
}

export async function gallery(): Promise<Exhibit[]> {
  return (await get("gallery")).json();
}

export interface DropAnswer {
  ok: boolean;
  message?: string;
  diagnostics?: Diagnostic[];
}

/** Sends dropped files with their relative paths. */
export async function drop(files: { path: string; file: File }[]): Promise<DropAnswer> {
  const form = new FormData();
  for (const { path, file } of files) form.append("file", file, path);
  const answer = await fetch(address("drop"), { method: "POST", body: form });
  try {
    return await answer.json();
  } catch {
    return { ok: false, message: `the server answered ${answer.status} ${answer.statusText}` };
  }
}

export class Live implements Source {
  readonly live = true;
  private socket: WebSocket | null = null;
  private wait = 0.25;

  constructor(private listener: Listener) {
    this.connect();
  }

  private connect(): void {
    const socket = new WebSocket(address("ws").replace(/^http/, "ws"));
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      this.wait = 0.25;
      this.listener.connected(true, 0);
    };
    socket.onmessage = ({ data }) => {
      if (typeof data === "string") this.hear(data);
      else if (kindOf(data) === 2) this.listener.past(data);
      else this.listener.frame(data);
    };
    socket.onclose = () => {
      this.socket = null;
      this.listener.connected(false, this.wait);
      setTimeout(() => this.connect(), 1000 * this.wait);
      this.wait = Math.min(2 * this.wait, 8);
    };
    this.socket = socket;
  }

  private hear(text: string): void {
    let message;
    try {
      message = JSON.parse(text);
    } catch {
      return;
    }
    if (message?.scenery) this.listener.scene(message.scene, message.scenery, message.diagnostics ?? []);
    else if (message?.status) this.listener.status(message.status);
    else if (message?.happened) this.listener.happened(message.happened);
    else if (message?.busy) this.listener.busy(Number(message.busy));
    else if (message?.problem) this.listener.problem(String(message.problem));
  }

  send(command: Command): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }

  async mesh(scene: number, number: number): Promise<ArrayBuffer> {
    return (await get(`mesh/${scene}/${number}`)).arrayBuffer();
  }
}
