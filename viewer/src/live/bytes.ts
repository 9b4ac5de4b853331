// Reads little-endian bytes from front to back: the format is written down in crates/cupule-record/src/frames/mod.rs.

const TEXT = new TextDecoder();

export class Bytes {
  private at = 0;
  private readonly view: DataView;

  constructor(private readonly buffer: ArrayBuffer) {
    this.view = new DataView(buffer);
  }

  byte(): number {
    return this.view.getUint8(this.at++);
  }

  count(): number {
    const count = this.view.getUint32(this.at, true);
    this.at += 4;
    return count;
  }

  float(): number {
    const value = this.view.getFloat32(this.at, true);
    this.at += 4;
    return value;
  }

  double(): number {
    const value = this.view.getFloat64(this.at, true);
    this.at += 8;
    return value;
  }

  text(length = this.count()): string {
    const text = TEXT.decode(new Uint8Array(this.buffer, this.at, length));
    this.at += length;
    return text;
  }

  skip(bytes: number): void {
    this.at += bytes;
  }

  floats(count: number): Float32Array {
    return new Float32Array(this.words(count));
  }

  indices(count: number): Uint32Array {
    return new Uint32Array(this.words(count));
  }

  /** A copy, since arrays of words must begin at a multiple of four. */
  private words(count: number): ArrayBuffer {
    const words = this.buffer.slice(this.at, this.at + 4 * count);
    if (words.byteLength !== 4 * count) throw new Error("a message was cut short");
    this.at += 4 * count;
    return words;
  }
}
