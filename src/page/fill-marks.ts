/** Fills of one side in one bar. */
interface FillMark<At> {
  readonly time: At;
  readonly isBuy: boolean;
  /** Mean price of the fills. */
  readonly price: number;
  readonly count: number;
}

/** Returns one mark for the buys of each bar, and one for its sells. */
export function fillMarks<At>(
  fills: readonly { readonly time: At; readonly isBuy: boolean; readonly price: number }[],
): readonly FillMark<At>[] {
  const marks = new Map<string, FillMark<At>>();
  for (const { time, isBuy, price } of fills) {
    const key = `${String(time)} ${isBuy}`;
    const before = marks.get(key) ?? { price: 0, count: 0 };
    const count = before.count + 1;
    marks.set(key, { time, isBuy, price: before.price + (price - before.price) / count, count });
  }
  return [...marks.values()];
}
