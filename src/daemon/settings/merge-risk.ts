import type { Units } from '../../domain/money.ts';
import {
  createRiskLimits,
  DEFAULT_RISK_LIMITS,
  type AmountLimit,
  type RiskLimits,
  type ValueLimit,
} from '../../execution/risk/risk-limits.ts';
import type { RiskSettings, StrategyRiskSettings } from './risk-settings.ts';

type GivenAmounts = Readonly<Record<string, Units | null>> | null | undefined;
type GivenValues =
  | { readonly rls?: Units | null | undefined; readonly usdt?: Units | null | undefined }
  | null
  | undefined;

/**
 * The limits of one strategy: its own over the bot's over the defaults, and those that are per currency currency by currency, so that a limit in rial
 * does not lift the bot's limit in tether.
 */
export function mergeRisk(bot: RiskSettings, strategy: StrategyRiskSettings): RiskLimits {
  const layers: readonly (RiskSettings | StrategyRiskSettings)[] = [bot, strategy];
  const plain = Object.assign({}, ...layers.map(given)) as Partial<RiskLimits>;
  const amounts = (name: 'maxOrderAmount' | 'maxPosition'): AmountLimit | null =>
    layers.reduce<AmountLimit | null>((under, layer) => amountsOver(under, layer[name]), DEFAULT_RISK_LIMITS[name]);
  const values = (name: 'maxOrderValue' | 'maxDailyLoss' | 'maxDrawdown'): ValueLimit | null =>
    layers.reduce<ValueLimit | null>((under, layer) => valuesOver(under, layer[name]), DEFAULT_RISK_LIMITS[name]);
  return createRiskLimits({
    ...plain,
    maxOrderAmount: amounts('maxOrderAmount'),
    maxPosition: amounts('maxPosition'),
    maxOrderValue: values('maxOrderValue'),
    maxDailyLoss: values('maxDailyLoss'),
    maxDrawdown: values('maxDrawdown'),
    maxMarketExposure: valuesOver(DEFAULT_RISK_LIMITS.maxMarketExposure, bot.maxMarketExposure),
    maxTotalExposure: valuesOver(DEFAULT_RISK_LIMITS.maxTotalExposure, bot.maxTotalExposure),
  });
}

function given(layer: object): object {
  return Object.fromEntries(Object.entries(layer).filter(([, value]) => value !== undefined));
}

function amountsOver(under: AmountLimit | null, over: GivenAmounts): AmountLimit | null {
  if (over === undefined) return under;
  if (over === null) return null;
  const laid = Object.entries<Units | null>({ ...under, ...over });
  return Object.fromEntries(laid.filter((entry): entry is [string, Units] => entry[1] !== null));
}

function valuesOver(under: ValueLimit | null, over: GivenValues): ValueLimit | null {
  if (over === undefined) return under;
  if (over === null) return null;
  const { rls = under?.rls ?? null, usdt = under?.usdt ?? null } = over;
  return { rls, usdt };
}
