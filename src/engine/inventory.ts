import type { MissingCoinsOptions } from './feeds/account-state.ts';
import { invalidOptions } from '../domain/errors.ts';
import { addUnits, formatUnits, negateUnits, NO_UNITS, subtractUnits, type Units } from '../domain/money.ts';
import type { MarketNames } from '../domain/market-symbol.ts';
import { sentence, type Sentence } from '../language/sentence.ts';
import type { AccountState } from './feeds/account-state.ts';
import type { StrategyRecord } from '../records/rows.ts';
import { type Reservations, inventoryLine } from './risk/reservations.ts';
import { readFigures } from './strategy-instance-record.ts';
import type { StrategyInstance } from './strategy-instance.ts';

export interface InventoryOptions extends Pick<
  MissingCoinsOptions,
  'outbox' | 'instances' | 'account' | 'markets'
> {
  readonly reservations: Reservations;
}

/**
 * Gives strategies the coins of the account that the configuration lets them sell; called after the wallets
 * were read and before strategies start. Coins given before a restart are in the strategy's books, so only
 * the difference to the configuration is given or taken back. Only coins that the strategy still holds and is
 * not selling are taken back; the rest follows at a later start.
 *
 * Throws `INVALID_OPTIONS` if the account has too little for all; then nothing is given.
 */
export function giveInventories(options: InventoryOptions): void {
  const { outbox, instances, account, markets, reservations } = options;
  const changes = instances.flatMap((instance) => changesOf(instance));
  refuseMissing(changes, instances, account);
  for (const { instance, asset, amount } of changes) {
    const free = negateUnits(reservations.unclaimed(instance, asset));
    const moved = amount < free ? free : amount;
    instance.applyPrices((symbol) => markets.priceOf(symbol), outbox.nowMs);
    instance.applyInventory(asset, moved, outbox.nowMs);
    outbox.durable();
    outbox.journal('control', 'inventory', { strategy: instance.name, asset, amount: formatUnits(moved) });
    if (moved > 0n) outbox.info(givenText(instance, asset, moved), instance.name);
    else outbox.warn(returnedText(instance, { asset, amount, moved }), instance.name);
  }
  for (const instance of instances) for (const text of owedTexts(instance)) outbox.warn(text, instance.name);
}

/** Returns the text on a coin of which the account has too little for the inventories; null if enough. */
export function missingText(of: {
  readonly asset: string;
  /** Total of the spot wallet, and the part of it that strategies already own. */
  readonly total: bigint;
  readonly owned: Units;
  /** Amount that strategies must get in addition, and their names. */
  readonly wanted: Units;
  readonly names: readonly string[];
}): string | null {
  const { asset, total, owned, wanted } = of;
  const left = (total - owned) as Units;
  if (wanted <= left) return null;
  const coin = asset.toUpperCase();
  const names = of.names.join(' and ');
  return `expected at most ${formatUnits(left > 0n ? left : NO_UNITS)} ${coin} for the inventory of ${names}, was ${formatUnits(wanted)}: the account has ${formatUnits(total)}, of which strategies own ${formatUnits(owned)}. Lower inventory.${asset}, or put ${formatUnits(subtractUnits(wanted, left))} ${coin} into the spot wallet`;
}

/**
 * Returns why a strategy that was removed from the configuration does not run, with the coins it still holds.
 */
export function leftReason(
  record: Pick<StrategyRecord, 'name' | 'json'>,
  of: {
    readonly marketNames: MarketNames;
    readonly instances: readonly StrategyInstance[];
    /** Smallest amount of a coin that is not dust. */
    readonly leastAmountOf: (asset: string) => Units;
  },
): Sentence {
  const { ledger } = readFigures(record, of.marketNames);
  const isMoney = (asset: string): boolean =>
    of.marketNames.quotes.some(({ currency }) => currency === asset);
  const coins = [...ledger.state.holdings].filter(([asset, { held }]) => {
    const given = sumOf(of.instances.map(({ givenCoins }) => givenCoins.get(asset) ?? NO_UNITS));
    return !isMoney(asset) && held >= of.leastAmountOf(asset) && given < held;
  });
  if (coins.length === 0) return sentence('strategy-left');
  const amounts = coins.map(([asset, { held }]) => `${asset}: '${formatUnits(held)}'`);
  return sentence('strategy-left-coins', {
    coins: coins.map(([asset, { held }]) => `${formatUnits(held)} ${asset.toUpperCase()}`).join(', '),
    line: `inventory: { ${amounts.join(', ')} }`,
  });
}

interface InventoryChange {
  readonly instance: StrategyInstance;
  readonly asset: string;
  /** Above zero: to be given to the strategy; below zero: to be taken back. */
  readonly amount: Units;
}

function givenText({ name }: StrategyInstance, asset: string, amount: Units): string {
  return `${name} was given ${formatUnits(amount)} ${asset.toUpperCase()} of the account to sell`;
}

function returnedText(
  { name }: StrategyInstance,
  { asset, amount, moved }: { readonly asset: string; readonly amount: Units; readonly moved: Units },
): string {
  const wanted = formatUnits(negateUnits(amount));
  const rest =
    moved === amount
      ? ''
      : '. It has sold the rest, or is selling it: each later start takes back what is there';
  return `${name} gave back ${formatUnits(negateUnits(moved))} of the ${wanted} ${asset.toUpperCase()} that its configuration gives it no more${rest}`;
}

function changesOf(instance: StrategyInstance): readonly InventoryChange[] {
  const { givenCoins, ledger } = instance;
  return [...new Set([...givenCoins.keys(), ...ledger.state.inventory.keys()])].flatMap((asset) => {
    const wanted = givenCoins.get(asset) ?? NO_UNITS;
    const amount = subtractUnits(wanted, ledger.inventoryOf(asset));
    return amount === 0n ? [] : [{ instance, asset, amount }];
  });
}

function refuseMissing(
  changes: readonly InventoryChange[],
  instances: readonly StrategyInstance[],
  account: AccountState,
): void {
  const given = changes.filter(({ amount }) => amount > 0n);
  const problems = [...Map.groupBy(given, ({ asset }) => asset)].flatMap(([asset, more]) => {
    const total = account.totalOf(asset);
    const owned = sumOf(instances.map((instance) => instance.held(asset)).filter((held) => held > 0n));
    const wanted = sumOf(more.map(({ amount }) => amount));
    const names = more.map(({ instance }) => instance.name);
    return missingText({ asset, total, owned, wanted, names }) ?? [];
  });
  if (problems.length > 0) throw invalidOptions(problems.join('; '), { details: { endsRun: true } });
}

/** Returns warnings on coins of which an earlier version let the strategy sell more than it had. */
function owedTexts(instance: StrategyInstance): readonly string[] {
  return [...instance.ledger.state.holdings].flatMap(([asset, { held }]) => {
    if (held >= 0n || instance.quotes.has(asset)) return [];
    const owed = formatUnits(negateUnits(held));
    const coin = asset.toUpperCase();
    return [
      `${instance.name} has sold ${owed} ${coin} more than it had bought, which an earlier version of sarraf let it take from the account. It sells no ${coin} until that is settled. If those coins were meant for it, write under its name in strategies: ${inventoryLine(instance, asset, negateUnits(held))}`,
    ];
  });
}

function sumOf(parts: readonly Units[]): Units {
  return parts.reduce((sum, part) => addUnits(sum, part), NO_UNITS);
}
