// How well moving things can be drawn on this machine: plainer where pictures are slow, better where they are fast.

/** A picture that takes longer than this, in ms, is too slow for motion. */
const SLOW_MS = 32;
/** Where pictures take less than this, in ms, there is room for better ones. */
const FAST_MS = 20;
/** So many pictures make a mean; far fewer where it is far too slow, since nobody wants to wait for a good mean. */
const WINDOW = 12;
const SHORT_WINDOW = 3;
/** So many fast means in a row before a better picture is tried; each try that fails makes the next wait twice as long. */
const PATIENCE = 10;
/** A plainer picture must take less than this share of the time to be worth its looks. */
const WORTH = 0.85;

export class Pace {
  private sum = 0;
  private count = 0;
  private fast = 0;
  private patience = PATIENCE;
  /** What a picture took before the last step to a plainer one, ms. */
  private before: number | null = null;
  /** The plainest level that is worth its looks. */
  private plainest: number;
  /** Whether the last step was to a better picture. */
  private tried = false;

  /** Levels are numbered from 0, the best. */
  constructor(
    levels: number,
    public level: number,
  ) {
    this.plainest = levels - 1;
  }

  /** Forgets a mean that has begun: what comes now is something else. */
  interrupt(): void {
    this.sum = this.count = 0;
  }

  /** Takes the time of one picture of something that moves, ms. */
  took(ms: number): void {
    this.sum += ms;
    const mean = this.sum / ++this.count;
    if (this.count < (mean > 3 * SLOW_MS ? SHORT_WINDOW : WINDOW)) return;
    this.interrupt();
    this.judge(mean);
  }

  private judge(mean: number): void {
    const { before } = this;
    this.before = null;
    this.fast = mean < FAST_MS ? this.fast + 1 : 0;
    if (before !== null && mean > WORTH * before) this.plainest = --this.level;
    else if (mean > SLOW_MS) this.plainer(mean);
    else if (this.fast >= this.patience && this.level > 0) this.better();
    else this.tried &&= this.fast < PATIENCE;
  }

  private plainer(mean: number): void {
    if (this.level >= this.plainest) return;
    // A better picture was tried and is too slow: that is no measure of what the plainer one is worth.
    if (this.tried) this.patience *= 2;
    else this.before = mean;
    this.tried = false;
    this.level++;
  }

  private better(): void {
    this.fast = 0;
    this.tried = true;
    this.level--;
  }
}
