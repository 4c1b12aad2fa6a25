/**
 * Items in the order in which they came, each found by its amount. It holds so many; beyond that the oldest
 * goes.
 */
export class AmountQueue<Item extends { readonly amount: bigint }> {
  private readonly most: number;
  private readonly items = new Set<Item>();
  /** The same items by their amount, oldest first. */
  private readonly byAmount = new Map<bigint, Item[]>();

  constructor(most: number) {
    this.most = most;
  }

  get size(): number {
    return this.items.size;
  }

  /** Oldest first. */
  values(): IterableIterator<Item> {
    return this.items.values();
  }

  /** Answers the oldest, if it had to go to make room; else null. */
  add(item: Item): Item | null {
    this.items.add(item);
    const alike = this.byAmount.get(item.amount);
    if (alike === undefined) this.byAmount.set(item.amount, [item]);
    else alike.push(item);
    if (this.items.size <= this.most) return null;
    const [oldest = item] = this.items;
    this.remove(oldest);
    return oldest;
  }

  /** Takes out the oldest of an amount. Answers whether there was one. */
  take(amount: bigint): boolean {
    const [oldest] = this.byAmount.get(amount) ?? [];
    if (oldest === undefined) return false;
    this.remove(oldest);
    return true;
  }

  remove(item: Item): void {
    if (!this.items.delete(item)) return;
    const alike = this.byAmount.get(item.amount) ?? [];
    if (alike.length <= 1) this.byAmount.delete(item.amount);
    else alike.splice(alike.indexOf(item), 1);
  }
}
