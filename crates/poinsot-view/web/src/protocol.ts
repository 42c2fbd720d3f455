// The messages between server and page, as PROTOCOL.md and show.rs describe them.

export type Vector = [number, number, number];

export type Formulation = "reduced" | "maximal";

export interface Track {
  label: string;
  colour: Vector;
  integrator: string;
  dt: number;
  integrators: string[];
  maximal: string[];
  refused: string | null;
  /** True if its bodies can collide. */
  touches: boolean;
}

export interface Body {
  track: number;
  name: string;
  parent: number | null;
  mass: number;
  com: Vector;
  ellipsoid: Vector;
  axes: [number, number, number, number];
  moves: boolean;
  size: number;
}

export interface Part {
  body: number;
  form: "sphere" | "capsule" | "cylinder" | "ellipsoid" | "box" | "plane" | "mesh";
  size: number[];
  pose: number[];
  rgba: [number, number, number, number];
  layer: "visual" | "collision";
  /** True for a plane, which casts no shadow, even if it is drawn as a mesh. */
  flat: boolean;
}

export interface Mesh {
  points: number;
  triangles: number;
  /** The mesh whose bytes contain the picture of this one. */
  picture: number | null;
  /** The bodies it deforms with, each with its inverse bind pose. */
  bones: [number, number[]][];
}

export interface Joint {
  track: number;
  name: string;
  kind: string;
  body: number;
  range: [number, number] | null;
  single: boolean;
  channel: number | null;
  unit: string;
}

export interface Actuator {
  track: number;
  name: string;
  range: [number, number] | null;
}

export interface Soft {
  track: number;
  name: string;
  stiffness: number;
  unit: string;
  range: [number, number];
}

export interface Arrow {
  name: string;
  colour: Vector;
  layer: string;
}

export interface Trace extends Arrow {
  on: "world" | { body: number } | { solid: number };
  lasts: number | null;
}

export interface Solid {
  name: string;
  form: "ellipsoid" | "disc" | "rod" | "cone";
  rgba: [number, number, number, number];
  layer: string;
}

export interface Channel {
  name: string;
  unit: string;
  group: string;
  track: number;
}

export interface Scenery {
  name: string;
  title: string;
  physics: string;
  try: string;
  watch: string;
  tracks: Track[];
  bodies: Body[];
  parts: Part[];
  meshes: Mesh[];
  joints: Joint[];
  actuators: Actuator[];
  softs: Soft[];
  keyframes: string[];
  arrows: Arrow[];
  traces: Trace[];
  solids: Solid[];
  channels: Channel[];
  plots: string[];
  logarithmic: string[];
  /** Groups whose values are the largest since the previous moment. */
  peaks: string[];
  shown: string[];
  on_demand: string[];
  camera: { from: Vector; to: Vector; up: Vector };
  /** How far models reach from the centre of the initial picture with aspect ratio 1.6, horizontally and vertically; 1: to its edges. */
  fills: [number, number] | null;
  gravity: boolean;
  floor: number | null;
}

export interface Diagnostic {
  severity: "error" | "warning" | "note";
  code: string | null;
  message: string;
  file: string | null;
  line: number | null;
  column: number | null;
  help: string | null;
  snippet: string | null;
}

export interface Status {
  scene: number;
  playing: boolean;
  speed: number;
  dt: number[];
  integrator: string[];
  formulation: Formulation[];
  contact: string[];
  gains: ([number, number] | null)[];
  untouched: (string | null)[];
  /** Of every body. */
  masses: number[];
  gravity: boolean;
  controls: number[];
  stiffness: number[];
  pulling: null | { body: number; integrator: string[] };
  stopped: (string | null)[];
  clients: number;
}

/** Events of one kind in one place. */
export interface Event {
  track: number;
  kind: "impact" | "release" | "slip" | "stick" | "jam";
  at: string;
  place: "lower end" | "upper end" | "friction" | "rope" | "contact";
  /** The count, the first time, and the last few times. */
  count: number;
  first: number;
  times: number[];
}

/** The last events, and for each track sentences about steps that departed from their method. */
export interface Happened {
  scene: number;
  events: Event[];
  notices: string[][];
}

export interface Exhibit {
  name: string;
  title: string;
  physics: string;
  try: string;
  watch: string;
}

export type Command =
  | { do: "play" | "pause" | "step" | "reset" | "release" }
  | { do: "speed"; value: number }
  | { do: "seek"; time: number }
  | { do: "key"; index: number }
  | { do: "grab"; body: number; point: Vector }
  | { do: "pull"; to: Vector }
  | { do: "joint"; joint: number; value: number }
  | { do: "watch"; joint: number }
  | { do: "control"; actuator: number; value: number }
  | { do: "integrator"; track?: number; name: string }
  | { do: "dt"; track?: number; value: number }
  | { do: "formulation"; track?: number; name: Formulation }
  | { do: "contact"; track?: number; name: string }
  | { do: "gains"; track?: number; stiffness: number; damping: number }
  | { do: "mass"; body: number; value: number }
  | { do: "stiffness"; constraint: number; value: number }
  | { do: "want"; what: string; on: boolean }
  | { do: "gravity"; on: boolean }
  | { do: "open"; name: string }
  | { do: "loop"; on: boolean };

/** The source of scenes and destination of commands: a server, or a recording. */
export interface Source {
  readonly live: boolean;
  send(command: Command): void;
  mesh(scene: number, number: number): Promise<ArrayBuffer>;
}

/** The callbacks of the page. */
export interface Listener {
  scene(number: number, scenery: Scenery, diagnostics: Diagnostic[]): void;
  frame(bytes: ArrayBuffer): void;
  past(bytes: ArrayBuffer): void;
  status(status: Status): void;
  happened(happened: Happened): void;
  busy(seconds: number): void;
  problem(text: string): void;
  connected(yes: boolean, wait: number): void;
}
