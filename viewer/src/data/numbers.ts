// A row of whole numbers, each a zigzag varint of 32 bits; the writer is crates/cupule-record/src/report/numbers.rs.

export class Numbers {
  private at = 0;

  constructor(private readonly bytes: Uint8Array) {}

  next(): number {
    const bytes = this.bytes;
    let at = this.at;
    let byte = bytes[at++];
    let word = byte & 0x7f;
    for (let shift = 7; byte > 0x7f; shift += 7) {
      byte = bytes[at++];
      word |= (byte & 0x7f) << shift;
    }
    this.at = at;
    return (word >>> 1) ^ -(word & 1);
  }

  /** Numbers that were written each less the one before. */
  sums(into: Int32Array, from = 0, count = into.length): void {
    let sum = 0;
    for (let i = from; i < from + count; i++) {
      sum = (sum + this.next()) | 0;
      into[i] = sum;
    }
  }
}
