/**
 * An append-only list that keeps the newest `capacity` items. It drops in blocks, so that appending stays
 * constant on average; between `capacity` and twice that many items are held.
 */
export class BoundedList<T> {
  private items: T[] = [];
  private capacity: number;

  constructor(capacity: number) {
    this.capacity = capacity;
  }

  get length(): number {
    return this.items.length;
  }

  push(item: T): void {
    this.items.push(item);
    if (this.items.length >= this.capacity * 2) this.items = this.items.slice(-this.capacity);
  }

  /** Changes the capacity; what is beyond a smaller one is dropped now. */
  keep(capacity: number): void {
    this.capacity = capacity;
    this.items = this.items.slice(-capacity);
  }

  at(index: number): T | undefined {
    return this.items.at(index);
  }

  /** Oldest first. */
  values(): readonly T[] {
    return this.items;
  }
}
