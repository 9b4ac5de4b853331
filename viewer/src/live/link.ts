// The line to the simulation: says what the server said, sends commands, comes back when it was cut off.
// What goes over it is written down in crates/cupule-live/src/lib.rs.
import type { Event } from "../data/container";
import type { CastBody } from "../data/frames";
import { Bytes } from "./bytes";

export interface Control {
  group: "actuator" | "parameter";
  subject: string;
  title: string;
  unit: string;
  min: number;
  max: number;
  scale: "linear" | "logarithmic" | "power";
  presets: [string, number][];
}

export interface Hello {
  scene: string;
  title: string;
  text: string;
  version: string;
  time_step: number;
  bodies: CastBody[];
  scale: string[];
  controls: Control[];
}

export interface Update {
  generation: number;
  time: number;
  steps: number;
  playing: boolean;
  speed: number | null;
  real_time_factor: number;
  step_ms: number;
  failure: string | null;
  controls: { value: number; by_hand: boolean }[];
  pull: { body: number; at: [number, number, number]; to: [number, number, number]; force: number } | null;
  columns: string[] | null;
  rows: number;
  events: Event[];
}

export type Command =
  | { do: "ready" | "play" | "pause" | "step" | "reset" | "let_go" }
  | { do: "speed"; value: number | null }
  | { do: "set"; control: number; value: number }
  | { do: "release"; control: number | null }
  | { do: "grab"; body: number; at: number[] }
  | { do: "pull"; to: number[] };

export interface Listener {
  greeted(hello: Hello, head: ArrayBuffer): void;
  /** `bytes` stands at the figures of the new rows; a frame comes after them. */
  updated(update: Update, bytes: Bytes): void;
  refused(why: string): void;
  cutOff(): void;
}

const RETRY_MS = 1000;

export class Link {
  private socket: WebSocket | null = null;
  private hello: Hello | null = null;
  private greeted = false;

  constructor(private readonly listener: Listener) {
    this.connect();
  }

  send(command: Command): void {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }

  private connect(): void {
    const socket = new WebSocket(`ws://${location.host}/socket`);
    socket.binaryType = "arraybuffer";
    this.socket = socket;
    this.greeted = false;
    socket.addEventListener("message", ({ data }) => {
      if (typeof data === "string") this.text(JSON.parse(data) as Hello | { refused: string });
      else this.binary(data as ArrayBuffer);
    });
    socket.addEventListener("close", () => {
      this.listener.cutOff();
      setTimeout(() => this.connect(), RETRY_MS);
    });
  }

  private text(said: Hello | { refused: string }): void {
    if ("refused" in said) this.listener.refused(said.refused);
    else this.hello = said;
  }

  private binary(data: ArrayBuffer): void {
    if (!this.greeted) {
      this.greeted = true;
      if (this.hello) this.listener.greeted(this.hello, data);
      return;
    }
    const bytes = new Bytes(data);
    this.listener.updated(JSON.parse(bytes.text()) as Update, bytes);
  }
}
