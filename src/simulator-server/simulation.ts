import { UTC_BARS, type BarAnchors } from '../domain/candle.ts';
import { createRandom } from '../domain/random.ts';
import { SimulatedExchange } from '../simulator/exchange.ts';
import { currencyOf } from '../simulator/deposits.ts';
import { Services } from '../simulator/services.ts';
import { FaultPlan, FaultyAdapter } from './fault-plan.ts';
import { defined } from './market-config.ts';
import type { ExchangeConfig } from './exchange-config.ts';
import { WireAdapter } from './wire/wire-adapter.ts';
import { createHash, createHmac, createPublicKey, verify, type KeyObject } from 'node:crypto';
import type { VerifySignature } from '../simulator/gate.ts';
import type { VerifyTotp } from '../simulator/credentials.ts';

interface SimulationOptions {
  readonly config: ExchangeConfig;
  /** Opening time of the exchange. */
  readonly startMs: number;
  /** Seed of tokens and faults; the faults' own seed takes precedence. */
  readonly seed?: number;
  /** Anchors of a market's bars, by symbol; other markets follow `candles.zone`. */
  readonly barAnchors?: ReadonlyMap<string, BarAnchors>;
  /** Called with a mistake in the exchange itself; if omitted, the mistake is thrown. */
  readonly onMistake?: (error: unknown) => void;
}

/** A simulated exchange with its adapters, to be served or used in process. */
export interface Simulation {
  readonly config: ExchangeConfig;
  readonly exchange: SimulatedExchange;
  readonly adapter: WireAdapter;
  /** The adapter with the configured faults in front of it. */
  readonly faulty: FaultyAdapter;
}

/** Builds an exchange from its configuration. */
export function createSimulation(options: SimulationOptions): Simulation {
  const { config, startMs } = options;
  const seed = options.seed ?? 1;
  const lags = config.faults.rules?.some(({ kind }) => kind === 'lagging-lists') === true;
  const names = (symbol: string): string => currencyOf(symbol, config.currencies[symbol]).displayName;
  const exchange = new SimulatedExchange(
    {
      markets: config.markets.map(({ market, initialPrice }) => ({
        market,
        initialPrice,
        baseName: names(market.base),
        quoteName: names(market.quote),
        barAnchors: options.barAnchors?.get(market.symbol) ?? anchorsFor(config.candles.zone),
      })),
      fees: config.fees,
      trading: lags ? { ...config.trading, recordVersions: true } : config.trading,
    },
    (made) =>
      new Services({
        accounts: made.accounts,
        random: createRandom(seed),
        startMs,
        verifySignature: verifyEd25519,
        md5: (text) => createHash('md5').update(text).digest('hex'),
        verifyTotp: verifyTotpCode,
        feesOf: (userId) => made.trading.trader(userId).fees,
        serviceName: config.exchange.name,
        users: config.users,
        currencies: config.currencies,
        limits: { ...config.limits, overrides: defined(config.limits.overrides) },
        withdrawals: config.withdrawals,
        margin: config.margin,
        gateway: config.gateway,
      }),
  );
  const adapter = new WireAdapter({
    exchange,
    forms: { ...config.forms, serviceName: config.exchange.name },
    isLenient: config.lenience,
    ...(options.onMistake === undefined ? {} : { onMistake: options.onMistake }),
  });
  return {
    config,
    exchange,
    adapter,
    faulty: new FaultyAdapter(adapter, new FaultPlan({ seed, ...defined(config.faults) })),
  };
}

/** Returns anchors by which bars of 4 h and more begin on the clock of a zone. */
const anchorsFor = (zone: string): BarAnchors =>
  zone === 'UTC' ? UTC_BARS : { '4h': { zone, offsetMs: 0 } };

/** Prefix of the 32 raw bytes of an Ed25519 key in its DER form (RFC 8410). */
const DER_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
/** Maximum number of parsed keys in the cache; keys beyond it are parsed again each time. */
const KEYS_RETAINED = 1_000;

const keys = new Map<string, KeyObject | null>();

function keyOf(publicKey: string): KeyObject | null {
  const known = keys.get(publicKey);
  if (known !== undefined) return known;
  const raw = Buffer.from(publicKey, 'base64url');
  const key =
    raw.length === 32
      ? createPublicKey({ key: Buffer.concat([DER_PREFIX, raw]), format: 'der', type: 'spki' })
      : null;
  if (keys.size < KEYS_RETAINED) keys.set(publicKey, key);
  return key;
}

/** Checks an Ed25519 signature over UTF-8; texts are URL-safe Base64. False for anything unreadable. */
const verifyEd25519: VerifySignature = ({ publicKey, message, signature }) => {
  const key = keyOf(publicKey);
  const bytes = Buffer.from(signature, 'base64url');
  return key !== null && bytes.length === 64 && verify(null, Buffer.from(message), key, bytes);
};

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const TOTP_STEP_MS = 30_000;

function base32Bytes(text: string): Buffer {
  let bits = '';
  for (const character of text.toUpperCase().replace(/=+$/, ''))
    bits += Math.max(0, BASE32.indexOf(character)).toString(2).padStart(5, '0');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

function totpCode(secret: string, step: number): string {
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(step));
  const digest = createHmac('sha1', base32Bytes(secret)).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 15;
  return String((digest.readUInt32BE(offset) & 0x7fff_ffff) % 1_000_000).padStart(6, '0');
}

/** Checks a one-time password (RFC 6238: SHA-1, 30 seconds, 6 digits), one step more or less. */
const verifyTotpCode: VerifyTotp = ({ secret, code, timeMs }) => {
  const step = Math.floor(timeMs / TOTP_STEP_MS);
  return [step - 1, step, step + 1].some((candidate) => totpCode(secret, candidate) === code);
};

/** Everything that changes with time alone: due matching, confirmations, synthetic traders. */
export interface World {
  /** Does everything that is due by `timeMs`. Time never goes back. */
  advance(timeMs: number): void;
}

/** Clock of a served exchange: the system clock, which an administrator can advance and freeze. */
export class WorldClock {
  private readonly wallMs: () => number;
  private offsetMs = 0;
  private frozenAtMs: number | null = null;
  private lastMs = Number.NEGATIVE_INFINITY;
  /** Offset that a fault adds to the clock, in ms. */
  skewMs = 0;

  constructor(wallMs: () => number = Date.now) {
    this.wallMs = wallMs;
  }

  get isFrozen(): boolean {
    return this.frozenAtMs !== null;
  }

  /** Returns the exchange's time. It stands still while the system clock or a fault steps back. */
  nowMs(): number {
    const trueMs = this.frozenAtMs ?? this.wallMs() + this.offsetMs;
    this.lastMs = Math.max(this.lastMs, trueMs + this.skewMs);
    return this.lastMs;
  }

  /** Advances the clock, whether frozen or not. */
  advance(durationMs: number): void {
    if (this.frozenAtMs === null) this.offsetMs += durationMs;
    else this.frozenAtMs += durationMs;
  }

  freeze(): void {
    this.frozenAtMs ??= this.wallMs() + this.offsetMs;
  }

  /** Continues from the time at which it was frozen. */
  unfreeze(): void {
    if (this.frozenAtMs === null) return;
    this.offsetMs = this.frozenAtMs - this.wallMs();
    this.frozenAtMs = null;
  }

  /** Sets the time at which a stored exchange continues: not before the time it was stored at. */
  startAt(leastMs: number): void {
    this.offsetMs = Math.max(this.offsetMs, leastMs - this.skewMs - this.wallMs());
    this.lastMs = Math.max(this.lastMs, leastMs);
  }
}
