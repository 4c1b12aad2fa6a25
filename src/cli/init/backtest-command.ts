import { parseMarket } from '../../exchange/market-names.ts';
import type { BotWishes } from './bot-wishes.ts';

/** Markets of the recording that ships, and the money that a backtest on it begins with. */
const RECORDED: ReadonlySet<string> = new Set(['BTCIRT', 'BTCUSDT', 'USDTIRT']);
const CASH = { rls: '10000000000', usdt: '10000' } as const;

/** A backtest of a new bot's strategy that needs no download: what is typed behind "sarraf". */
export function backtestArguments({ name, market }: Pick<BotWishes, 'name' | 'market'>): string {
  const recorded = RECORDED.has(market) ? market : 'BTCUSDT';
  const { quote } = parseMarket(recorded);
  const cash = quote === 'rls' ? CASH.rls : CASH.usdt;
  const data = `--market ${recorded} --timeframe 5m --catalogue node_modules/sarraf/data/example`;
  return `backtest strategies/${name}.ts ${data} --cash ${cash} --fee 0.1%`;
}
