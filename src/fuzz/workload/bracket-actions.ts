import type { Distance, ExitWish } from '../../strategy/intents.ts';
import { Dice } from '../dice.ts';
import {
  amountOf,
  FAR,
  NEAR,
  priceAway,
  sharesAway,
  worthOf,
  type Action,
  type WeightedAction,
  type Situation,
} from './situation.ts';

/** A distance from what is paid, in one of the four ways. */
const distanceOf = ({ dice, bid }: Situation, worth: number): Distance => {
  const share = dice.logUniform(NEAR * 4, FAR);
  return (
    dice.pick<Distance>([
      { percent: (share * 100).toFixed(6) },
      { distance: bid.times(share).toFixed(10) },
      { money: (worth * share).toFixed(10) },
    ]) ?? { percent: 1 }
  );
};

/** Of dice of its own: a trail that begins after a gain, and a target that falls. */
const laterOf = ({ ctx }: Situation): { readonly after?: Distance; readonly falls?: ExitWish } => {
  const dice = Dice.of(ctx.nowMs % 0x1_0000_0000, 'later exits');
  const percent = dice.logUniform(NEAR * 4, FAR) * 100;
  const afterMs = dice.integer(10_000, 1_200_000);
  return {
    ...(dice.happens(0.3) ? { after: { percent: percent.toFixed(6) } } : {}),
    ...(dice.happens(0.3)
      ? {
          falls: {
            takeProfit: { percent: (percent * 2).toFixed(6) },
            laterTargets: [
              { afterMs, percent: percent.toFixed(6) },
              { afterMs: afterMs * 2, percent: 0 },
            ],
          },
        }
      : {}),
  };
};

/** Returns exits for a position of some worth: some of the kinds, at least one. */
const exitOf = (situation: Situation, worth: number): ExitWish => {
  const { dice } = situation;
  const isTrailing = dice.happens(0.4);
  const { after, falls } = laterOf(situation);
  return {
    stopLoss: distanceOf(situation, worth),
    ...(dice.happens(0.6) ? { takeProfit: distanceOf(situation, worth) } : {}),
    ...(isTrailing
      ? {
          trail: {
            by: distanceOf(situation, worth),
            minStep: dice.between(0, 0.1).toFixed(6),
            on: 'poll',
            ...(after === undefined ? {} : { after }),
          },
        }
      : {}),
    ...(isTrailing && dice.happens(0.5) ? { breakEvenAt: distanceOf(situation, worth) } : {}),
    ...(dice.happens(0.3) ? { timeStopMs: dice.integer(30_000, 3_600_000) } : {}),
    ...(dice.happens(0.1) ? { whenCanceled: 'leave' } : {}),
    ...falls,
  };
};

const bracketed: Action = (situation) => {
  const { ctx, dice } = situation;
  const worth = worthOf(situation) * dice.between(1, 4);
  const entry = {
    value: worth,
    ...(dice.happens(0.7) ? { price: priceAway({ ...situation, side: 'buy' }, sharesAway(dice)) } : {}),
    ...(dice.happens(0.5) ? { expireAfterMs: dice.integer(1_000, 600_000) } : {}),
  };
  ctx.bracket({ entry, ...exitOf(situation, worth) });
};

const guarded: Action = (situation) => {
  const { ctx, dice } = situation;
  const amount = amountOf(situation);
  ctx.protect({
    ...(dice.happens(0.7) ? { amount } : {}),
    averagePrice: situation.bid.toFixed(10),
    ...exitOf(situation, worthOf(situation)),
  });
};

export const BRACKET_ACTIONS: readonly WeightedAction[] = [
  [bracketed, 5],
  [guarded, 1],
];
