// The one time that everything on the page shows.

export const SPEEDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8];

type Listener = (clock: Clock) => void;

export class Clock {
  time: number;
  playing = false;
  speed = 1;
  loop = false;
  private readonly listeners: Listener[] = [];
  private last = 0;

  constructor(
    readonly start: number,
    readonly end: number,
  ) {
    this.time = start;
  }

  /** Calls back whenever time, speed or play changes. */
  listen(listener: Listener): void {
    this.listeners.push(listener);
  }

  seek(time: number): void {
    const wanted = Math.min(Math.max(time, this.start), this.end);
    if (wanted === this.time) return;
    this.time = wanted;
    this.tell();
  }

  setSpeed(speed: number): void {
    this.speed = speed;
    this.tell();
  }

  setLoop(loop: boolean): void {
    this.loop = loop;
    this.tell();
  }

  toggle(): void {
    if (this.playing) this.pause();
    else this.play();
  }

  play(): void {
    if (this.playing || this.end <= this.start) return;
    if (this.time >= this.end) this.time = this.start;
    this.playing = true;
    this.last = performance.now();
    requestAnimationFrame(this.tick);
    this.tell();
  }

  pause(): void {
    if (!this.playing) return;
    this.playing = false;
    this.tell();
  }

  private readonly tick = (now: number): void => {
    if (!this.playing) return;
    const next = this.time + Math.max(0, (now - this.last) / 1000) * this.speed;
    this.last = now;
    if (next < this.end) {
      this.time = next;
    } else if (this.loop) {
      this.time = this.start;
    } else {
      this.time = this.end;
      this.playing = false;
    }
    this.tell();
    if (this.playing) requestAnimationFrame(this.tick);
  };

  private tell(): void {
    for (const listener of this.listeners) listener(this);
  }
}
