/**
 * Names for what must not be shown: the same text gets the same name, so that one still sees what belongs
 * together.
 */
export class Pseudonyms {
  private readonly names = new Map<string, string>();
  private readonly counts = new Map<string, number>();

  /** Such as `text-3`; the first kind that a text was given stays. */
  of(kind: string, text: string): string {
    const known = this.names.get(text);
    if (known !== undefined) return known;
    const name = `${kind}-${this.next(kind)}`;
    this.names.set(text, name);
    return name;
  }

  /** For ids that are numbers: 1, 2, 3. */
  idOf(text: string): number {
    return Number(this.of('id', text).replace(/^.*-/, ''));
  }

  private next(kind: string): number {
    const count = (this.counts.get(kind) ?? 0) + 1;
    this.counts.set(kind, count);
    return count;
  }
}
