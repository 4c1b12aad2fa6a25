import { MOST_SHARE, type Action, type WeightedAction } from './situation.ts';

/** Markets of one quote currency. */
const TOGETHER: readonly (readonly string[])[] = [['BTCIRT', 'USDTIRT'], ['BTCUSDT']];

const LEAST_SHARE = 0.000_2;

/** Shares of all markets of the same quote currency, or of some; sometimes none at all of one. */
const spread: Action = ({ ctx, dice, market, markets }) => {
  const symbols = TOGETHER.find((all) => all.includes(market)) ?? [market];
  const named = symbols.filter(
    (symbol) => symbol === market || (markets.includes(symbol) && dice.happens(0.8)),
  );
  const shares = named.map((symbol): readonly [string, string] => [
    symbol,
    dice.happens(0.2) ? '0' : dice.logUniform(LEAST_SHARE, MOST_SHARE).toFixed(6),
  ]);
  ctx.targets(Object.fromEntries(shares), {
    ...(dice.happens(0.7) ? { band: dice.between(0, 0.001).toFixed(6) } : {}),
    atOnce: dice.integer(1, 3),
  });
};

export const PORTFOLIO_ACTIONS: readonly WeightedAction[] = [[spread, 2]];
