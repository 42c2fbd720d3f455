// The values of all channels over time, in bounded memory: the whole run at reduced density, and the last part in full.

const CAPACITY = 4096;

/** Columns of equal length: time and channels. */
export interface Columns {
  times: Float64Array;
  of(channel: number): Float64Array;
}

/** The larger of two numbers, one of which may be unknown. */
const larger = (a: number, b: number) => (a >= b || Number.isNaN(b) ? a : b);

class Store {
  private columns: Float64Array[];
  length = 0;
  /** Rows closer than this to the one before the last replace the last. */
  private interval = 0;

  constructor(private peaks: boolean[], private whole: boolean) {
    this.columns = Array.from({ length: peaks.length + 1 }, () => new Float64Array(CAPACITY));
  }

  add(time: number, values: ArrayLike<number>): void {
    const times = this.columns[0];
    while (this.length > 0 && times[this.length - 1] >= time) this.length--;
    const instead = this.length > 1 && times[this.length - 1] - times[this.length - 2] < this.interval;
    if (instead) this.length--;
    if (this.length === CAPACITY) this.makeRoom();
    times[this.length] = time;
    for (let k = 1; k < this.columns.length; k++) {
      const [column, value] = [this.columns[k], values[k - 1]];
      column[this.length] = instead && this.peaks[k - 1] ? larger(column[this.length], value) : value;
    }
    this.length++;
  }

  private makeRoom(): void {
    if (!this.whole) {
      for (const column of this.columns) column.copyWithin(0, CAPACITY / 4);
      this.length -= CAPACITY / 4;
      return;
    }
    this.columns.forEach((column, c) => {
      const peaks = c > 0 && this.peaks[c - 1];
      for (let k = 0; k < CAPACITY / 2; k++) column[k] = peaks ? larger(column[2 * k], column[2 * k + 1]) : column[2 * k];
    });
    this.length = CAPACITY / 2;
    this.interval = (0.999 * (this.columns[0][this.length - 1] - this.columns[0][0])) / (this.length - 1);
  }

  read(): Columns {
    const cut = (k: number) => this.columns[k].subarray(0, this.length);
    return { times: cut(0), of: (channel) => cut(channel + 1) };
  }
}

export class History {
  private whole: Store;
  private recent: Store;

  /** `peaks` says for each channel whether it holds the largest value since the previous row: when rows are dropped, their peaks are kept. */
  constructor(peaks: boolean[]) {
    this.whole = new Store(peaks, true);
    this.recent = new Store(peaks, false);
  }

  /** Adds a row; later rows are dropped. */
  add(time: number, values: ArrayLike<number>): void {
    this.whole.add(time, values);
    this.recent.add(time, values);
  }

  /** The number of rows for plots. */
  get points(): number {
    return this.whole.length;
  }

  /** The whole run, or its last part in full. */
  read(whole: boolean): Columns {
    return (whole ? this.whole : this.recent).read();
  }
}
