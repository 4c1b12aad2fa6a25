import type { MarksReply } from '../../schema/market.ts';

/** Price that is drawn as a line: of an open order, or a level of a bracket. */
interface DrawnLevel {
  readonly price: number;
  readonly title: string;
  readonly tone: 'buy' | 'sell' | 'stop' | 'take';
}

/** Maximum number of lines in a chart; those of orders come before those of brackets. */
const MOST_LEVELS = 30;
/** Distance of two lines, as a share of the price, below which they look like one. */
const ALIKE_SHARE = 0.000_1;

export function levelsOf(
  marks: MarksReply | null,
  words: { readonly buy: string; readonly sell: string; readonly stop: string; readonly takeProfit: string },
): readonly DrawnLevel[] {
  if (marks === null) return [];
  const ofOrders = marks.orders.flatMap(({ price, stopPrice, side, exit }): DrawnLevel[] => {
    if (stopPrice !== null) return [{ price: Number(stopPrice), title: words.stop, tone: 'stop' }];
    if (price === null) return [];
    return [
      { price: Number(price), title: exit === 'take-profit' ? words.takeProfit : words[side], tone: side },
    ];
  });
  const ofBrackets = marks.brackets.flatMap(({ stop, takeProfits }): DrawnLevel[] => [
    ...(stop === null ? [] : [{ price: Number(stop), title: words.stop, tone: 'stop' as const }]),
    ...takeProfits.map((price) => ({ price: Number(price), title: words.takeProfit, tone: 'take' as const })),
  ]);
  const isNew = (level: DrawnLevel): boolean => !ofOrders.some((drawn) => isAlike(drawn, level));
  return [...ofOrders, ...ofBrackets.filter(isNew)].slice(0, MOST_LEVELS);
}

/** True if a bracket's level is that of its order, whose price is rounded to the market's step. */
function isAlike(drawn: DrawnLevel, { price }: DrawnLevel): boolean {
  return Math.abs(drawn.price - price) <= price * ALIKE_SHARE;
}
