import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { addUnits, NO_UNITS, parseUnits, subtractUnits, type Units } from '../domain/money.ts';
import { missingText } from '../engine/inventory.ts';
import { readFigures } from '../engine/strategy-instance-record.ts';
import { MARKET_NAMES } from '../exchange/market-names.ts';
import { MirrorReader } from '../mirror/mirror-reader.ts';
import type { AssetLedger } from '../portfolio/asset-ledger.ts';
import { mirrorName } from '../mirror/mirror-path.ts';
import type { BotConfig } from '../daemon/create-bot-config.ts';

/** Assets that strategies own and were given, by strategy name, as in a mirror. */
type Books = ReadonlyMap<string, AssetLedger>;

/**
 * Lists coins that a configuration gives its strategies to sell and the account lacks, one line per coin:
 * these a start would refuse. `totalOf`: total of a coin in the spot wallet.
 */
export function missingInventories(
  { strategies }: Pick<BotConfig, 'strategies'>,
  totalOf: (asset: string) => Units,
  books: Books = new Map(),
): readonly string[] {
  const wanted = strategies.flatMap(({ name, inventory }) =>
    Object.entries(inventory).map(([asset, amount]) => ({
      name,
      asset,
      more: subtractUnits(parseUnits(amount), books.get(name)?.inventoryOf(asset) ?? NO_UNITS),
    })),
  );
  const given = wanted.filter(({ more }) => more > 0n);
  return [...Map.groupBy(given, ({ asset }) => asset)].flatMap(([asset, parts]) => {
    const owned = [...books.values()].map((ledger) => ledger.held(asset)).filter((held) => held > 0n);
    const text = missingText({
      asset,
      total: totalOf(asset),
      owned: sumOf(owned),
      wanted: sumOf(parts.map(({ more }) => more)),
      names: parts.map(({ name }) => name),
    });
    return text ?? [];
  });
}

/** The books of the strategies of a configuration; empty before the first start. */
export function readBooks({ data, mode, strategies }: BotConfig): Books {
  const path = join(data.folder, mirrorName(mode));
  if (!existsSync(path)) return new Map();
  const names = new Set(strategies.map(({ name }) => name));
  using reader = new MirrorReader(path);
  return new Map(
    reader
      .strategies()
      .filter(({ name }) => names.has(name))
      .map((row) => [row.name, readFigures(row, MARKET_NAMES).ledger]),
  );
}

function sumOf(parts: readonly Units[]): Units {
  return parts.reduce((sum, part) => addUnits(sum, part), NO_UNITS);
}
